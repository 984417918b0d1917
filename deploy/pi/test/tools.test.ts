import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./support/supervisor.ts";
import { startWorld } from "./support/world.ts";

test("each tool is offered with a plain JSON Schema", async (t) => {
  const { fake } = await startWorld(t);
  assert.deepEqual([...fake.tools.keys()], ["create_goal", "update_goal", "get_goal", "canon"]);
  for (const tool of fake.tools.values()) {
    assert.equal(tool.parameters.type, "object");
    assert.ok(tool.description.length > 40);
    assert.deepEqual(JSON.parse(JSON.stringify(tool.parameters)), tool.parameters);
  }
  assert.deepEqual(fake.tools.get("canon")!.parameters.required, ["action"]);
});

test("a tool is worded anew, and still works", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.tool = () => ({ text: "yes", is_error: false });
  supervisor.direct({ type: "set", tools: [{ name: "canon", description: "other words", parameters: { type: "object", properties: {} } }] });
  await until(() => fake.tools.get("canon")!.description === "other words");
  assert.deepEqual(fake.tools.get("canon")!.parameters, { type: "object", properties: {} });
  assert.equal((await fake.callTool("canon", {})).content[0]!.text, "yes");
  const refused = await supervisor.result(supervisor.direct({ type: "set", tools: [{ name: "bash", description: "mine" }] }));
  assert.equal(refused.error, "wrong tools: bash");
  assert.ok(!fake.tools.has("bash"));
});

test("a call is passed on, and its text comes back", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.tool = () => ({ text: "Wrote src/a.", is_error: false });
  assert.deepEqual(await fake.callTool("canon", { action: "write" }), { content: [{ type: "text", text: "Wrote src/a." }], details: {} });
  const frame = await supervisor.frame("tool");
  assert.deepEqual([frame.tool, frame.call_id, frame.params], ["canon", "call-1", { action: "write" }]);
});

test("an error result is thrown, so that Pi marks it", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.tool = () => ({ text: "there is no goal", is_error: true });
  await assert.rejects(fake.callTool("update_goal", { status: "complete" }), /there is no goal/);
});

test("an abort ends the wait for a tool at once", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.tool = () => undefined;
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  const start = Date.now();
  await assert.rejects(fake.callTool("get_goal", {}, abort.signal), /did not answer/);
  assert.ok(Date.now() - start < 500);
});

test("a tool waits thirty seconds for its answer", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.tool = () => undefined;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const call = fake.callTool("get_goal", {});
  let over = false;
  call.catch(() => (over = true));
  t.mock.timers.tick(29_999);
  await Promise.resolve();
  assert.ok(!over);
  t.mock.timers.tick(1);
  await assert.rejects(call, /did not answer/);
  t.mock.timers.reset();
});

test("a call that is too long for a frame fails at once", async (t) => {
  const { fake } = await startWorld(t);
  await assert.rejects(fake.callTool("canon", { action: "write", body: "x".repeat(1_100_000) }), /too long/);
});
