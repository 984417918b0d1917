// What the program asks of the system: no network, no other program, and git least of all.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, environment, scratch } from "./canon.mjs";

const traces = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;

/** A sanitizer's search for leaks traces too, which a traced process cannot. */
const withoutLeakCheck = { ASAN_OPTIONS: "detect_leaks=0" };

test("no command uses the network or starts a program", {
  skip: traces ? false : "strace is missing or may not trace here",
}, (t) => {
  const place = scratch(t);
  mkdirSync(join(place.project, ".git"));
  const call = (id, args) => JSON.stringify({
    jsonrpc: "2.0", id, method: "tools/call", params: { name: "canon", arguments: args },
  });
  const session = [
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    call(1, { action: "write", path: "b", capsule: "C.", body: "Text." }),
    call(2, { action: "search", query: "text", journal: true }),
  ].join("\n");
  for (const [args, input] of [
    [["write", "a", "--capsule", "C."]], [["journal", "--body", "x", "--subject", "a"]],
    [["read", "a"]], [["map"]], [["search", "c", "--journal"]], [["check"]], [["why", "a"]],
    [["status"]], [["settings", "set", "standout", "2"]], [["mcp"], `${session}\n`],
  ]) {
    const log = join(place.root, "trace");
    const done = spawnSync("strace",
      ["-f", "-qq", "-e", "trace=%network,execve,execveat", "-o", log, binary, ...args], {
        cwd: place.project, env: { ...environment(place), ...withoutLeakCheck }, input: input ?? "", encoding: "utf8",
      });
    assert.equal(done.status, 0, `${args}: ${done.stderr}`);
    const asked = readFileSync(log, "utf8").trim().split("\n").filter((line) => !/---/.test(line));
    assert.equal(asked.length, 1, `${args}: ${asked.join("\n")}`);
    assert.match(asked[0], /execve\(/);
  }
});
