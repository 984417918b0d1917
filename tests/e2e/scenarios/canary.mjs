// An agent that forgets the prefix in the middle of its work hands over to a fresh context.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newestBuild } from "../lib/built.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const settled = { wait: { type: "agent_settled" } };
const end = [{ sleep: 500 }, { closeStdin: true }, { waitExit: { code: 0 } }];
const turnOn = [prompt("/canary chirp"), { sleep: 1500 }];
const phase = (name) => ({ runtime: { canary: { phase: name } } });

const miss = (file = "CALL1") => ({ name: "miss", text: "no prefix here", tools: [{ name: "bash", args: { command: `touch ${file}` } }] });
const handover = { name: "handover", when: { any: "CANARY FAILED" }, text: "chirp: # Canary handover\nHANDOVER-CONTENT: do the rest." };
const summary = { name: "summary", when: { noTools: true }, text: "SUMMARY-TEXT", usage: { input: 777, output: 33 } };
const fresh = { name: "fresh", when: { any: "HANDOVER-CONTENT" }, text: "chirp: finished" };
const badHandover = { name: "bad handover", when: { any: "CANARY FAILED" }, text: "chirp: all is well" };

const notices = (run) => run.events().filter(({ method }) => method === "notify").map(({ message }) => message).join("\n");
const says = (text) => (run) => (new RegExp(text).test(notices(run)) ? undefined : `no notice says ${text}; there are: ${notices(run)}`);
const saysNot = (text) => (run) => (new RegExp(text).test(notices(run)) ? `a notice says ${text}` : undefined);
const record = (data, count) => ({ session: { type: "custom", customType: "resilient-canary", data }, ...(count === undefined ? {} : { count }) });
const noCompaction = { session: { type: "compaction" }, count: 0 };
const paused = [record({ phase: "paused" }), says("Canary recovery paused"), noCompaction];

const recovered = [
  { requests: 4 },
  { request: 0, system: "chirp: " },
  { request: 1, all: "CANARY FAILED" },
  { request: 2, tools: false },
  { request: 3, all: "SUMMARY-TEXT.*HANDOVER-CONTENT", noAll: "read-the-plan|no prefix here|CANARY FAILED", messages: 2 },
  { session: { type: "compaction", summary: "SUMMARY-TEXT", usage: { input: 777, output: 33 } }, count: 1 },
  { session: { type: "custom_message", customType: "resilient-canary-restart" }, count: 1 },
  record({ phase: "restarted" }, 1),
  { sessions: 1 },
  { file: "${project}/CALL1" },
];

