// Every mode works offline, against the model server: the ground that all other scenarios stand on.
export default [
  {
    name: "print mode answers a prompt",
    smoke: true,
    mode: "print",
    firstArgs: ["say hi"],
    replies: [{ text: "Hello from the script" }],
    asserts: [
      { stdout: "Hello from the script" },
      { requests: 1 },
      { sessions: 1 },
      { session: { type: "message", message: { role: "assistant", stopReason: "stop" } }, count: 1 },
    ],
  },
  {
    name: "JSON mode reports events",
    mode: "json",
    firstArgs: ["say hi"],
    replies: [{ text: "Hello" }],
    asserts: [{ event: { type: "agent_settled" }, count: 1 }, { requests: 1 }],
  },
  {
    name: "RPC mode runs a tool",
    smoke: true,
    files: { "a.txt": "CONTENT-A" },
    replies: [{ tools: [{ name: "read", args: { path: "a.txt" } }] }, { when: { any: "CONTENT-A" }, text: "read it" }],
    steps: [
      { rpc: { type: "prompt", message: "read a.txt" }, expect: { success: true } },
      { wait: { type: "agent_settled" } },
      { rpc: { type: "get_state" }, expect: { success: true } },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 2 }, { request: 1, last: "CONTENT-A" }, { session: { message: { role: "toolResult" } }, count: 1 }],
  },
  {
    name: "the terminal mode answers a prompt and ends on /quit",
    smoke: true,
    mode: "tui",
    replies: [{ text: "Hello terminal" }],
    steps: [
      { screen: "scripted-model" },
      { submit: "hi there" },
      { screen: "Hello terminal" },
      { sleep: 300 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 1 }, { raw: "\\x1b\\[\\?2004h" }, { lineSettingsAfterExit: { icanon: true, echo: true, isig: true } }],
  },
  ...["openai-responses", "openai-codex-responses", "anthropic-messages"].map((api) => ({
    name: `${api} streams text, thinking and tool calls`,
    mode: "print",
    api,
    firstArgs: ["read a.txt"],
    files: { "a.txt": "CONTENT-A" },
    replies: [
      { text: "looking", thinking: "hmm", tools: [{ name: "read", args: { path: "a.txt" } }] },
      { when: { any: "CONTENT-A" }, text: "all read" },
    ],
    asserts: [{ requests: 2 }, { stdout: "all read" }, { session: { message: { role: "toolResult", isError: false } }, count: 1 }],
  })),
];
