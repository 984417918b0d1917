// Without a launcher: the extension starts the program itself.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sleep, until } from "./support/supervisor.ts";
import { freshProcess, load } from "./support/world.ts";

interface Program {
  path: string;
  log(): string[];
}

/** A program that acts as the sidecar does, in a few lines. */
function program(t: TestContext, body: string): Program {
  const folder = mkdtempSync(join(tmpdir(), "pi-resilient-sidecar-"));
  const path = join(folder, "pi-resilient");
  const log = join(folder, "log");
  writeFileSync(
    path,
    `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const note = (text) => appendFileSync(${JSON.stringify(log)}, text + "\\n");
const say = (frame) => process.stdout.write(JSON.stringify({ v: 1, ...frame }) + "\\n");
note("start " + process.argv[2] + " " + process.pid);
let text = "";
const lines = (act) => process.stdin.on("data", (bytes) => {
  text += bytes;
  for (let end = text.indexOf("\\n"); end >= 0; end = text.indexOf("\\n")) { act(JSON.parse(text.slice(0, end))); text = text.slice(end + 1); }
}).on("end", () => { note("end"); process.exit(0); });
${body}
`,
  );
  chmodSync(path, 0o755);
  const before = process.env.PI_RESILIENT_PROGRAM;
  freshProcess();
  process.env.PI_RESILIENT_PROGRAM = path;
  t.after(() => {
    if (before === undefined) delete process.env.PI_RESILIENT_PROGRAM;
    else process.env.PI_RESILIENT_PROGRAM = before;
    rmSync(folder, { recursive: true, force: true });
    freshProcess();
  });
  return { path, log: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []) };
}

const answering = `lines((frame) => { note("got " + frame.type + " " + (frame.secret ?? "no secret")); if (frame.type === "hello") say({ type: "reply", re: frame.id, ok: true, role: "sidecar" }); });`;

test("the sidecar lives from session_start to session_shutdown, and ends by itself at the end of its input", async (t) => {
  const sidecar = program(t, answering);
  const fake = load();
  await fake.fire("session_start", { reason: "startup" });
  await fake.fire("agent_start");
  await until(() => sidecar.log().includes("got agent_start no secret"));
  await fake.fire("session_shutdown", { reason: "reload" });
  assert.match(sidecar.log()[0]!, /^start sidecar \d+$/);
  assert.deepEqual(sidecar.log().slice(-2), ["got goodbye no secret", "end"]);
  assert.deepEqual(fake.notices, []);
});

test("a sidecar that does not end is ended", async (t) => {
  const sidecar = program(t, `${answering} process.stdin.removeAllListeners("end"); setInterval(() => {}, 1000);`);
  const fake = load();
  await fake.fire("session_start", { reason: "startup" });
  const pid = Number(sidecar.log()[0]!.split(" ")[2]);
  await fake.fire("session_shutdown", { reason: "new" });
  await sleep(50);
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
});

test("a missing program is told once, and offers no tools", async (t) => {
  freshProcess();
  t.after(freshProcess);
  process.env.PI_RESILIENT_PROGRAM = "/nowhere/pi-resilient";
  t.after(() => delete process.env.PI_RESILIENT_PROGRAM);
  const start = Date.now();
  const fake = load();
  await fake.fire("session_start", { reason: "startup" });
  assert.ok(Date.now() - start < 1000);
  assert.equal(fake.notices.length, 1);
  assert.match(fake.notices[0]!.text, /PI_RESILIENT_PROGRAM/);
  assert.deepEqual(fake.activeTools, ["read", "bash"]);
  assert.equal(await fake.fire("tool_call", { toolName: "bash" }), undefined);
  await fake.fire("session_shutdown", { reason: "reload" });
  const again = load();
  await again.fire("session_start", { reason: "reload" });
  assert.deepEqual(again.notices, []);
  await again.fire("session_shutdown", { reason: "quit" });
});

test("a sidecar that crashes is started again after a second, and told once with its last words", async (t) => {
  const sidecar = program(t, `lines((frame) => { if (frame.type === "hello") { say({ type: "reply", re: frame.id, ok: true, role: "sidecar" }); console.error("out of luck"); process.exitCode = 3; process.stdin.destroy(); } });`);
  const fake = load();
  await fake.fire("session_start", { reason: "startup" });
  const starts = () => sidecar.log().filter((line) => line.startsWith("start")).length;
  await until(() => fake.notices.length > 0);
  const first = Date.now();
  await until(() => starts() === 2, 3000);
  assert.ok(Date.now() - first > 800);
  await until(() => starts() === 3, 4000);
  assert.ok(Date.now() - first > 2900, "the second pause is twice as long");
  assert.equal(fake.notices.length, 1);
  assert.match(fake.notices[0]!.text, /status 3: out of luck/);
  await fake.fire("session_shutdown");
});

test("a sidecar that babbles is cut off and harms nobody", async (t) => {
  const sidecar = program(t, `process.stdout.on("error", () => process.exit(1)); note("pid"); setInterval(() => process.stdout.write("x".repeat(65536)), 1);`);
  const fake = load();
  const start = Date.now();
  await fake.fire("session_start", { reason: "startup" });
  assert.ok(Date.now() - start < 2600);
  assert.equal(fake.notices.length, 1);
  assert.ok(sidecar.log().length >= 2);
  await fake.fire("session_shutdown");
});
