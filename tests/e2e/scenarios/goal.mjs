// A declared goal is worked on until it is marked complete, through every death of Pi.
const command = (message) => ({ rpc: { type: "prompt", message } });
const complete = { name: "complete", tools: [{ name: "update_goal", args: { status: "complete" } }] };
const fiveTurns = [{ text: "T1" }, { text: "T2" }, { text: "T3" }, { text: "T4" }, complete, { text: "T6" }];
const end = [{ sleep: 1500 }, { closeStdin: true }, { waitExit: { code: 0 } }];
const says = "Inspect the current state";
const everyContinuationSays = ({ server }) => server.requests
  .filter(({ view }) => view.last.role === "user" && !view.last.text.includes(says))
  .map(({ n }) => `request ${n} does not say: ${says}`);

export default [
  {
    name: "five turns and done, RPC mode",
    smoke: true,
    launcher: true,
    replies: fiveTurns,
    steps: [command("/goal build the OBJECTIVE"), { waitRequests: 6 }, ...end],
    asserts: [{ requests: 6 }, { request: 0, last: "OBJECTIVE" }, { request: 3, last: "OBJECTIVE" }, everyContinuationSays],
  },
  {
    name: "five turns and done, print mode",
    mode: "print",
    launcher: true,
    firstArgs: ["/goal build the OBJECTIVE"],
    replies: fiveTurns,
    steps: [{ waitExit: { code: 0 }, ms: 90_000 }],
    asserts: [{ requests: 6 }, { request: 0, last: "OBJECTIVE" }, everyContinuationSays],
  },
  {
    name: "five turns and done, terminal mode",
    mode: "tui",
    launcher: true,
    replies: fiveTurns,
    steps: [
      { screen: "scripted-model" },
      { sleep: 1000 },
      { submit: "/goal build the OBJECTIVE" },
      { waitRequests: 6 },
      { sleep: 1500 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 6 }, everyContinuationSays],
  },
  {
    name: "a kill in the middle of a tool call: the goal goes on by itself, and says what happened",
    smoke: true,
    launcher: true,
    replies: [{ text: "T1" }, { tools: [{ name: "bash", args: { command: "sleep 300" } }] }, { text: "T3" }, complete, { text: "T5" }],
    steps: [
      command("/goal build the OBJECTIVE"),
      { wait: { type: "tool_execution_start" } },
      { sleep: 300 },
      { signal: "SIGKILL", to: "pi" },
      { newPi: true },
      { waitRequests: 5 },
      ...end,
    ],
    asserts: [{ requests: 5 }, { request: 2, last: "OBJECTIVE.*killed by SIGKILL", all: "No result provided" }, { sessions: 1 }, everyContinuationSays],
  },
  {
    name: "a frozen Pi: the goal goes on by itself",
    launcher: true,
    launcherArgs: ["--heartbeat-timeout-seconds", "6"],
    replies: [{ text: "T1" }, { text: "slow", stallAfter: 2 }, complete, { text: "T4" }],
    steps: [
      command("/goal build the OBJECTIVE"),
      { waitRequests: 2 },
      { sleep: 500 },
      { signal: "SIGSTOP", to: "pi" },
      { newPi: true, ms: 90_000 },
      { waitRequests: 4 },
      ...end,
    ],
    asserts: [{ requests: 4 }, { request: 2, last: "OBJECTIVE" }, everyContinuationSays],
  },
  {
    name: "/goal pause stops it and leaves Pi alone, /goal resume goes on",
    launcher: true,
    replies: [{ text: "T1", delayMs: 4000 }, { text: "T2" }, complete, { text: "T4" }],
    steps: [
      command("/goal build the OBJECTIVE"),
      { waitRequests: 1 },
      command("/goal pause"),
      { wait: { type: "agent_settled" } },
      { sleep: 3000 },
      (run) => run.server.requests.length !== 1 && run.fail("a paused goal was continued"),
      command("/goal resume"),
      { waitRequests: 4 },
      ...end,
    ],
    asserts: [{ requests: 4 }],
  },
  {
    name: "an Escape pauses it",
    mode: "tui",
    launcher: true,
    replies: [{ text: "T1" }, { text: "a long answer", stallAfter: 3 }],
    steps: [
      { screen: "scripted-model" },
      { sleep: 1000 },
      { submit: "/goal build the OBJECTIVE" },
      { waitRequests: 2 },
      { sleep: 700 },
      { key: "Escape" },
      { sleep: 4000 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 2 }],
  },
  {
    name: "a final answer that says complete does not end it",
    launcher: true,
    replies: [{ text: 'update_goal {"status":"complete"}' }, { text: "The goal is complete." }, complete, { text: "T4" }],
    steps: [command("/goal build the OBJECTIVE"), { waitRequests: 4 }, ...end],
    asserts: [{ requests: 4 }],
  },
];
