// Pinning a session file, and what a crash leaves behind.
import { appendFileSync, writeFileSync } from "node:fs";

const args = ["--session", "${dir}/s.jsonl"];
const file = (run) => `${run.sandbox.dir}/s.jsonl`;
const say = (message) => [{ rpc: { type: "prompt", message } }, { wait: { type: "agent_settled" } }];
const kill = [{ signal: "SIGKILL" }, { waitExit: true }];
const end = [{ closeStdin: true }, { waitExit: { code: 0 } }];
const tornLine = '{"type":"message","id":"torn0001","parentId":"x","mess';

function tornTail(name, rest, { mended }) {
  const tear = (run) => appendFileSync(file(run), tornLine + (mended ? "\n" : ""));
  return {
    name,
    args,
    replies: [{ text: "A1" }, { text: "A2" }, { text: "A3" }],
    steps: [...say("one"), ...kill, tear, { start: {} }, ...say("two"), ...kill, { start: {} }, ...say("three"), ...end],
    ...rest,
  };
}

export default [
  {
    name: "--session creates the file that it names",
    mode: "print",
    args,
    firstArgs: ["one"],
    replies: [{ text: "A1" }],
    asserts: [{ file: "${dir}/s.jsonl", has: "A1" }],
  },
  {
    name: "a file that exists and is empty holds the first prompt at once",
    args,
    autoStart: false,
    replies: [{ hang: true }],
    steps: [
      (run) => writeFileSync(file(run), ""),
      { start: {} },
      { rpc: { type: "prompt", message: "PROMPT-ONE" } },
      { waitRequests: 1 },
      { sleep: 300 },
      ...kill,
    ],
    asserts: [{ file: "${dir}/s.jsonl", has: "PROMPT-ONE" }],
  },
  {
    name: "a tool call without a result gets one after a restart",
    args,
    replies: [{ text: "x", tools: [{ name: "bash", args: { command: "sleep 30" } }] }, { text: "RESUMED" }],
    steps: [
      { rpc: { type: "prompt", message: "one" } },
      { wait: { type: "tool_execution_start" } },
      { sleep: 300 },
      ...kill,
      { start: {} },
      ...say("two"),
      ...end,
    ],
    asserts: [{ request: 1, all: "No result provided" }],
  },
  tornTail("a torn last line is mended by a newer Pi", { since: "0.84.0", asserts: [{ request: 2, all: "one.*A1.*two.*A2" }] }, { mended: false }),
  tornTail("a torn last line loses the history in an older Pi", { until: "0.84.0", asserts: [{ request: 2, noAll: "A1" }] }, { mended: false }),
  tornTail("a torn last line does no harm once it has its newline", { asserts: [{ request: 2, all: "one.*A1.*two.*A2" }] }, { mended: true }),
];
