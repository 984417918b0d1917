import assert from "node:assert/strict";
import { test } from "node:test";
import { isEscape } from "../src/escape.ts";
import type { PiEvent } from "../src/pi.ts";
import { sharedState } from "../src/shared_state.ts";
import { sleep, until, type Fields } from "./support/supervisor.ts";
import { startWorld } from "./support/world.ts";

const told: { pi: string; event: PiEvent; set?: Fields; frame: Fields }[] = [
  { pi: "agent_start", event: {}, frame: { type: "agent_start" } },
  {
    pi: "turn_end",
    event: { message: { role: "assistant", stopReason: "error", errorMessage: "500", content: [], usage: { input: 3, output: 4, cost: { total: 0.5 } } } },
    frame: { type: "turn_end", stop: "error", error: "500", tool_calls: 0, usage: { input: 3, output: 4, cost: 0.5 } },
  },
  { pi: "input", event: { source: "interactive" }, frame: { type: "input", source: "user", streaming: false } },
  { pi: "input", set: { touch: true }, event: { source: "rpc", text: "mend it" }, frame: { type: "input", source: "rpc", streaming: false, text: "mend it" } },
  { pi: "input", set: { touch: true }, event: { source: "extension", text: "go on" }, frame: { type: "input", source: "extension", streaming: false } },
  { pi: "input", event: { source: "extension", streamingBehavior: "steer" }, frame: { type: "input", source: "extension", streaming: true } },
  {
    pi: "after_provider_response",
    event: { status: 429, headers: { "Retry-After": "9", "x-codex-reset": "1", authorization: "secret", "set-cookie": "c", "CF-Ray": "r" } },
    frame: { type: "provider_response", status: 429, headers: { "retry-after": "9", "x-codex-reset": "1", "cf-ray": "r" } },
  },
  {
    pi: "tool_call",
    set: { touch: true },
    event: { toolName: "edit", toolCallId: "c1", input: { path: "a.ts", text: "x".repeat(70_000) } },
    frame: { type: "touch", tool: "edit", call_id: "c1", input: { path: "a.ts", text: "x".repeat(65_536) } },
  },
  {
    pi: "tool_call",
    set: { touch: true },
    event: { toolName: "edit_long", toolCallId: "c1", input: { edits: ["x".repeat(70_000), "y".repeat(70_000)], path: "a.ts" } },
    frame: { type: "touch", tool: "edit_long", call_id: "c1", input: { edits: ["x".repeat(4096), "y".repeat(4096)], path: "a.ts" } },
  },
  { pi: "tool_execution_end", set: { touch: true }, event: { toolName: "edit", toolCallId: "c1", isError: true }, frame: { type: "tool_end", tool: "edit", call_id: "c1", is_error: true } },
  {
    pi: "context",
    set: { needles: [{ key: "a", tail: "here" }, { key: "b", tail: "not here" }] },
    event: { messages: [{ role: "user", content: "it is here" }] },
    frame: { type: "context", gone: ["b"] },
  },
  { pi: "session_tree", event: {}, frame: { type: "branch", session: { file: "/sessions/one.jsonl", id: "session-1", leaf: "leaf-1" }, entries: {} } },
  { pi: "session_compact", event: { reason: "manual" }, frame: { type: "compact", reason: "manual", failed: false } },
  { pi: "session_compact_failed", event: { reason: "overflow" }, frame: { type: "compact", reason: "overflow", failed: true } },
];

for (const { pi, event, set, frame } of told) {
  test(`${pi} becomes the frame ${frame.type}${event.source ? ` from ${event.source}` : ""}${event.text ? ` with ${event.text}` : ""}`, async (t) => {
    const { fake, supervisor } = await startWorld(t, {}, set);
    await fake.fire(pi, event);
    const { v, ...fields } = await supervisor.frame(String(frame.type));
    assert.equal(v, 1);
    assert.deepEqual(fields, frame);
  });
}

