import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedState } from "../src/shared_state.ts";
import { sleep, until } from "./support/supervisor.ts";
import { startWorld } from "./support/world.ts";

test("send needs an idle Pi with nothing pending, and reports", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  fake.idle = false;
  assert.deepEqual((await supervisor.result(supervisor.direct({ type: "send", text: "go", token: "1" }))).error, "busy");
  fake.idle = true;
  fake.pending = true;
  assert.deepEqual((await supervisor.result(supervisor.direct({ type: "send", text: "go", token: "1" }))).error, "busy");
  fake.pending = false;
  assert.equal((await supervisor.result(supervisor.direct({ type: "send", text: "go", token: "1" }))).ok, true);
  assert.deepEqual(fake.sent, [{ text: "go" }]);
});

test("a token is sent once, whatever arrives again", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  const did = supervisor.direct({ type: "send", text: "go", token: "1" });
  await supervisor.result(did);
  supervisor.send({ type: "send", did, text: "go", token: "2" });
  assert.equal((await supervisor.result(supervisor.direct({ type: "send", text: "go", token: "1" }))).ok, true);
  assert.equal(fake.sent.length, 1);
});

test("append writes an entry and reports, also when Pi refuses", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  const result = await supervisor.result(supervisor.direct({ type: "append", custom_type: "resilient-goal", data: { state: "active" } }));
  assert.equal(result.ok, true);
  assert.deepEqual(fake.appended, [{ customType: "resilient-goal", data: { state: "active" } }]);
  fake.stale = true;
  const failed = await supervisor.result(supervisor.direct({ type: "append", custom_type: "resilient-goal", data: 1 }));
  fake.stale = false;
  assert.equal(failed.ok, false);
  assert.match(String(failed.error), /stale/);
});

test("status, notify, abort and steer call Pi", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.direct({ type: "status", text: "goal: 1" });
  supervisor.direct({ type: "status", text: "" });
  supervisor.direct({ type: "notify", level: "error", text: "bad" });
  supervisor.direct({ type: "abort" });
  fake.idle = false;
  supervisor.direct({ type: "steer", custom_type: "canon", text: "read it" });
  supervisor.direct({ type: "steer", custom_type: "canon", text: "later", display: true, when: "next_prompt" });
  await until(() => fake.messages.length === 2);
  assert.deepEqual(fake.statuses, ["goal: 1", undefined]);
  assert.deepEqual(fake.notices, [{ level: "error", text: "bad" }]);
  assert.deepEqual(fake.calls, ["abort"]);
  assert.deepEqual(fake.messages, [
    { message: { customType: "canon", content: "read it", display: false }, options: { deliverAs: "steer" } },
    { message: { customType: "canon", content: "later", display: true }, options: { deliverAs: "nextTurn" } },
  ]);
  fake.idle = true;
  assert.equal((await supervisor.result(supervisor.direct({ type: "steer", custom_type: "canon", text: "x" }))).error, "no run to steer");
});

test("set changes only what it names, and says what it cannot take", async (t) => {
  const { supervisor } = await startWorld(t, {}, { gate: "g", system_append: "s" });
  supervisor.direct({ type: "set", gate: "" });
  const result = await supervisor.result(supervisor.direct({ type: "set", touch: "yes", needles: [{ key: 1 }], system_append: "t" }));
  assert.match(String(result.error), /touch, needles/);
  assert.deepEqual(sharedState().set, { askTurn: false, gate: "", systemAppend: "t", touch: false, needles: [] });
});

test("what is unknown or half is answered and does nothing", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  assert.match(String((await supervisor.result(supervisor.direct({ type: "explode" }))).error), /unknown directive explode/);
  assert.match(String((await supervisor.result(supervisor.direct({ type: "send", text: 7, token: "1" }))).error), /missing text: text/);
  supervisor.send({ type: "explode" });
  supervisor.send({ type: "reply", re: 999 });
  supervisor.send({ type: "refused", message: "?" });
  supervisor.raw('{"v":2,"type":"status","did":99,"text":"from the future"}\n');
  await sleep(50);
  assert.deepEqual(fake.sent, []);
  assert.deepEqual(fake.statuses, []);
});

test("resync says hello again on the same connection", async (t) => {
  const { supervisor } = await startWorld(t);
  supervisor.direct({ type: "resync" });
  assert.equal((await supervisor.frame("hello", 2)).reason, "resync");
  assert.equal(supervisor.connections, 1);
});

test("inert closes for good", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.direct({ type: "inert", message: "an older generation" });
  await until(() => supervisor.open === 0);
  await sleep(250);
  assert.equal(supervisor.connections, 1);
  assert.equal(fake.notices.at(-1)!.text, "an older generation");
});

test("shutdown asks Pi to end, and tells where Pi does not", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  assert.equal((await supervisor.result(supervisor.direct({ type: "shutdown" }))).ok, true);
  assert.deepEqual(fake.calls, ["shutdown"]);
});

test("in print mode a shutdown is reported as not done", async (t) => {
  const { supervisor } = await startWorld(t, { mode: "print" });
  assert.equal((await supervisor.result(supervisor.direct({ type: "shutdown" }))).ok, false);
});

test("the directives of a reply come before the reply takes effect", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.command = () => ({ directives: [supervisor.part({ type: "status", text: "first" })], notices: [{ level: "info", text: "then" }] });
  await fake.command("goal");
  assert.deepEqual(fake.statuses, ["first"]);
  assert.deepEqual(fake.notices, [{ level: "info", text: "then" }]);
});
