// A fresh context in the same session: compaction drafts at a boundary, and the older ways.
const base = {
  extensions: [new URL("extensions/restart-context.ts", import.meta.url).pathname],
  files: { "a.txt": "CONTENT-A" },
  replies: [
    { name: "no prefix", text: "no prefix here", tools: [{ name: "read", args: { path: "a.txt" } }] },
    { name: "tries a tool", when: { any: "HAND OVER NOW" }, text: "chirp: let me look", tools: [{ name: "bash", args: { command: "touch SHOULD_NOT_EXIST" } }] },
    { name: "handover", when: { any: "handover only" }, text: "chirp: # Handover\nDo the rest." },
    { name: "summary", when: { last: "SUMMARISE THIS", noTools: true }, text: "SUMMARY-TEXT of history", usage: { input: 777, output: 33 } },
    { name: "restarted", when: { any: "Resume from this handover" }, text: "chirp: finished" },
  ],
  steps: [
    { rpc: { type: "prompt", message: "read a.txt" } },
    { waitRequests: 5 },
    { sleep: 700 },
    { closeStdin: true },
    { waitExit: { code: 0 } },
  ],
  asserts: [
    { requests: 5 },
    { request: 3, tools: false },
    { request: 4, all: "SUMMARY-TEXT", noAll: "CONTENT-A" },
    { session: { type: "compaction", summary: "/SUMMARY-TEXT/" }, count: 1 },
    { file: "${project}/SHOULD_NOT_EXIST", absent: true },
  ],
};

export default [
  { ...base, name: "compaction and continuation in one boundary, RPC mode", since: "0.87.0" },
  {
    ...base,
    name: "compaction and continuation in one boundary, print mode",
    since: "0.87.0",
    mode: "print",
    firstArgs: ["read a.txt"],
    steps: [{ waitExit: { code: 0 } }],
  },
];