test("touches, needles and good responses are not told unless asked for", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  await fake.fire("tool_call", { toolName: "edit", toolCallId: "c", input: {} });
  await fake.fire("tool_execution_end", { toolName: "edit", toolCallId: "c" });
  await fake.fire("context", { messages: [] });
  await fake.fire("after_provider_response", { status: 200, headers: {} });
  await sleep(50);
  assert.deepEqual(supervisor.frames.map((frame) => frame.type), ["hello"]);
});

test("the first good response after a bad one is told", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  for (const status of [200, 429, 200, 200, 503]) await fake.fire("after_provider_response", { status, headers: {} });
  await until(() => supervisor.frames.length >= 4);
  await sleep(50);
  assert.deepEqual(supervisor.frames.slice(1).map((frame) => frame.status), [429, 200, 503]);
});

test("a gated tool call is blocked with the reason, and not told as a touch", async (t) => {
  const { fake, supervisor } = await startWorld(t, {}, { gate: "handover first", touch: true });
  assert.deepEqual(await fake.fire("tool_call", { toolName: "bash" }), { block: true, reason: "handover first" });
  supervisor.direct({ type: "set", gate: "" });
  await until(() => sharedState().set.gate === "");
  assert.equal(await fake.fire("tool_call", { toolName: "bash", toolCallId: "c", input: {} }), undefined);
  await supervisor.frame("touch");
  assert.equal(supervisor.of("touch").length, 1);
});

test("the system prompt is added to, never replaced", async (t) => {
  const { fake } = await startWorld(t, {}, { system_append: "Begin with chirp." });
  assert.deepEqual(await fake.fire("before_agent_start", { systemPrompt: "You are Pi." }), { systemPrompt: "You are Pi.\n\nBegin with chirp." });
});

test("a switch of the session may be cancelled, and is allowed when nobody answers", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.switch = () => ({ cancel: true, message: "held by 4711" });
  assert.deepEqual(await fake.fire("session_before_switch", { reason: "resume", targetSessionFile: "/b.jsonl" }), { cancel: true });
  assert.deepEqual(fake.notices, [{ level: "warning", text: "held by 4711" }]);
  assert.equal((await supervisor.frame("switch")).target_file, "/b.jsonl");
  supervisor.answers.switch = () => ({ cancel: false });
  assert.equal(await fake.fire("session_before_fork", {}), undefined);
  assert.equal((await supervisor.frame("switch", 2)).reason, "fork");
  supervisor.silent = true;
  const start = Date.now();
  assert.equal(await fake.fire("session_before_switch", { reason: "new" }), undefined);
  assert.ok(Date.now() - start < 2600);
});

test("escape is known in every way that a terminal writes it", () => {
  for (const key of ["\x1b", "\x1b[27u", "\x1b[27;1u", "\x1b[27;1:1u", "\x1b[27;1:2u", "\x1b[27;1;27~"]) assert.ok(isEscape(key), JSON.stringify(key));
  for (const key of ["", "a", "\x1b[A", "\x1b\x1b", "\x1bb", "\x1b[27;1:3u", "\x1b[27;5u", "\x1b[127u", "\x03"]) assert.ok(!isEscape(key), JSON.stringify(key));
});

test("an escape is told, and counts as an abort only behind an error", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "tui" });
  fake.press("\x1b");
  await supervisor.frame("escape");
  await fake.turn({ stopReason: "stop", content: "fine" });
  fake.press("\x1b");
  await fake.fire("agent_settled");
  assert.equal((await supervisor.frame("boundary")).escape, false);
  await fake.turn({ stopReason: "error", errorMessage: "503" });
  fake.press("\x1b[27u");
  await fake.fire("agent_settled");
  const boundary = await supervisor.frame("boundary", 2);
  assert.equal(boundary.escape, true);
  assert.equal(boundary.aborted, false);
  await fake.fire("agent_settled");
  assert.equal((await supervisor.frame("boundary", 3)).escape, false);
});
