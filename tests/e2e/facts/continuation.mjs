// Which way of continuing after a finished answer works, by mode and version.
const extensions = [new URL("extensions/continuation.ts", import.meta.url).pathname];
const answers = [{ text: "first" }, { text: "second" }, { text: "third" }];
const errorFirst = [{ error: { status: 400, body: { error: { message: "bad" } } } }, ...answers.slice(1)];
const withBoundaries = { since: "0.87.0" };
const withoutBoundaries = { until: "0.87.0" };

function rpc(way, { replies = answers, ...rest } = {}) {
  return {
    name: `${way}, RPC mode${replies === errorFirst ? ", after an error" : ""}`,
    extensions,
    env: { CONTINUE_BY: way },
    replies,
    steps: [
      { rpc: { type: "prompt", message: "start" } },
      { waitRequests: 3 },
      { wait: { type: "agent_settled" } },
      { sleep: 300 },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 3 }, { request: 2, last: "CONTINUE-2" }],
    ...rest,
  };
}

function print(way, { replies = answers, ...rest } = {}) {
  return {
    name: `${way}, print mode${replies === errorFirst ? ", after an error" : ""}`,
    mode: "print",
    extensions,
    env: { CONTINUE_BY: way },
    firstArgs: ["start"],
    replies,
    steps: [{ waitExit: { code: 0 } }],
    asserts: [{ requests: 3 }, { stdout: "third" }],
    ...rest,
  };
}

export default [
  rpc("boundary entry", withBoundaries),
  print("boundary entry", withBoundaries),
  rpc("boundary entry", { replies: errorFirst, ...withBoundaries }),
  print("boundary entry", { replies: errorFirst, ...withBoundaries }),
  rpc("user message when settled"),
  rpc("user message when settled", { replies: errorFirst }),
  print("user message when settled", withBoundaries),
  print("user message when settled", {
    ...withoutBoundaries,
    name: "user message when settled, print mode: lost before 0.87",
    asserts: [{ requests: 1 }],
  }),
  rpc("follow-up when the agent ends", withoutBoundaries),
  print("follow-up when the agent ends", withoutBoundaries),
  print("follow-up when the agent ends", { replies: errorFirst, ...withoutBoundaries }),
];
