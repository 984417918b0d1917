// What the project's memory says arrives when the agent touches what it is about.
import { readFileSync } from "node:fs";
import { newestBuild } from "../lib/built.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const settled = { wait: { type: "agent_settled" } };
const end = [{ sleep: 800 }, { closeStdin: true }, { waitExit: { code: 0 } }];

const article = (capsule, more = "") => `---\ncapsule: ${capsule}\nupdated: 2026-11-30\n${more}---\nThe whole truth about it stands in this body of the article.\n`;
const files = {
  "src/config.ts": "export const layered = true;\n",
  "lib/feed.ts": "export const pages = 5;\n",
  ".canon/articles/src/config.md": article("CONFIG-LINE env beats file."),
  ".canon/articles/lib/feed.md": article("FEED-LINE five pages a minute."),
  ".canon/articles/money.md": article("MONEY-LINE currency is counted in integer cents.", "scope: rule\n"),
};

const call = (name, args) => ({ name, args });
const read = (path) => call("read", { path });
const uses = (...tools) => ({ tools });
const edit = (from, to) => call("edit", { path: "src/config.ts", edits: [{ oldText: from, newText: to }] });
const canon = (args) => call("canon", args);
const reminder = "Touched but not updated: src/config";

const messagesOf = (run) => run.session().filter((entry) => entry.type === "custom_message" && entry.customType === "resilient-canon");
const sent = (count) => (run) => {
  const all = messagesOf(run);
  if (all.some(({ display }) => display !== false)) return "a message of canon's is displayed";
  return all.length === count ? undefined : `${all.length} messages of canon's, not ${count}: ${all.map(({ content }) => content).join(" // ")}`;
};
/** How often a text stands in a request. */
const times = (index, text, count) => ({ server }) => {
  const found = server.requests[index].view.all.split(text).length - 1;
  return found === count ? undefined : `request ${index} holds ${text} ${found} times, not ${count}`;
};

const sidecar = { extension: true, env: { PI_RESILIENT_PROGRAM: newestBuild("launcher/pi-resilient") ?? "" } };

const touched = {
  replies: [uses(read("src/config.ts")), uses(read("src/config.ts")), { text: "done" }],
  steps: [prompt("work"), settled, ...end],
  asserts: [
    { requests: 3 },
    { request: 0, noAll: "CONFIG-LINE" },
    { request: 1, all: "\\[canon\\].*src/config \\(updated 2026-11-30\\): CONFIG-LINE" },
    times(2, "CONFIG-LINE", 1),
    sent(1),
  ],
};

