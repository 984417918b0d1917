import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../src/commands.ts";
import { sleep, until } from "./support/supervisor.ts";
import { freshProcess, load, startWorld } from "./support/world.ts";

test("every command of ours is registered and asked about", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  assert.deepEqual([...fake.commands.keys()], ["goal", "resilient-stop", "canary", "canon", "canon-settings"]);
  for (const name of Object.keys(commands)) {
    supervisor.answers.command = () => ({ notices: [{ level: "warning", text: `about ${name}` }] });
    await fake.command(name, " as typed ");
    assert.deepEqual(fake.notices.at(-1), { level: "warning", text: `about ${name}` });
    const frame = supervisor.of("command").at(-1)!;
    assert.equal(frame.name, name);
    assert.equal(frame.args, " as typed ");
    assert.equal(frame.idle, true);
  }
});

test("wait_idle waits, and then asks again", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.command = (frame) => (frame.idle ? { reload: true, notices: [{ level: "info", text: "saved" }] } : { wait_idle: true });
  fake.idle = false;
  const done = fake.command("canary", "chirp");
  await sleep(100);
  assert.equal(supervisor.of("command").length, 1);
  assert.equal(fake.notices.length, 0);
  fake.idle = true;
  await done;
  assert.equal(supervisor.of("command").length, 2);
  assert.deepEqual(fake.calls, ["waitForIdle", "reload"]);
  assert.equal(fake.notices.at(-1)?.text, "saved");
});

test("a command that waits is taken back by an abort, with a word about it", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.command = (frame) => (frame.idle ? { notices: [{ level: "info", text: "saved" }] } : { wait_idle: true });
  const run = new AbortController();
  fake.context.signal = run.signal;
  fake.idle = false;
  const done = fake.command("canary", "chirp");
  await sleep(50);
  run.abort();
  delete fake.context.signal;
  fake.idle = true;
  await done;
  assert.equal(supervisor.of("command").length, 1);
  assert.match(fake.notices.at(-1)!.text, /canary chirp was not carried out/);
});

test("a command that waits is taken back by the same command with another word", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.command = (frame) => (frame.idle || frame.args === "off" ? {} : { wait_idle: true });
  fake.idle = false;
  const waits = fake.command("canary", "chirp");
  await sleep(20);
  await fake.command("canary", "off");
  fake.idle = true;
  await waits;
  assert.deepEqual(supervisor.of("command").map(({ args }) => args), ["chirp", "off"]);
});

test("a look at the canary takes back nothing that waits", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.command = (frame) => (frame.idle || frame.args === " " ? {} : { wait_idle: true });
  fake.idle = false;
  const waits = fake.command("canary", "chirp");
  await sleep(20);
  await fake.command("canary", " ");
  fake.idle = true;
  await waits;
  assert.deepEqual(supervisor.of("command").map(({ args }) => args), ["chirp", " ", "chirp"]);
});

test("a command asks again as often as a new run came in between", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  let asked = 0;
  supervisor.answers.command = () => (++asked < 4 ? { wait_idle: true } : { notices: [{ level: "info", text: "saved" }] });
  await fake.command("canary", "chirp");
  assert.equal(asked, 4);
  assert.equal(fake.notices.at(-1)?.text, "saved");
});

test("nobody answers: the user hears of it after five seconds", async (t) => {
  const { fake, supervisor } = await startWorld(t);
  supervisor.answers.command = () => undefined;
  const start = Date.now();
  await fake.command("goal");
  assert.ok(Date.now() - start >= 4900 && Date.now() - start < 5600);
  assert.match(fake.notices[0]!.text, /did not answer \/goal/);
});

test("without a connection a command says so at once", async () => {
  freshProcess();
  const fake = load();
  const start = Date.now();
  await fake.command("goal");
  assert.ok(Date.now() - start < 100);
  assert.equal(fake.notices.length, 1);
  freshProcess();
});

test("in print mode a command stays open until the run that it started is over", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "print", boundary: true });
  supervisor.answers.command = () => ({ run_ms: 60_000, directives: [supervisor.part({ type: "send", text: "objective", token: "1" })] });
  let open = true;
  const done = fake.command("goal", "x").then(() => (open = false));
  await until(() => fake.sent.length === 1);
  fake.idle = false;
  await sleep(300);
  assert.ok(open);
  fake.idle = true;
  await done;
});

test("in print mode a command does not stay open for longer than run_ms", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "print", boundary: true });
  supervisor.answers.command = () => ({ run_ms: 200 });
  fake.idle = false;
  const start = Date.now();
  await fake.command("goal", "x");
  assert.ok(Date.now() - start < 1000);
});
