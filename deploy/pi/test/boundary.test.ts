import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../src/pi.ts";
import { sleep, until } from "./support/supervisor.ts";
import { load, startSupervisor, startWorld } from "./support/world.ts";

const turn: Message = {
  stopReason: "toolUse",
  content: [{ type: "text", text: "working" }, { type: "toolCall", name: "bash" }, { type: "toolCall", name: "read" }],
  usage: { input: 100, output: 20, cost: { total: 0.25 } },
};

test("a boundary counts since the one before", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  await fake.turn(turn);
  await fake.turn({ ...turn, stopReason: "error", errorMessage: "503", content: [] });
  await fake.fire("agent_end", { messages: [] });
  await fake.fire("agent_settled", {});
  const { v: _v, id: _id, ...first } = await supervisor.frame("boundary");
  assert.deepEqual(first, {
    type: "boundary",
    at: "settled",
    stop: "error",
    error: "503",
    aborted: false,
    escape: false,
    idle: true,
    pending: false,
    tool_calls: 2,
    turns: 2,
    usage: { input: 200, output: 40, cost: 0.5 },
    provider: "anthropic",
  });
  await fake.fire("agent_settled", { aborted: true });
  const second = await supervisor.frame("boundary", 2);
  assert.equal(second.stop, "");
  assert.equal(second.turns, 0);
  assert.equal(second.aborted, true);
});

test("an aborted last message is an abort on every version", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  await fake.turn(turn);
  await fake.fire("message_end", { message: { role: "assistant", stopReason: "aborted", errorMessage: "Operation aborted" } });
  await fake.fire("agent_settled", {});
  assert.equal((await supervisor.frame("boundary")).aborted, true);
});

test("the end of an aborted run is told although its signal has fired", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "print" });
  fake.context.signal = AbortSignal.abort();
  await fake.fire("agent_end", { messages: [{ role: "assistant", stopReason: "aborted" }] });
  assert.equal((await supervisor.frame("boundary")).aborted, true);
});

test("in rpc mode settling waits for nobody, and the answer is sent once Pi is idle", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.boundary = () => ({ send: { text: "go on", token: "1" } });
  const start = Date.now();
  await fake.fire("agent_settled", {});
  assert.ok(Date.now() - start < 20);
  await until(() => fake.sent.length === 1);
  assert.deepEqual(fake.sent, [{ text: "go on" }]);
  assert.deepEqual((({ token, ok }) => ({ token, ok }))(await supervisor.frame("directive_result")), { token: "1", ok: true });
});

test("what the user has started meanwhile goes first", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.boundary = () => ({ send: { text: "go on", token: "1" } });
  await fake.fire("agent_settled", {});
  fake.pending = true;
  assert.equal((await supervisor.frame("directive_result")).error, "busy");
  assert.deepEqual(fake.sent, []);
});

test("what was decided before a person's command on the goal is not sent", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  let edited = 0;
  supervisor.answers.command = (frame) => {
    if (frame.name === "goal") edited = frame.id as number;
    return {};
  };
  supervisor.answers.boundary = () => undefined;
  await fake.fire("agent_settled", {});
  const { id } = await supervisor.frame("boundary");
  await fake.command("goal", "edit -- another thing");
  await fake.command("canon");
  supervisor.send({ type: "reply", re: id, send: { text: "the old thing", token: "1", after: 1 } });
  supervisor.send({ type: "send", did: 50, text: "the old thing", token: "2", after: edited - 1 });
  supervisor.send({ type: "send", did: 51, text: "the new thing", token: "3", after: edited });
  await supervisor.frame("directive_result", 3);
  assert.deepEqual(fake.sent, [{ text: "the new thing" }]);
  const error = "a command came in between";
  const refused = supervisor.of("directive_result").filter((frame) => frame.ok === false);
  assert.deepEqual(refused.map((frame) => frame.error), [error, error]);
});

test("one text at a time begins a run, also while Pi still calls itself idle", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.send({ type: "send", did: 50, text: "first", token: "1" });
  supervisor.send({ type: "send", did: 51, text: "second", token: "2" });
  await supervisor.frame("directive_result", 2);
  assert.deepEqual(fake.sent, [{ text: "first" }]);
  assert.equal(supervisor.of("directive_result").at(-1)?.error, "busy");
  await fake.fire("agent_start", {});
  await fake.fire("agent_settled", {});
  supervisor.send({ type: "send", did: 52, text: "second", token: "2" });
  await until(() => fake.sent.length === 2);
});

test("a command that nobody answered holds nothing back", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.command = (frame) => {
    supervisor.send({ type: "refused", re: frame.id, message: "no" });
    return undefined;
  };
  await fake.command("goal", "pause");
  supervisor.send({ type: "send", did: 50, text: "go on", token: "1", after: 1 });
  await until(() => fake.sent.length === 1);
});

test("an answer that does not come within two seconds means settle", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "print", boundary: true });
  supervisor.answers.boundary = () => undefined;
  const start = Date.now();
  await fake.fire("agent_settled", {});
  assert.ok(Date.now() - start >= 1900 && Date.now() - start < 2600);
  const id = (await supervisor.frame("boundary")).id;
  supervisor.send({ type: "reply", re: id, send: { text: "too late", token: "1" } });
  await sleep(50);
  assert.deepEqual(fake.sent, []);
});

test("a refused request takes its default at once", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "print", boundary: true });
  supervisor.answers.boundary = (frame) => {
    supervisor.send({ type: "refused", re: frame.id, message: "before hello" });
    return undefined;
  };
  const start = Date.now();
  await fake.fire("agent_settled", {});
  assert.ok(Date.now() - start < 500);
});