export default [
  { name: "a touch brings one message before the next request, and only one", smoke: true, launcher: true, files, ...touched },
  { name: "a touch brings one message, without a launcher", ...sidecar, files, ...touched },
  {
    name: "a session that touches nothing is told nothing",
    launcher: true,
    files,
    replies: [{ tools: [call("bash", { command: "true" })] }, { text: "done" }, { text: "again" }],
    steps: [prompt("work"), settled, prompt("more"), settled, ...end],
    asserts: [{ requests: 3 }, { request: 2, noAll: "\\[canon\\]" }, sent(0)],
  },
  {
    name: "parallel calls bring one message",
    launcher: true,
    files,
    replies: [uses(read("src/config.ts"), read("lib/feed.ts"), call("bash", { command: "cat lib/feed.ts" })), { text: "done" }],
    steps: [prompt("work"), settled, ...end],
    asserts: [{ requests: 2 }, { request: 1, all: "CONFIG-LINE.*FEED-LINE" }, sent(1)],
  },
  {
    name: "an article that the agent reads is not shown besides",
    launcher: true,
    files,
    replies: [uses(read("src/config.ts"), canon({ action: "read", path: "src/config" })), uses(read("src/config.ts")), { text: "done" }],
    steps: [prompt("work"), settled, ...end],
    asserts: [{ requests: 3 }, { request: 1, all: "CONFIG-LINE" }, sent(0)],
  },
  {
    name: "a change without an update is reminded of once, with the next prompt",
    launcher: true,
    files,
    replies: [uses(edit("true", "false")), { text: "done" }, { text: "second" }, { text: "third" }],
    steps: [prompt("work"), settled, { sleep: 500 }, prompt("more"), settled, { sleep: 500 }, prompt("and more"), settled, ...end],
    asserts: [{ requests: 4 }, { request: 1, all: "CONFIG-LINE", noAll: reminder }, { request: 2, all: reminder }, times(3, reminder, 1), sent(2)],
  },
  {
    name: "a change that failed and one that was written down are not reminded of",
    launcher: true,
    files,
    replies: [
      uses(edit("nowhere in it", "x")),
      { text: "failed" },
      uses(edit("true", "false")),
      uses(canon({ action: "write", path: "src/config", capsule: "CONFIG-NEW file beats env." })),
      { text: "done" },
      { text: "third" },
    ],
    steps: [prompt("work"), settled, { sleep: 500 }, prompt("more"), settled, { sleep: 500 }, prompt("and more"), settled, ...end],
    asserts: [{ requests: 6 }, { request: 2, noAll: reminder }, { request: 5, noAll: reminder }, sent(1)],
  },
  {
    name: "a goal's continuation carries the reminder",
    launcher: true,
    files,
    replies: [uses(edit("true", "false")), { text: "a part is done" }, uses(call("update_goal", { status: "complete" })), { text: "over" }],
    steps: [prompt("/goal build the OBJECTIVE"), { waitRequests: 4 }, ...end],
    asserts: [{ requests: 4 }, { request: 2, last: `OBJECTIVE.*${reminder}` }, times(2, reminder, 1), sent(1)],
  },
  {
    name: "after a compaction a fresh touch surfaces again, nothing else does",
    launcher: true,
    files,
    settings: { compaction: { keepRecentTokens: 1 } },
    replies: [
      uses(read("src/config.ts"), read("lib/feed.ts")),
      { text: "done" },
      { when: { any: "summar" }, repeat: 2, text: "SUMMED-UP" },
      uses(read("lib/feed.ts")),
      { text: "again" },
      { text: "again" },
    ],
    steps: [prompt("work"), settled, { rpc: { type: "compact" }, ms: 30_000 }, { sleep: 500 }, prompt("more"), settled, ...end],
    asserts: [
      (run) => (run.server.requests.some(({ view }) => JSON.stringify(view).includes("SUMMED-UP")) ? undefined : "nothing was compacted"),
      (run) => {
        const last = run.server.requests.at(-1).view.all;
        return last.includes("FEED-LINE") && !last.includes("CONFIG-LINE") ? undefined : `the last request is ${last}`;
      },
      sent(2),
    ],
  },
  {
    name: "a project that is not trusted surfaces nothing",
    launcher: true,
    files: { ...files, ".pi/settings.json": "{}" },
    replies: [uses(read("src/config.ts")), { text: "done" }],
    steps: [prompt("work"), settled, ...end],
    asserts: [{ requests: 2 }, { request: 1, noAll: "CONFIG-LINE" }, sent(0)],
  },
  {
    name: "surface: false in the user's settings turns it off",
    launcher: true,
    files,
    settings: { canon: { surface: false } },
    replies: [uses(edit("true", "false")), { text: "done" }, { text: "more" }],
    steps: [prompt("work"), settled, prompt("more"), settled, ...end],
    asserts: [{ requests: 3 }, { request: 2, noAll: "CONFIG-LINE|Touched but" }, sent(0)],
  },
  {
    name: "a store elsewhere and another project's store surface as a trusted project's settings name them",
    launcher: true,
    trust: true,
    files: {
      "src/config.ts": "export const layered = true;\n",
      "memory/articles/src/config.md": article("ELSEWHERE-LINE env beats file."),
      ".canon/articles/src/config.md": article("CONFIG-LINE is not the one."),
      "../lake/prices.csv": "1\n",
      "../lake/.canon/articles/prices.md": article("LAKE-LINE prices are in cents."),
      ".pi/settings.json": JSON.stringify({ canon: { root: "memory", mounts: ["../lake"] } }),
    },
    replies: [
      uses(read("src/config.ts"), read("../lake/prices.csv")),
      uses(call("bash", { command: "echo 2 > ../lake/prices.csv" })),
      { text: "done" },
      { text: "second" },
    ],
    steps: [prompt("work"), settled, { sleep: 500 }, prompt("more"), settled, ...end],
    asserts: [
      { requests: 4 },
      { request: 1, all: "src/config \\(updated 2026-11-30\\): ELSEWHERE-LINE.*lake:prices \\(updated 2026-11-30\\): LAKE-LINE", noAll: "CONFIG-LINE" },
      { request: 3, all: "Touched but not updated: lake:prices" },
      sent(2),
    ],
  },
  {
    name: "a rule comes by the words that ask for it, when retrieval is on",
    launcher: true,
    files,
    settings: { canon: { retrieval: "lexical" } },
    replies: [uses(call("bash", { command: "true" })), { text: "done" }],
    steps: [prompt("print the currency in cents"), settled, ...end],
    asserts: [{ requests: 2 }, { request: 1, all: "MONEY-LINE" }, sent(1)],
  },
  {
    name: "a rule comes by the words of a goal as well",
    launcher: true,
    files,
    settings: { canon: { retrieval: "lexical" } },
    replies: [uses(call("bash", { command: "true" })), uses(call("update_goal", { status: "complete" })), { text: "over" }],
    steps: [prompt("/goal print the currency in cents"), { waitRequests: 3 }, ...end],
    asserts: [{ requests: 3 }, { request: 1, all: "MONEY-LINE" }, sent(1)],
  },
  {
    name: "a retriever of one's own ranks; when it crashes only its ranking is lost",
    launcher: true,
    files: {
      ...files,
      "rank.mjs": `import { createInterface } from "node:readline";
        for await (const line of createInterface({ input: process.stdin })) {
          const { query, candidates } = JSON.parse(line);
          if (query.includes("crash")) process.exit(3);
          console.log(JSON.stringify({ scores: Object.fromEntries(candidates.map(({ key }) => [key, 0.9])) }));
        }`,
    },
    settings: { canon: { retrieval: { name: "mine", command: [process.execPath, "rank.mjs"] } } },
    replies: [uses(call("bash", { command: "true" }), read("src/config.ts")), uses(call("bash", { command: "echo next" })), { text: "done" }],
    steps: [prompt("please crash"), settled, ...end],
    asserts: [{ requests: 3 }, { request: 1, all: "CONFIG-LINE", noAll: "MONEY-LINE" }, sent(1)],
  },
  {
    name: "a retriever of one's own is asked",
    launcher: true,
    files: {
      ...files,
      "rank.mjs": `import { createInterface } from "node:readline";
        for await (const line of createInterface({ input: process.stdin })) {
          const { candidates } = JSON.parse(line);
          console.log(JSON.stringify({ scores: Object.fromEntries(candidates.map(({ key }) => [key, 0.9])) }));
        }`,
    },
    settings: { canon: { retrieval: { name: "mine", command: [process.execPath, "rank.mjs"] } } },
    replies: [uses(call("bash", { command: "true" })), uses(call("bash", { command: "echo next" })), uses(call("bash", { command: "echo last" })), { text: "done" }],
    steps: [prompt("go on"), settled, ...end],
    // A Node that starts slowly on a busy machine may miss the first question's deadline.
    asserts: [{ requests: 4 }, { request: 3, all: "MONEY-LINE" }, sent(1)],
  },
  {
    name: "a recovery of the canary is not disturbed, and what was touched comes after it",
    since: "0.87.0",
    launcher: true,
    files,
    replies: [
      { name: "miss", text: "no prefix here", ...uses(read("src/config.ts")) },
      { name: "handover", when: { any: "CANARY FAILED" }, text: "chirp: # Canary handover\nHANDOVER-CONTENT: do the rest." },
      { name: "summary", when: { noTools: true }, text: "SUMMARY-TEXT" },
      { name: "fresh", when: { any: "HANDOVER-CONTENT" }, text: "chirp: going on", ...uses(call("bash", { command: "true" })) },
      { text: "chirp: finished" },
    ],
    steps: [prompt("/canary chirp"), { sleep: 1500 }, prompt("work"), settled, ...end],
    asserts: [
      { requests: 5 },
      { request: 1, all: "CANARY FAILED", noAll: "\\[canon\\]" },
      { request: 3, all: "SUMMARY-TEXT.*HANDOVER-CONTENT", noAll: "\\[canon\\]" },
      { request: 4, all: "CONFIG-LINE" },
      sent(1),
    ],
  },
  {
    name: "the trace says what surfaced, and /canon how much",
    launcher: true,
    files,
    env: { CANON_TRACE: "${dir}/trace.jsonl" },
    replies: [uses(read("src/config.ts")), { text: "done" }],
    steps: [prompt("work"), settled, prompt("/canon"), ...end],
    asserts: [
      (run) => {
        const kinds = readFileSync(`${run.sandbox.dir}/trace.jsonl`, "utf8").trim().split("\n").map((line) => JSON.parse(line).kind);
        return kinds.join() === "staged,surfaced,flushed" ? undefined : `the trace holds ${kinds}`;
      },
      (run) => {
        const notice = run.events().filter(({ method }) => method === "notify").map(({ message }) => message).join("\n");
        return /Surfaced in this session: 1\. The model still has 1,/.test(notice) ? undefined : `/canon said: ${notice}`;
      },
    ],
  },
];
