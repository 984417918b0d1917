// What print mode does when it is started again on a session that has work left: only a prompt on its
// command line is sure to be answered.
const again = (name, { env = {}, firstArgs = [], requests }) => ({
  name,
  mode: "print",
  args: ["--session", "${dir}/s.jsonl"],
  extensions: [new URL("extensions/continue-at-start.ts", import.meta.url).pathname],
  firstArgs: ["one"],
  replies: [{ text: "A1" }, { text: "A2", delayMs: 100 }],
  steps: [
    { waitExit: { code: 0 } },
    (run) => Object.assign(run.sandbox.env, env),
    { start: { args: firstArgs } },
    { waitExit: { code: 0 } },
  ],
  asserts: [{ requests }],
});

export default [
  again("without a prompt it ends at once", { requests: 1 }),
  again("a prompt on the command line is answered", { firstArgs: ["CONTINUE"], requests: 2 }),
  again("a message sent in session_start is answered if session_start waits", { env: { CONTINUE: "yes", HOLD_MS: "2000" }, requests: 2 }),
  {
    ...again("a message sent in session_start is lost if session_start does not wait", { env: { CONTINUE: "yes" } }),
    // Pi may have sent the request already when it ends, but nothing of the answer is kept.
    asserts: [{ file: "${dir}/s.jsonl", has: "A1" }, ({ drivers }) => (drivers[1].stdout.includes("A2") ? "the answer was printed" : undefined)],
  },
];
