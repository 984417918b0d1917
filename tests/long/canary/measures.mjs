// Runs each case without pi-resilient and with it, and prints what differs as the table of core/canary/MEASURED.md.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newestBuild } from "../../e2e/lib/built.mjs";
import { badHandover, fresh, handover, prompt, settled, summary, turnOn } from "../../e2e/lib/canary-words.mjs";
import { findNode, resolvePi } from "../../e2e/lib/pi.mjs";
import { runScenario } from "../../e2e/lib/scenario.mjs";

const version = "1.6.0";
/** One step of work: 20 kB of output and a trace in the project. */
const work = (text) => ({ text, tools: [{ name: "bash", args: { command: "echo x >> work; seq 1 4000" } }] });
const drifted = (count) => Array.from({ length: count }, () => work("I just go on"));
const steady = (count) => Array.from({ length: count }, (_, index) => work(`chirp: step ${index + 1}`));
const handed = { when: { any: "CANARY FAILED" } };
const blockedWork = { ...handed, ...work("chirp: one more thing first") };

const cases = [
  {
    rule: "a miss in the middle of a run ends the drifted work",
    replies: [...steady(3), work("forgotten"), handover, summary, ...drifted(0), fresh],
    before: [...steady(3), work("forgotten"), ...drifted(5), { text: "done, somehow" }],
  },
  {
    rule: "tools are blocked until the handover is there",
    replies: [work("forgotten"), blockedWork, handover, summary, fresh],
    before: [work("forgotten"), work("I go on"), { text: "done, somehow" }],
  },
  {
    rule: "a miss on the final message costs nothing",
    replies: [work("chirp: step 1"), { text: "forgotten, but done" }],
  },
  {
    rule: "two answers that are no handover end it",
    replies: [work("forgotten"), badHandover, badHandover, ...drifted(6)],
    before: [work("forgotten"), ...drifted(6), { text: "done, somehow" }],
  },
  {
    rule: "a model that always forgets is restarted once",
    replies: [work("forgotten"), handover, summary, ...drifted(8)],
    before: [work("forgotten"), ...drifted(8), { text: "done, somehow" }],
  },
  {
    rule: "a summary that fails discards nothing",
    replies: [work("forgotten"), handover, { name: "no summary", when: { noTools: true }, error: { status: 400, body: { error: { message: "no" } } } }, ...drifted(3)],
    before: [work("forgotten"), ...drifted(3), { text: "done, somehow" }],
  },
];

const isMiss = ({ text }) => text !== undefined && text !== "" && !text.startsWith("chirp: ");
const sizeOf = (request) => JSON.stringify(request.body?.messages ?? request.body?.input ?? request.body).length;

async function measure(replies, withUs, options) {
  let found;
  const scenario = {
    name: withUs ? "with" : "without",
    replies: replies.map((reply) => ({ ...reply, ...(withUs ? {} : { when: undefined }) })),
    ...(withUs ? { launcher: true } : {}),
    allowUnmatched: true,
    steps: [...(withUs ? turnOn : []), prompt("read-the-plan"), settled, { sleep: 2000 }, { closeStdin: true }, { waitExit: { code: 0 } }],
    asserts: [
      (run) => {
        const missed = replies.findIndex(isMiss);
        const afterMiss = run.server.requests.slice(missed + 1);
        const lines = (() => {
          try {
            return readFileSync(join(run.sandbox.project, "work"), "utf8").split("\n").length - 1;
          } catch {
            return 0;
          }
        })();
        const done = replies.slice(0, missed + 1).filter(({ tools }) => tools).length;
        found = {
          requests: run.server.requests.length,
          "work after the miss": lines - done,
          "kB of the last request": afterMiss.length ? Math.round(sizeOf(afterMiss.at(-1)) / 1000) : 0,
          compactions: run.session().filter(({ type }) => type === "compaction").length,
        };
      },
    ],
  };
  const { failures, report } = await runScenario(scenario, options);
  if (failures.length) throw new Error(`${failures.join("\n")}\n${report}`);
  return found;
}

const root = mkdtempSync(join(tmpdir(), "canary-measures-"));
const options = { root, node: findNode(), pi: resolvePi(version), launcher: newestBuild("launcher/pi-resilient"), extension: new URL("../../../deploy/pi", import.meta.url).pathname };
console.log(`Pi ${version}; each cell: without pi-resilient → with it\n`);
let columns;
for (const { rule, replies, before = replies } of cases) {
  const without = await measure(before, false, options);
  const withUs = await measure(replies, true, options);
  if (!columns) {
    columns = Object.keys(without);
    console.log(`| rule | ${columns.join(" | ")} |\n|---|${columns.map(() => "---|").join("")}`);
  }
  console.log(`| ${rule} | ${columns.map((name) => `${without[name]} → ${withUs[name]}`).join(" | ")} |`);
}
rmSync(root, { recursive: true, force: true });
