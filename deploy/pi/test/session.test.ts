import assert from "node:assert/strict";
import { test } from "node:test";
import { claim, sharedState, takeCredentials } from "../src/shared_state.ts";
import { sleep, until } from "./support/supervisor.ts";
import { freshProcess, load, startSupervisor, startWorld } from "./support/world.ts";

test("hello tells about this Pi, and no key of a provider", async (t) => {
  const { supervisor } = await startWorld(t, {
    boundary: true,
    settings: { canary: "chirp", providers: { x: { apiKey: "key" } } },
    entries: [
      { type: "custom", customType: "resilient-goal", data: { n: 1 } },
      { type: "custom", customType: "other", data: 1 },
      { type: "custom", customType: "resilient-goal", data: { n: 2 } },
    ],
  });
  const hello = await supervisor.frame("hello");
  assert.equal(hello.pid, process.pid);
  assert.equal(hello.generation, "generation-1");
  assert.deepEqual(hello.entries, { "resilient-goal": { n: 2 } });
  assert.deepEqual(hello.settings, { canary: "chirp" });
  assert.deepEqual(hello.capabilities, ["boundary", "get_settings"]);
  assert.deepEqual(hello.session, { file: "/sessions/one.jsonl", id: "session-1", leaf: "leaf-1" });
});

test("an older Pi has no capabilities, and they are never guessed", async (t) => {
  const { supervisor } = await startWorld(t);
  assert.deepEqual((await supervisor.frame("hello")).capabilities, []);
});

test("session_start waits two seconds for the answer to hello and no longer, and directives still count", async (t) => {
  const supervisor = await startSupervisor(t);
  supervisor.silent = true;
  const fake = load();
  t.after(() => fake.fire("session_shutdown"));
  const start = Date.now();
  await fake.fire("session_start", { reason: "startup" });
  const waited = Date.now() - start;
  assert.ok(waited >= 1900 && waited < 2600, `${waited} ms`);
  supervisor.direct({ type: "status", text: "late" });
  await until(() => fake.statuses.includes("late"));
  supervisor.send({ type: "reply", re: 1, ok: true, role: "supervised" });
  await sleep(50);
  await fake.fire("agent_start");
  await supervisor.frame("agent_start");
});

test("session_start that fires twice says hello once", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  await fake.fire("session_start", { reason: "new" });
  assert.equal(supervisor.of("hello").length, 1);
});

test("a reload leaves exactly one connection, and what was set holds", async (t) => {
  const { fake, supervisor } = await startWorld(t, {}, { gate: "no tools now" });
  supervisor.answers.hello = () => ({ ok: true, role: "supervised" });
  await fake.fire("session_shutdown", { reason: "reload" });
  const next = load();
  t.after(() => next.fire("session_shutdown"));
  await next.fire("session_start", { reason: "reload" });
  assert.equal((await supervisor.frame("goodbye")).reason, "reload");
  assert.equal(supervisor.of("hello")[1]!.reason, "reload");
  await until(() => supervisor.open === 1);
  assert.deepEqual(await next.fire("tool_call", { toolName: "read" }), { block: true, reason: "no tools now" });
});

test("a second copy registers nothing while the first runs", async (t) => {
  const { fake } = await startWorld(t);
  const second = load();
  assert.equal(second.commands.size, 0);
  assert.equal(second.tools.size, 0);
  assert.ok(!second.subscribed("session_start"));
  // A session that Pi has given up without a word has no claim any more.
  fake.stale = true;
  assert.ok(load().commands.size > 0);
  fake.stale = false;
});

test("before the start, a copy from another place is inert and the same place is loaded anew", () => {
  freshProcess();
  assert.ok(claim("/one/index.ts"));
  assert.equal(claim("/two/index.ts"), undefined);
  assert.ok(claim("/one/index.ts"));
  freshProcess();
});

test("nothing is sent or applied after session_shutdown", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  await fake.fire("session_shutdown", { reason: "quit" });
  await supervisor.frame("goodbye");
  const { length } = supervisor.frames;
  fake.stale = true;
  sharedState().set.gate = "no more";
  assert.equal(await fake.fire("tool_call", { toolName: "bash" }), undefined);
  await fake.fire("agent_settled");
  await fake.fire("agent_start");
  await fake.fire("session_start", { reason: "startup" });
  await sleep(50);
  assert.equal(supervisor.frames.length, length);
  assert.equal(supervisor.frames.at(-1)!.type, "goodbye");
  await until(() => supervisor.open === 0);
});

test("the launcher's variables are taken out of the environment", () => {
  freshProcess();
  const environment: NodeJS.ProcessEnv = {
    PI_RESILIENT_SOCKET: "/s",
    PI_RESILIENT_GENERATION: "g",
    PI_RESILIENT_SECRET: "x",
    PI_RESILIENT_MARK: "run:g",
  };
  takeCredentials(environment);
  assert.deepEqual(environment, { PI_RESILIENT_MARK: "run:g" });
  assert.deepEqual(sharedState().launcher, { socket: "/s", generation: "g", secret: "x" });
  takeCredentials({});
  assert.ok(sharedState().launcher, "they stay known for a reload");
  freshProcess();
});

