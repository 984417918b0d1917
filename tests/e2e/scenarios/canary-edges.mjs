// A recovery that is interrupted at each of its steps: by a person, by a kill, by another extension, by the tree.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  badHandover, end, fresh, handover, miss, noCompaction, paused, phase, prompt, record, says, saysNot, settled, summary, turnOn,
} from "../lib/canary-words.mjs";

const abort = { rpc: { type: "abort" } };
const begin = [...turnOn, prompt("read-the-plan")];
const extension = (name) => new URL(`extensions/${name}`, import.meta.url).pathname;
const instead = { text: "chirp: as you say" };
/** What a person says next is answered, and the recovery is over. */
const goOn = (requests) => [prompt("do-it-yourself"), { waitRequests: requests }, settled, ...end];
const complete = { text: "chirp: complete", tools: [{ name: "update_goal", args: { status: "complete" } }] };

export default [
  {
    name: "an abort of the handover pauses the recovery, and the next message ends it",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), { ...handover, delayMs: 20_000 }, instead],
    steps: [...begin, { waitRequests: 2 }, { sleep: 300 }, abort, phase("paused"), ...goOn(3)],
    asserts: [{ requests: 3 }, { request: 2, last: "do-it-yourself" }, says("Canary recovery paused"), noCompaction, record({ phase: "watching" })],
  },
  {
    name: "an abort of the summary pauses the recovery and discards nothing",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, { ...summary, delayMs: 20_000 }, instead],
    steps: [...begin, { waitRequests: 3 }, { sleep: 300 }, abort, phase("paused"), ...goOn(4)],
    asserts: [
      { requests: 4 },
      { request: 3, last: "do-it-yourself", all: "read-the-plan.*HANDOVER-CONTENT" },
      says("Canary recovery paused"),
      noCompaction,
      record({ phase: "watching" }),
    ],
  },
  {
    name: "an abort in the fresh context ends the run, not the fresh context",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, summary, { ...fresh, delayMs: 20_000 }, instead],
    steps: [...begin, { waitRequests: 4 }, { sleep: 300 }, abort, settled, { sleep: 1500 }, ...goOn(5)],
    asserts: [
      { requests: 5 },
      { request: 4, last: "do-it-yourself", all: "SUMMARY-TEXT.*HANDOVER-CONTENT", noAll: "read-the-plan" },
      { session: { type: "compaction" }, count: 1 },
      record({ phase: "watching" }),
    ],
  },
  {
    name: "Escape in the terminal pauses a recovery that waits for its handover",
    since: "0.87.0",
    launcher: true,
    mode: "tui",
    replies: [miss(), { ...handover, delayMs: 20_000 }, { text: "chirp: never" }],
    steps: [
      { screen: "scripted-model" },
      { sleep: 1500 },
      { submit: "/canary chirp" },
      { runtime: { canary: { mode: "on" } } },
      { sleep: 1500 },
      { submit: "read-the-plan" },
      { waitRequests: 2 },
      { sleep: 500 },
      { key: "Escape" },
      phase("paused"),
      { sleep: 1500 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 2 }, noCompaction, record({ phase: "paused" })],
  },
  {
    name: "a miss on the final message after the restart only warns",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, summary, { ...fresh, text: "finished, and forgotten" }],
    steps: [...begin, settled, { sleep: 1500 }, ...end],
    asserts: [{ requests: 4 }, says("final message did not begin"), saysNot("run was stopped"), { session: { type: "compaction" }, count: 1 }],
  },
  {
    name: "a provider that always misses is asked a bounded number of times",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, summary, miss("CALL2"), ...Array.from({ length: 6 }, () => miss("CALL3"))],
    steps: [...begin, settled, { sleep: 4000 }, ...end],
    asserts: [{ requests: 4 }, record({ phase: "paused" }), { file: "${project}/CALL3", absent: true }],
  },
  {
    name: "a kill in the fresh context: the goal goes on there, and no second summary is made",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, summary, { ...fresh, hang: true }, complete, { text: "chirp: done" }],
    steps: [
      ...turnOn,
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 4 },
      { sleep: 500 },
      { signal: "SIGKILL", to: "pi" },
      { newPi: true },
      { waitRequests: 6, ms: 60_000 },
      { runtime: { goal: { state: "complete" } } },
      { sleep: 500 },
      ...end,
    ],
    asserts: [
      { requests: 6 },
      { request: 4, last: "Inspect the current state", all: "SUMMARY-TEXT.*HANDOVER-CONTENT", noAll: "CANARY FAILED", system: "chirp: " },
      { session: { type: "compaction" }, count: 1 },
      { sessions: 1 },
    ],
  },
  {
    name: "what another extension wants at the same boundary is kept, in front of ours",
    since: "0.87.0",
    launcher: true,
    extensions: [extension("notes.ts")],
    replies: [miss(), handover, summary, fresh],
    steps: [...begin, settled, ...end],
    asserts: [
      { requests: 4 },
      { session: { type: "compaction", summary: "SUMMARY-TEXT" }, count: 1 },
      { session: { type: "custom_message", customType: "resilient-canary-restart" }, count: 1 },
      (run) => {
        const kinds = run.session().map(({ customType, type }) => customType ?? type);
        const note = kinds.indexOf("note");
        if (note < 0) return `there is no note among ${kinds}`;
        return note < kinds.indexOf("compaction") ? undefined : `the note comes late: ${kinds}`;
      },
    ],
  },
  {
    name: "handovers that another extension asks for count too",
    since: "0.87.0",
    launcher: true,
    extensions: [extension("insist.ts")],
    replies: [miss(), badHandover, badHandover, ...Array.from({ length: 4 }, () => ({ text: "chirp: still here" }))],
    steps: [...begin, phase("paused"), settled, { sleep: 1500 }, ...end],
    asserts: [...paused, { request: 2, all: "CANARY FAILED" }],
  },
  {
    name: "the mode is a matter of the branch: on where it was turned on, off before",
    launcher: true,
    extensions: [extension("visit.ts")],
    replies: [{ text: "BEFORE" }, { text: "chirp: WITHIN" }, { text: "ASIDE" }, { text: "chirp: again" }],
    steps: [
      prompt("one"),
      settled,
      ...turnOn,
      prompt("two"),
      settled,
      prompt("/visit BEFORE"),
      { sleep: 500 },
      prompt("three"),
      settled,
      prompt("/visit WITHIN"),
      { sleep: 500 },
      prompt("four"),
      settled,
      ...end,
    ],
    asserts: [
      { request: 0, noSystem: "chirp: " },
      { request: 1, system: "chirp: " },
      { request: 2, noSystem: "chirp: ", noAll: "WITHIN" },
      { request: 3, system: "chirp: ", all: "WITHIN" },
      saysNot("did not begin"),
    ],
  },
  {
    name: "a new session starts with the mode off",
    launcher: true,
    replies: [{ text: "chirp: one" }, { text: "two" }],
    steps: [...turnOn, prompt("first"), settled, { rpc: { type: "new_session" } }, { sleep: 1000 }, prompt("second"), settled, ...end],
    asserts: [{ request: 0, system: "chirp: " }, { request: 1, noSystem: "chirp: " }, saysNot("did not begin")],
  },
  {
    name: "a handover that the provider defers pauses at once: no further request, no fetch",
    since: "0.87.0",
    launcher: true,
    model: null,
    args: ["--model", "queue/deferring-model"],
    extensions: [extension("defers.ts")],
    steps: [...begin, phase("paused"), { sleep: 3000 }, ...end],
    asserts: [
      record({ phase: "paused", paused_by: "pause_deferred" }),
      says("deferred the handover; its job was neither cancelled nor fetched"),
      noCompaction,
      { requests: 0 },
      (run) => {
        const lines = readFileSync(join(run.sandbox.dir, "deferring"), "utf8");
        return lines === "request\nrequest\n" ? undefined : `the provider saw ${lines}`;
      },
    ],
  },
  {
    name: "a message with half a character is judged like any other",
    since: "0.87.0",
    launcher: true,
    replies: [{ ...miss(), text: "no prefix \ud83d here" }, { ...handover, text: `${handover.text} \ude00` }, summary, fresh],
    steps: [...begin, settled, ...end],
    asserts: [{ requests: 4 }, { session: { type: "compaction", summary: "SUMMARY-TEXT" }, count: 1 }],
  },
  {
    name: "the request for the summary holds no thinking",
    since: "0.87.0",
    launcher: true,
    replies: [{ ...miss(), thinking: "PRIVATE-THOUGHT" }, handover, summary, fresh],
    steps: [...begin, settled, ...end],
    asserts: [
      { requests: 4 },
      { request: 2, tools: false, noAll: "PRIVATE-THOUGHT", all: "no prefix here.*HANDOVER-CONTENT" },
      { session: { type: "message" }, count: { min: 2 } },
      (run) => (JSON.stringify(run.session()).includes("PRIVATE-THOUGHT") ? undefined : "there was no thinking"),
    ],
  },
  {
    name: "a kill in the second handover pauses it, and no third one is asked for",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), badHandover, { ...handover, hang: true }, { text: "chirp: never" }],
    steps: [...begin, { waitRequests: 3 }, { sleep: 500 }, { signal: "SIGKILL", to: "pi" }, { newPi: true }, phase("paused"), { sleep: 2000 }, ...end],
    asserts: [{ requests: 3 }, ...paused, says("Pi ended while the last handover was awaited")],
  },
  {
    name: "a kill in the fresh context without a goal: the agent goes on there",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, summary, { ...fresh, hang: true }, { text: "chirp: went on" }],
    steps: [...begin, { waitRequests: 4 }, { sleep: 500 }, { signal: "SIGKILL", to: "pi" }, { newPi: true }, { waitRequests: 5 }, { sleep: 1500 }, ...end],
    asserts: [{ requests: 5 }, { request: 4, last: "Pi ended", all: "SUMMARY-TEXT.*HANDOVER-CONTENT", noAll: "read-the-plan" }, { session: { type: "compaction" }, count: 1 }],
  },
  {
    name: "off during the summary ends the recovery, and nothing is written",
    since: "0.87.0",
    launcher: true,
    replies: [miss(), handover, { ...summary, delayMs: 20_000 }, { text: "never" }],
    steps: [...begin, { waitRequests: 3 }, { send: { type: "prompt", message: "/canary off" } }, settled, { sleep: 500 }, ...end],
    asserts: [{ requests: 3 }, noCompaction, record({ mode: "off" })],
  },
];
