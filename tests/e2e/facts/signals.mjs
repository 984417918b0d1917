// How Pi ends, by signal and mode, and what a kill leaves in the terminal.
const prompt = { rpc: { type: "prompt", message: "go" } };
const busy = [{ hang: true }];
const started = { rpc: { type: "get_state" }, expect: { success: true } };

const onPipes = (signal, exit) => ({
  name: `RPC mode ends by ${signal} with ${JSON.stringify(exit)}`,
  replies: busy,
  steps: [started, prompt, { waitRequests: 1 }, { signal }, { waitExit: exit }],
});

const onTerminal = (signal, code, settings) => ({
  name: `terminal mode ends by ${signal} with ${code}`,
  mode: "tui",
  steps: [{ screen: "scripted-model" }, { sleep: 500 }, { signal }, { waitExit: { code } }],
  asserts: [{ lineSettingsAfterExit: settings }],
});

export default [
  onPipes("SIGTERM", { code: 143 }),
  onPipes("SIGHUP", { code: 129 }),
  onPipes("SIGINT", { signal: "SIGINT" }),
  onPipes("SIGKILL", { signal: "SIGKILL" }),
  {
    name: "RPC mode ends with 0 when stdin ends",
    steps: [started, { closeStdin: true }, { waitExit: { code: 0 } }],
  },
  onTerminal("SIGTERM", 0, { icanon: true, echo: true }),
  onTerminal("SIGHUP", 0, { icanon: true, echo: true }),
  onTerminal("SIGKILL", 137, { icanon: false, echo: false, isig: false }),
  onTerminal("SIGINT", 130, { icanon: false, echo: false, isig: false }),
  {
    name: "a kill leaves the alternate screen and the mouse on",
    since: "1.0.0",
    mode: "tui",
    steps: [{ screen: "scripted-model" }, { sleep: 500 }, { signal: "SIGKILL" }, { waitExit: true }, { modes: { alternate: 1, cursor: 0, mouse: 1 } }],
    asserts: [{ raw: "\\x1b\\[\\?1049h" }, { noRaw: "\\x1b\\[\\?1049l" }],
  },
  {
    name: "Ctrl+Z stops Pi and fg brings it back",
    mode: "tui",
    jobControl: true,
    replies: [{ text: "still here" }],
    steps: [
      { screen: "scripted-model" },
      { sleep: 500 },
      { key: "C-z" },
      { screen: "Stopped" },
      { lineSettings: { isig: true } },
      { type: "fg" },
      { key: "Enter" },
      { screen: "scripted-model" },
      { sleep: 500 },
      { submit: "hello" },
      { screen: "still here" },
      { sleep: 300 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 1 }],
  },
];