test("a hello that is refused makes the extension inert, with one notice and without tools", async (t) => {
  const supervisor = await startSupervisor(t);
  supervisor.answers.hello = () => ({ ok: false, code: "second_client", message: "another Pi has this" });
  const fake = load();
  t.after(() => fake.fire("session_shutdown"));
  await fake.fire("session_start", { reason: "startup" });
  await until(() => supervisor.open === 0);
  await sleep(250);
  assert.equal(supervisor.connections, 1);
  assert.deepEqual(fake.notices, [{ level: "warning", text: "another Pi has this" }]);
  assert.deepEqual(fake.activeTools, ["read", "bash"]);
  await fake.command("goal", "x");
  assert.equal(fake.notices.at(-1)!.text, "another Pi has this");
});

test("a lease held elsewhere keeps the connection", async (t) => {
  const supervisor = await startSupervisor(t);
  supervisor.answers.hello = () => ({ ok: false, code: "lease", message: "held by 4711" });
  const fake = load();
  t.after(() => fake.fire("session_shutdown"));
  await fake.fire("session_start", { reason: "startup" });
  await fake.fire("agent_start");
  await supervisor.frame("agent_start");
  assert.equal(fake.notices[0]!.text, "held by 4711");
});

test("a lost connection lifts the gate with one notice, and comes back with a fresh hello", async (t) => {
  const { fake, supervisor } = await startWorld(t, {}, { gate: "recovering", ask_turn: true, system_append: "rule" });
  supervisor.answers.hello = () => ({ ok: true, role: "supervised" });
  supervisor.cut();
  await supervisor.frame("hello", 2);
  assert.equal(supervisor.of("hello")[1]!.reason, "resync");
  assert.equal(await fake.fire("tool_call", { toolName: "read" }), undefined);
  assert.equal(sharedState().set.askTurn, false);
  assert.equal(sharedState().set.systemAppend, "rule");
  assert.equal(fake.notices.length, 1);
  assert.match(fake.notices[0]!.text, /free again/);
  await sleep(50);
  await fake.fire("agent_start");
  await supervisor.frame("agent_start");
});

test("a lost connection says nothing of tools or a recovery when canon alone asked for turns", async (t) => {
  const { fake, supervisor } = await startWorld(t, {}, { ask_turn: true, touch: true });
  supervisor.answers.hello = () => ({ ok: true, role: "supervised" });
  supervisor.cut();
  await supervisor.frame("hello", 2);
  assert.equal(sharedState().set.askTurn, false);
  assert.equal(fake.notices.length, 1);
  assert.doesNotMatch(fake.notices[0]!.text, /recovery|Blocked/);
});

test("a launcher that is gone for five seconds takes Pi with it", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  const kill = t.mock.method(process, "kill", () => true);
  await supervisor.stop();
  await sleep(3000);
  assert.ok(!fake.calls.includes("shutdown"));
  await until(() => fake.calls.includes("shutdown"), 9000);
  assert.equal(kill.mock.callCount(), 0, "Pi gets the time to end by itself");
  await until(() => kill.mock.callCount() === 1, 3000);
  assert.deepEqual(kill.mock.calls[0]!.arguments, [process.pid, "SIGTERM"]);
});

test("a flood of garbage or a line without end costs the connection and nothing else", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.hello = () => ({ ok: true, role: "supervised" });
  supervisor.raw("garbage\n[]\n17\n");
  supervisor.direct({ type: "status", text: "still here" });
  await until(() => fake.statuses.includes("still here"));
  supervisor.raw("x\n".repeat(10));
  await supervisor.frame("hello", 2);
  supervisor.raw(Buffer.alloc(1_200_000, 97));
  await supervisor.frame("hello", 3);
  assert.equal(fake.notices.length, 1, "told once");
});

test("the heartbeat comes from a timer", async (t) => {
  const { supervisor } = await startWorld(t);
  assert.deepEqual(
    (({ idle, pending }) => ({ idle, pending }))(await supervisor.frame("heartbeat", 1, 6000)),
    { idle: true, pending: false },
  );
});

test("other extensions that do the same work are named", async (t) => {
  const supervisor = await startSupervisor(t);
  const fake = load();
  t.after(() => fake.fire("session_shutdown"));
  fake.foreignCommands = [
    { name: "canary:2", sourceInfo: { path: "/x/canary.ts" } },
    { name: "goal", sourceInfo: { path: "/y/goal/index.ts" } },
    { name: "help", sourceInfo: { path: "/x/help.ts" } },
    { name: "canon:1", sourceInfo: { path: new URL("../index.ts", import.meta.url).pathname } },
  ];
  await fake.fire("session_start", { reason: "startup" });
  assert.deepEqual((await supervisor.frame("hello")).others, ["/canary of canary.ts", "/goal of /y/goal/index.ts"]);
});
