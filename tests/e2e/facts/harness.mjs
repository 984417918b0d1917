// The harness itself, with a launcher of three lines: finding Pi below a launcher, killing it,
// and waiting for the next one.
const launcher = [new URL("extensions/small-launcher", import.meta.url).pathname, "--"];

export default [
  {
    name: "a Pi that was killed in the terminal is followed by another in the same session",
    mode: "tui",
    launcher,
    replies: [{ text: "FIRST-REPLY" }, { text: "SECOND-REPLY" }],
    steps: [
      { screen: "scripted-model" },
      { submit: "one" },
      { screen: "FIRST-REPLY" },
      { sleep: 300 },
      { signal: "SIGKILL", to: "pi" },
      { newPi: true },
      { sleep: 3000 },
      { screen: "scripted-model" },
      { submit: "two" },
      { screen: "SECOND-REPLY" },
      { sleep: 300 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST-REPLY.*two" }, { sessions: 1 }],
  },
  {
    name: "a Pi that was killed in RPC mode is followed by another on the same pipes",
    smoke: true,
    launcher,
    replies: [{ text: "FIRST-REPLY" }, { text: "SECOND-REPLY" }],
    steps: [
      { rpc: { type: "prompt", message: "one" } },
      { wait: { type: "agent_settled" } },
      { signal: "SIGKILL", to: "pi" },
      { newPi: true },
      { rpc: { type: "prompt", message: "two" } },
      { wait: { type: "agent_settled" } },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST-REPLY.*two" }, { sessions: 1 }],
  },
];