test("a lost connection means settle at once", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "print", boundary: true });
  supervisor.answers.boundary = () => void supervisor.cut() as undefined;
  const start = Date.now();
  await fake.fire("agent_settled", {});
  assert.ok(Date.now() - start < 500);
});

test("hold_ms keeps print mode open until a send, a release, its end or the end of the session", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "print", boundary: true });
  supervisor.answers.boundary = () => ({ hold_ms: 60_000 });
  const held = async (end: () => unknown): Promise<number> => {
    const start = Date.now();
    const settled = fake.fire("agent_settled", {});
    await sleep(100);
    await end();
    await settled;
    return Date.now() - start;
  };
  assert.ok((await held(() => supervisor.direct({ type: "send", text: "again", token: "1" }))) < 1000);
  assert.deepEqual(fake.sent, [{ text: "again" }]);
  assert.ok((await held(() => supervisor.direct({ type: "release" }))) < 1000);
  assert.ok((await held(() => supervisor.direct({ type: "shutdown" }))) < 1000);
  supervisor.answers.boundary = () => ({ hold_ms: 300 });
  const whole = await held(() => {});
  assert.ok(whole >= 290 && whole < 1000, `${whole}`);
  supervisor.answers.boundary = () => ({ hold_ms: 60_000 });
  assert.ok((await held(() => fake.fire("session_shutdown", { reason: "quit" }))) < 1000);
});

test("a busy answer leaves the hold open", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "print", boundary: true });
  supervisor.answers.boundary = () => ({ hold_ms: 60_000 });
  let open = true;
  const settled = fake.fire("agent_settled", {}).then(() => (open = false));
  await supervisor.frame("boundary");
  fake.pending = true;
  await supervisor.result(supervisor.direct({ type: "send", text: "x", token: "1" }));
  await sleep(20);
  assert.ok(open);
  supervisor.direct({ type: "release" });
  await settled;
});

test("outside print and json mode hold_ms means nothing", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  const timers = () => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
  supervisor.answers.boundary = () => ({ hold_ms: 60_000 });
  const before = timers();
  await fake.fire("agent_settled", {});
  await supervisor.frame("boundary");
  await sleep(50);
  assert.equal(timers(), before, "nothing waits");
});

for (const mode of ["print", "json"] as const) {
  test(`an older Pi in ${mode} mode is asked at agent_end, and continued as a follow-up`, async (t) => {
    const { fake, supervisor } = await startWorld(t, { mode });
    supervisor.answers.boundary = () => ({ send: { text: "go on", token: mode } });
    fake.idle = false;
    await fake.fire("agent_end", { messages: [{ role: "assistant", stopReason: "stop" }] });
    assert.deepEqual(fake.sent, [{ text: "go on", options: { deliverAs: "followUp" } }]);
    assert.equal((await supervisor.frame("boundary")).at, "agent_end");
    assert.equal((await supervisor.frame("boundary")).stop, "stop");
    fake.idle = true;
    await fake.fire("agent_settled", {});
    await sleep(30);
    assert.equal(supervisor.of("boundary").length, 1);
  });
}

for (const mode of ["print", "rpc"] as const) {
  test(`a send in the first answer waits until every extension knows the session (${mode})`, async (t) => {
    const supervisor = await startSupervisor(t);
    supervisor.answers.hello = () => ({ ok: true, role: "supervised", directives: [supervisor.part({ type: "send", text: "resume", token: "1" })] });
    const fake = load({ mode });
    t.after(() => fake.fire("session_shutdown"));
    await fake.fire("session_start", { reason: "startup" });
    await sleep(50);
    assert.deepEqual(fake.sent, []);
    assert.equal(supervisor.of("directive_result").length, 0);
    void fake.fire("resources_discover", { reason: "startup" });
    await until(() => fake.sent.length === 1);
    assert.ok((await supervisor.frame("directive_result")).ok);
  });
}

test("a Pi that never tells of the extensions' start is not waited for", async (t) => {
  const supervisor = await startSupervisor(t);
  supervisor.answers.hello = () => ({ ok: true, role: "supervised", directives: [supervisor.part({ type: "send", text: "resume", token: "1" })] });
  const fake = load();
  t.after(() => fake.fire("session_shutdown"));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await fake.fire("session_start", { reason: "startup" });
  t.mock.timers.tick(1999);
  assert.deepEqual(fake.sent, []);
  t.mock.timers.tick(1);
  assert.equal(fake.sent.length, 1);
  t.mock.timers.reset();
});

test("a run that begins all the same ends the wait", async (t) => {
  const supervisor = await startSupervisor(t);
  supervisor.answers.hello = () => ({ ok: true, role: "supervised", directives: [supervisor.part({ type: "send", text: "resume", token: "1" })] });
  const fake = load();
  t.after(() => fake.fire("session_shutdown"));
  await fake.fire("session_start", { reason: "startup" });
  fake.idle = false;
  await fake.fire("agent_start");
  assert.equal((await supervisor.frame("directive_result")).error, "busy");
});

test("a send in the first answer keeps resources_discover of print mode open until the run is over", async (t) => {
  const supervisor = await startSupervisor(t);
  supervisor.answers.hello = () => ({ ok: true, role: "supervised", directives: [supervisor.part({ type: "send", text: "resume", token: "1" })] });
  const fake = load({ mode: "print" });
  t.after(() => fake.fire("session_shutdown"));
  let open = true;
  await fake.fire("session_start", { reason: "startup" });
  const started = fake.fire("resources_discover", { reason: "startup" }).then(() => (open = false));
  await until(() => fake.sent.length === 1);
  assert.ok((await supervisor.frame("directive_result")).ok, "reported although it came with the answer to hello");
  fake.idle = false;
  await sleep(400);
  assert.ok(open);
  fake.idle = true;
  await started;
});
