import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry, Message } from "../src/pi.ts";
import { sharedState } from "../src/shared_state.ts";
import { history } from "../src/summary.ts";
import { FakePi } from "./support/fake_pi.ts";
import type { Fields } from "./support/supervisor.ts";
import { startWorld } from "./support/world.ts";

const spoken: Message = { stopReason: "stop", content: [{ type: "thinking", text: "hm" }, { type: "text", text: "chirp: a" }, { type: "text", text: "b" }] };
const ask = { ask_turn: true };

test("a turn is asked about only while it is wanted, and told otherwise", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true }, ask);
  await fake.turn(spoken, { continue: true });
  const { v: _v, id: _id, ...turn } = await supervisor.frame("turn");
  assert.deepEqual(turn, {
    type: "turn",
    stop: "stop",
    text: "chirp: a\nb",
    text_truncated: false,
    has_tool_calls: false,
    pending: false,
    continuing: true,
    usage: { input: 0, output: 0, cost: 0 },
  });
  assert.equal(supervisor.of("turn_end").length, 0);
});

test("a long text is cut and says so", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true }, ask);
  await fake.turn({ content: "ä".repeat(400_000) });
  const turn = await supervisor.frame("turn");
  assert.equal(turn.text_truncated, true);
  assert.equal(Buffer.byteLength(String(turn.text)), 524_288);
});

test("drafts go behind those of other extensions", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true }, ask);
  supervisor.answers.turn = () => ({
    entries: [{ kind: "custom_message", custom_type: "resilient-canary", content: "flag", display: true }],
    continue: true,
  });
  assert.deepEqual(await fake.turn(spoken, { entries: ["theirs"] }), {
    entries: ["theirs", { type: "custom_message", customType: "resilient-canary", content: "flag", display: true }],
    continue: true,
  });
});

test("a Pi without drafts gets none, but the directives of the reply", async (t) => {
  const { fake, supervisor } = await startWorld(t, {}, ask);
  supervisor.answers.turn = () => ({
    entries: [{ kind: "custom_message", custom_type: "x", content: "y" }],
    continue: true,
    directives: [supervisor.part({ type: "steer", custom_type: "canon", text: "line" })],
  });
  fake.idle = false;
  assert.equal(await fake.turn(spoken), undefined);
  assert.equal(fake.messages.length, 1);
});

test("a record for the session file is a draft too", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true }, ask);
  supervisor.answers.turn = () => ({ entries: [{ kind: "custom", custom_type: "resilient-canary", data: { phase: "watching" } }] });
  assert.deepEqual(await fake.turn(spoken, { entries: ["theirs"] }), {
    entries: ["theirs", { type: "custom", customType: "resilient-canary", data: { phase: "watching" } }],
  });
});

test("drafts that are wrong in part are left out whole", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true }, ask);
  for (const bad of [{ kind: "compaction", summary: "  " }, { kind: "what" }, 7, null]) {
    supervisor.answers.turn = (frame) => {
      supervisor.send({ type: "reply", re: frame.id, entries: [{ kind: "custom_message", custom_type: "x", content: "y" }, bad], continue: true });
      return undefined;
    };
    assert.equal(await fake.turn(spoken), undefined);
  }
});

test("no answer, an abort and a silent end leave the turn as it was", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true }, ask);
  supervisor.answers.turn = () => undefined;
  const abort = new AbortController();
  fake.context.signal = abort.signal;
  const start = Date.now();
  setTimeout(() => abort.abort(), 100);
  assert.equal(await fake.turn(spoken), undefined);
  assert.ok(Date.now() - start < 500, "the abort counts at once");
  assert.equal(await fake.turn(spoken), undefined);
  await supervisor.frame("turn_end");
  assert.equal(supervisor.of("turn").length, 1, "behind an abort it is only told");
});

test("before settling drafts may be added too", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true }, ask);
  supervisor.answers.before_settle = () => ({ entries: [{ kind: "custom_message", custom_type: "x", content: "y" }], continue: true });
  assert.deepEqual(await fake.fire("agent_before_settle", { outcome: "completed", entries: [] }), {
    entries: [{ type: "custom_message", customType: "x", content: "y", display: true }],
    continue: true,
  });
  assert.equal((await supervisor.frame("before_settle")).outcome, "completed");
});

test("before settling nobody is asked unless it is wanted", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true });
  assert.equal(await fake.fire("agent_before_settle", { outcome: "completed", entries: [] }), undefined);
  assert.equal(supervisor.of("before_settle").length, 0);
});

