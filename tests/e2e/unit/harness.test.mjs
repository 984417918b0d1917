// The harness must notice what is wrong: scenarios that have to fail, with a shell script as Pi.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { contains, isWantedCount } from "../lib/match.mjs";
import { compareVersions } from "../lib/pi.mjs";
import { reasonToSkip, runScenario } from "../lib/scenario.mjs";

const folder = mkdtempSync(join(tmpdir(), "harness-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a scenario with a shell script in place of Pi, and returns what was found wrong. */
async function problems(script, scenario) {
  const program = join(folder, "pi.sh");
  writeFileSync(program, `#!/bin/bash\n${script}\n`);
  chmodSync(program, 0o755);
  const options = { pi: { program, version: "1.6.0" }, node: process.execPath, root: join(folder, "runs") };
  const { failures } = await runScenario({ name: "test", mode: "print", ...scenario }, options);
  return failures.join("\n");
}

test("a part of an object is contained in it, patterns included", () => {
  assert.ok(contains({ a: 1, b: { c: "/^x/" } }, { a: 1, b: { c: "xyz" }, d: 2 }));
  assert.ok(!contains({ a: 1 }, { a: 2 }));
  assert.ok(!contains({ a: { b: 1 } }, { a: null }));
  assert.ok(!contains({ a: 1 }, undefined));
  assert.ok(!contains("/^x/", "ax"));
});

test("counts are exact or within bounds", () => {
  assert.ok(isWantedCount(2, 2) && !isWantedCount(3, 2));
  assert.ok(isWantedCount(2, { min: 1 }) && !isWantedCount(0, { min: 1 }) && !isWantedCount(9, { max: 8 }));
});

test("versions are compared by number, and bound a scenario from below and above", () => {
  assert.ok(compareVersions("0.87.1", "0.9.0") > 0);
  assert.equal(reasonToSkip({ since: "0.87.0" }, "0.83.0"), "needs Pi 0.87.0");
  assert.equal(reasonToSkip({ until: "0.87.0" }, "0.87.0"), "is about Pi before 0.87.0");
  assert.equal(reasonToSkip({ since: "0.80.6", until: "0.87.0" }, "0.83.0"), undefined);
});

test("what is claimed and true passes", async () => {
  const wrong = await problems('echo out; echo err >&2; exit 3', {
    steps: [{ waitExit: { code: 3 } }],
    asserts: [{ stdout: "out" }, { stderr: "err" }, { requests: 0 }, { file: "${project}/none", absent: true }],
  });
  assert.equal(wrong, "");
});

for (const [claim, scenario, complaint] of [
  ["another exit", { steps: [{ waitExit: { code: 0 } }] }, /the exit was/],
  ["other output", { asserts: [{ stdout: "else" }] }, /stdout lacks else/],
  ["requests", { asserts: [{ requests: 1 }] }, /there are 0 requests/],
  ["a request's text", { asserts: [{ request: 0, last: "x" }] }, /no request 0/],
  ["a file", { asserts: [{ file: "${project}/none", has: "x" }] }, /does not exist/],
  ["a session", { asserts: [{ sessions: 1 }] }, /0 session files/],
  ["an event", { asserts: [{ event: { type: "x" } }] }, /0 events/],
  ["a state file", { asserts: [{ supervisor: { state: "x" } }] }, /supervisor.json holds/],
  ["what a function denies", { asserts: [() => "it is wrong"] }, /it is wrong/],
  ["an unknown assertion", { asserts: [{ nonsense: 1 }] }, /no such assertion/],
  ["an unknown step", { steps: [{ nonsense: 1 }] }, /no such step/],
  ["an event that never comes", { steps: [{ wait: { type: "x" }, ms: 300 }] }, /ended.*before event/],
]) {
  test(`a scenario that claims ${claim} fails`, async () => {
    assert.match(await problems("echo out; exit 3", scenario), complaint);
  });
}

test("a request without a scripted reply fails the scenario", async () => {
  const post = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/'"$PORT"'; printf "POST /x HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2\\r\\n\\r\\n{}" >&3; head -n 1 <&3'`;
  assert.match(await problems(post, { env: { PORT: "${serverPort}" } }), /request 0 had no scripted reply/);
});

test("nothing that a scenario started is left running", async () => {
  const wrong = await problems("sleep 1000 & echo $! > \"$SANDBOX/../left.pid\"; exec sleep 1000", {
    mode: "rpc",
    steps: [{ sleep: 300 }],
  });
  assert.equal(wrong, "");
  const pid = readFileSync(join(folder, "runs/left.pid"), "utf8").trim();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(!existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z"));
});
