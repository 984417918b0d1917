// Which hooks Codex runs: those that its user trusts. See `deploy/plugins/README.md`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { binary } from "../canon/canon.mjs";
import { Host, packets } from "./host.mjs";

/** Lets `use` talk to Codex as an editor does: `use((method, params) => result)`. */
async function withAppServer(host, use) {
  const child = spawn(host.kind.program, ["app-server"], {
    cwd: host.place.project, env: host.environment, stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout });
  let last = 0;
  const call = async (method, params) => {
    last += 1;
    child.stdin.write(`${JSON.stringify({ id: last, method, params })}\n`);
    for (;;) {
      const [line] = await once(lines, "line");
      const message = JSON.parse(line);
      if (message.id === last) return message.result;
    }
  };
  try {
    await call("initialize", { clientInfo: { name: "tests", title: null, version: "1" } });
    child.stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
    return await use(call);
  } finally {
    const ended = once(child, "exit");
    child.stdin.end();
    await ended;
  }
}

const listHooks = async (host, call) => (await call("hooks/list", { cwds: [host.place.project] })).data[0].hooks;

/** What the user does by /hooks: trusts what there is. */
const trustAll = (host) => withAppServer(host, async (call) => {
  const hooks = await listHooks(host, call);
  const value = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
  await call("config/batchWrite", { edits: [{ keyPath: "hooks.state", mergeStrategy: "upsert", value }] });
});

const trustOf = async (host) => [...new Set(await withAppServer(host, async (call) =>
  (await listHooks(host, call)).map(({ trustStatus }) => trustStatus)))];

/** The packets that one touch brings. */
async function touch(host) {
  const requests = await host.ask("go", [{ tools: [{ name: "exec_command", args: { cmd: "cat src/a.ts" } }] }, { text: "done" }]);
  return packets(requests[1]);
}

test("Codex: trust in the hooks outlives a new program, and no other change of the plugin", async (t) => {
  const host = await Host.open(t, "codex");
  host.govern("a");
  assert.deepEqual(await trustOf(host), ["untrusted"]);
  assert.deepEqual(await touch(host), [], "hooks that nobody trusts are skipped");

  await trustAll(host);
  assert.deepEqual(await trustOf(host), ["trusted"]);
  assert.deepEqual(await touch(host), ["a"]);

  const newer = join(host.place.root, "bin");
  mkdirSync(newer);
  copyFileSync(binary, join(newer, "canon"));
  appendFileSync(join(newer, "canon"), "another build");
  host.environment.PATH = `${newer}:${host.environment.PATH}`;
  assert.deepEqual(await trustOf(host), ["trusted"]);
  assert.deepEqual(await touch(host), ["a"]);

  const versions = join(host.place.home, ".codex/plugins/cache/canon/canon");
  appendFileSync(join(versions, readdirSync(versions)[0], "README.md"), "\n");
  assert.deepEqual(await trustOf(host), ["modified"]);
  assert.deepEqual(await touch(host), []);
});