const wish = { system: "Summarise.", instruction: "What is left?", max_tokens: 500, deadline_ms: 300 };
const entries: Entry[] = [
  { type: "message", message: { role: "user", content: "do it" } },
  {
    type: "message",
    message: { role: "assistant", content: [{ type: "thinking", text: "private" }, { type: "text", text: "reading" }, { type: "toolCall", name: "read", arguments: { path: "a" } }] },
  },
  { type: "message", message: { role: "toolResult", toolName: "read", content: [{ type: "text", text: "x".repeat(3000) }] } },
  { type: "message", message: { role: "system", content: "prompt" } },
  { type: "custom", customType: "resilient-goal", data: "state" },
  { type: "custom_message", content: "a note" },
  { type: "compaction", summary: "earlier" },
];

test("the history for a summary has no thinking, no system prompt and no long results", () => {
  const fake = new FakePi({ entries });
  const text = history(fake.context);
  assert.equal(
    text,
    ["[user] do it", '[assistant] reading\n[call of read] {"path":"a"}', `[result of read] ${"x".repeat(2000)} […]`, "[note] a note", "[summary] earlier"].join("\n\n"),
  );
});

async function summarised(t: Parameters<typeof startWorld>[0], summary: (signal: AbortSignal) => Promise<Message>) {
  const { fake, supervisor } = await startWorld(t, { boundary: true, entries, summary: (_request, signal) => summary(signal) }, ask);
  supervisor.answers.turn = () => ({ summarise: wish });
  const done = fake.turn(spoken);
  const frame = await supervisor.frame("summary");
  const reply = (fields: Fields) => supervisor.send({ type: "reply", re: frame.re, ...fields });
  return { fake, supervisor, done, frame, reply };
}

test("a summary is made, told, and its usage stands on the compaction of the second reply", async (t) => {
  const usage = { input: 9, output: 8 };
  const { done, frame, reply } = await summarised(t, async () => ({ stopReason: "stop", content: [{ type: "text", text: "all of it" }], usage }));
  assert.equal(frame.text, "all of it");
  assert.equal(frame.stop, "stop");
  reply({
    entries: [
      { kind: "compaction", summary: "all of it", details: { by: "canary" } },
      { kind: "custom_message", custom_type: "resilient-canary", content: "go on", display: true },
    ],
    continue: true,
  });
  assert.deepEqual(await done, {
    entries: [
      { type: "compaction", summary: "all of it", firstKeptEntryId: null, details: { by: "canary" }, usage },
      { type: "custom_message", customType: "resilient-canary", content: "go on", display: true },
    ],
    continue: true,
  });
});

for (const [how, make] of Object.entries({
  "a provider error": async () => ({ stopReason: "error", errorMessage: "500", content: [] }),
  "a throw": async () => Promise.reject(new Error("no model")),
  "a provider that never answers": () => new Promise<Message>(() => {}),
})) {
  test(`${how} becomes a summary that failed, and nothing is compacted`, async (t) => {
    const { done, frame, reply } = await summarised(t, make);
    assert.equal(frame.stop, "error");
    assert.equal(frame.text, "");
    assert.ok(frame.error);
    reply({});
    assert.equal(await done, undefined);
  });
}

test("directives of a reply are in force before its summary is made", async (t) => {
  const gates: string[] = [];
  const { fake, supervisor } = await startWorld(
    t,
    { boundary: true, entries, summary: () => (gates.push(sharedState().set.gate), Promise.resolve({ stopReason: "stop", content: "all" })) },
    ask,
  );
  supervisor.answers.turn = () => ({ summarise: wish, directives: [supervisor.part({ type: "set", gate: "no tools now" })] });
  void fake.turn(spoken);
  await supervisor.frame("summary");
  assert.deepEqual(gates, ["no tools now"]);
});

test("a second reply that comes before the summary cancels it", async (t) => {
  let begun = () => {};
  const asked = new Promise<void>((resolve) => (begun = resolve));
  const { fake, supervisor } = await startWorld(t, { boundary: true, entries, summary: () => (begun(), new Promise<Message>(() => {})) }, ask);
  supervisor.answers.turn = () => ({ summarise: { ...wish, deadline_ms: 60_000 } });
  const done = fake.turn(spoken);
  const frame = await supervisor.frame("turn");
  await asked;
  supervisor.send({ type: "reply", re: frame.id });
  assert.equal(await done, undefined);
  assert.equal((await supervisor.frame("summary")).stop, "aborted");
});

test("a Pi that cannot ask its model says so", async (t) => {
  const { fake, supervisor } = await startWorld(t, { boundary: true }, ask);
  supervisor.answers.turn = () => ({ summarise: wish });
  void fake.turn(spoken);
  assert.match(String((await supervisor.frame("summary")).error), /cannot/);
});