export default [
  {
    name: "/canary WORD is in force at once, and only the settings' value changes",
    smoke: true,
    launcher: true,
    settings: { theme: "dark" },
    replies: [{ text: "chirp: one" }, { text: "Bird: two" }],
    steps: [...turnOn, prompt("first"), settled, prompt("/canary Bird"), { sleep: 1500 }, prompt("second"), settled, ...end],
    asserts: [
      { request: 0, system: "chirp: " },
      { request: 1, system: "Bird: ", noSystem: "chirp: " },
      { file: "${agent}/settings.json", has: '"canary": "Bird"' },
      { file: "${agent}/settings.json", has: '"theme": "dark"' },
      saysNot("did not begin"),
    ],
  },
  {
    name: "a miss on the final message warns only",
    launcher: true,
    replies: [{ text: "forgotten" }, { text: "chirp: two" }],
    steps: [...turnOn, prompt("first"), settled, { sleep: 1500 }, prompt("second"), settled, ...end],
    asserts: [{ requests: 2 }, says("final message did not begin"), noCompaction, record({ phase: "watching" })],
  },
  {
    name: "a miss in the middle of a run is repaired, RPC mode",
    smoke: true,
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, summary, fresh],
    steps: [...turnOn, prompt("read-the-plan"), settled, ...end],
    asserts: [...recovered, says("Tools are blocked"), says("may be charged"), says("fresh context")],
  },
  {
    name: "a miss in the middle of a run is repaired, without a launcher",
    since: "0.87.0",
    extension: true,
    env: { PI_RESILIENT_PROGRAM: newestBuild("launcher/pi-resilient") ?? "" },
    replies: [miss(), handover, summary, fresh],
    steps: [...turnOn, prompt("read-the-plan"), settled, ...end],
    asserts: recovered,
  },
  {
    name: "a miss in the middle of a run is repaired, print mode",
    since: "0.87.0",
    mode: "print",
    launcher: true,
    args: ["--session", "${dir}/sessions/s.jsonl"],
    firstArgs: ["/canary chirp"],
    replies: [miss(), handover, summary, fresh],
    steps: [{ waitExit: { code: 0 } }, { start: { args: ["read-the-plan"] } }, { waitExit: { code: 0 }, ms: 90_000 }],
    asserts: [...recovered, { stdout: "chirp: finished" }, { stderr: "Tools are blocked" }],
  },
  {
    name: "tools are blocked until the handover is there",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), { when: { any: "CANARY FAILED" }, text: "chirp: once more", tools: [{ name: "bash", args: { command: "touch CALL2" } }] }, handover, summary, fresh],
    steps: [...turnOn, prompt("read-the-plan"), settled, ...end],
    asserts: [{ requests: 5 }, { request: 2, all: "Tools are blocked" }, { file: "${project}/CALL1" }, { file: "${project}/CALL2", absent: true }],
  },
  {
    name: "two responses that are no handover pause it",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), badHandover, badHandover, { text: "chirp: never" }],
    steps: [...turnOn, prompt("read-the-plan"), settled, { sleep: 1500 }, ...end],
    asserts: [{ requests: 3 }, ...paused],
  },
  {
    name: "a second miss in the middle of the run stops it",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, summary, miss("CALL2"), { text: "chirp: never" }],
    steps: [...turnOn, prompt("read-the-plan"), settled, { sleep: 1500 }, ...end],
    asserts: [{ requests: 4 }, record({ phase: "paused" }), says("run was stopped"), { session: { type: "compaction" }, count: 1 }],
  },
  ...Object.entries({
    "fails": { error: { status: 400, body: { error: { message: "no" } } } },
    "is empty": { text: "  " },
    "is cut off": { text: "half", finish: "length" },
  }).map(([how, reply]) => ({
    name: `a summary that ${how} pauses it and discards nothing`,
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, { ...summary, text: undefined, ...reply }, { text: "chirp: never" }],
    steps: [...turnOn, prompt("read-the-plan"), settled, { sleep: 1500 }, ...end],
    asserts: [{ requests: 3 }, ...paused],
  })),
  {
    name: "a person's message during the handover goes first",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), { ...badHandover, delayMs: 3000 }, { text: "chirp: as you say" }],
    steps: [
      ...turnOn,
      prompt("read-the-plan"),
      { waitRequests: 2 },
      { rpc: { type: "prompt", message: "STOP-AND-DO-THIS", streamingBehavior: "steer" } },
      settled,
      ...end,
    ],
    asserts: [{ requests: 3 }, { request: 2, all: "STOP-AND-DO-THIS" }, says("your message goes first"), noCompaction, record({ phase: "watching" })],
  },
  {
    name: "a person's message during the summary cancels it",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, { ...summary, delayMs: 20_000 }, { text: "chirp: as you say" }],
    steps: [
      ...turnOn,
      prompt("read-the-plan"),
      { waitRequests: 3 },
      { rpc: { type: "prompt", message: "STOP-AND-DO-THIS", streamingBehavior: "steer" } },
      { waitRequests: 4, ms: 15_000 },
      settled,
      ...end,
    ],
    asserts: [{ requests: 4 }, { request: 3, all: "STOP-AND-DO-THIS" }, noCompaction, record({ phase: "watching" })],
  },
  {
    name: "a kill during the handover: it is asked for once more and the agent goes on",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), { ...handover, stallAfter: 2 }, handover, summary, fresh],
    steps: [...turnOn, prompt("read-the-plan"), { waitRequests: 2 }, { sleep: 500 }, { signal: "SIGKILL", to: "pi" }, { newPi: true }, { waitRequests: 5 }, { sleep: 1500 }, ...end],
    asserts: [{ requests: 5 }, { request: 2, all: "Pi ended while" }, { request: 4, noAll: "read-the-plan" }, { sessions: 1 }],
  },
  {
    name: "a kill during the summary pauses it, and no second one is made",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, { ...summary, hang: true }, { text: "chirp: never" }],
    steps: [...turnOn, prompt("read-the-plan"), { waitRequests: 3 }, { sleep: 500 }, { signal: "SIGKILL", to: "pi" }, { newPi: true }, phase("paused"), { sleep: 2000 }, ...end],
    asserts: [{ requests: 3 }, ...paused],
  },
  {
    name: "a goal goes on in the fresh context, and the handover names it",
    since: "0.87.0",
    launcher: true,
    replies: [
      miss(),
      handover,
      summary,
      fresh,
      { text: "chirp: complete", tools: [{ name: "update_goal", args: { status: "complete" } }] },
      { text: "chirp: done" },
    ],
    steps: [...turnOn, prompt("/goal build the OBJECTIVE"), { waitRequests: 6 }, { sleep: 1500 }, ...end],
    asserts: [{ requests: 6 }, { request: 1, all: "CANARY FAILED.*OBJECTIVE" }, { request: 4, last: "OBJECTIVE", all: "SUMMARY-TEXT" }],
  },
  {
    name: "a goal pauses with the recovery",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), badHandover, badHandover, { text: "chirp: never" }],
    steps: [...turnOn, prompt("/goal build the OBJECTIVE"), { waitRequests: 3 }, { runtime: { goal: { state: "paused", pause_reason: "canary" } } }, { sleep: 3000 }, ...end],
    asserts: [{ requests: 3 }, ...paused],
  },
  {
    name: "a Pi without boundary drafts warns and pauses the goal, and runs on",
    until: "0.87.0",
    launcher: true,
    replies: [miss(), { text: "chirp: went on" }, { text: "chirp: never" }],
    steps: [...turnOn, prompt("/goal build the OBJECTIVE"), { waitRequests: 2 }, { runtime: { goal: { state: "paused", pause_reason: "canary" } } }, { sleep: 3000 }, ...end],
    asserts: [{ requests: 2 }, { request: 0, system: "chirp: " }, says("recovery needs Pi 0.87"), noCompaction],
  },
  {
    name: "a settings file that is broken is left as it is, and the mode off",
    launcher: true,
    replies: [{ text: "anything" }],
    steps: [
      { write: { file: "${agent}/settings.json", text: '{"theme": ' } },
      ...turnOn,
      (run) => {
        const text = readFileSync(join(run.sandbox.agent, "settings.json"), "utf8");
        if (text !== '{"theme": ') run.fail(`the settings are now ${text}`);
      },
      prompt("first"),
      settled,
      ...end,
    ],
    asserts: [{ request: 0, noSystem: "chirp: " }, says("mode was not changed")],
  },
];
