// Drives `canon mcp` with programs that others wrote: two releases of the MCP inspector and the
// official conformance scenarios. `./tests/run long mcp` installs them and runs this file by a Node
// of 22.19 or newer. CANON_BIN is the program, CLIENTS the folder with their node_modules, and
// OLDER_NODE a Node 20 for the older inspector, if there is one.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, environment, scratch } from "../canon.mjs";
import { bridge } from "./http_bridge.mjs";

const modules = join(process.env.CLIENTS, "node_modules");
const olderNode = process.env.OLDER_NODE || process.execPath;

/** Runs a program of Node to its end: { status, stdout, stderr }. */
function node(place, program, script, args) {
  return new Promise((resolve) => {
    const child = spawn(program, [join(modules, script), ...args], {
      cwd: place.project, env: environment(place), stdio: ["ignore", "pipe", "pipe"],
    });
    const done = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (data) => { done.stdout += data; });
    child.stderr.setEncoding("utf8").on("data", (data) => { done.stderr += data; });
    const timer = setTimeout(() => child.kill("SIGKILL"), 120000);
    child.on("close", (status) => { clearTimeout(timer); resolve({ ...done, status }); });
  });
}

function checkTools(tools) {
  assert.equal(tools.length, 1);
  assert.equal(tools[0].name, "canon");
  assert.deepEqual(tools[0].inputSchema.properties.action.enum,
    ["read", "write", "journal", "map", "search"]);
}

test("the inspector 0.15.0 lists and calls the tool", async (t) => {
  const place = scratch(t);
  const inspect = (...args) => node(place, olderNode, "inspector-0.15.0/cli/build/cli.js",
    ["--cli", binary, "mcp", "--method", ...args]);
  const call = (...args) => inspect("tools/call", "--tool-name", "canon",
    ...args.flatMap((one) => ["--tool-arg", one]));
  const listed = await inspect("tools/list");
  assert.equal(listed.status, 0, listed.stderr);
  checkTools(JSON.parse(listed.stdout).tools);
  const wrote = await call("action=write", "path=src/a.ts", "capsule=Env beats file.");
  assert.deepEqual(JSON.parse(wrote.stdout),
    { content: [{ type: "text", text: "Wrote src/a." }], isError: false });
  assert.match(readFileSync(join(place.project, ".canon/articles/src/a.md"), "utf8"),
    /^capsule: Env beats file\.$/m);
  assert.equal(JSON.parse((await call("action=nope")).stdout).isError, true);
});

test("the inspector 2.12.0 initializes, lists and calls, and tells errors by its exit status",
  async (t) => {
    const place = scratch(t);
    const inspect = (...args) => node(place, process.execPath,
      "inspector-2.12.0/clients/launcher/build/index.js",
      ["--cli", binary, "mcp", "--format", "json", "--method", ...args]);
    const call = (args) => inspect("tools/call", "--tool-name", "canon", "--tool-args-json",
      JSON.stringify(args));
    const started = await inspect("initialize");
    assert.equal(started.status, 0, started.stderr);
    const { result } = JSON.parse(started.stdout);
    assert.equal(result.serverInfo.name, "canon");
    assert.equal(result.protocolVersion, "2025-11-25");
    for (const more of [["--strict"], ["--protocol-era", "auto"]]) {
      const listed = await inspect("tools/list", ...more);
      assert.equal(listed.status, 0, listed.stderr);
      checkTools(JSON.parse(listed.stdout).result.tools);
    }
    assert.equal((await call({ action: "read", path: "src/a" })).status, 0);
    assert.equal(existsSync(join(place.project, ".canon")), false);
    const logged = await call({ action: "journal", body: "Cap is 42.", subject: ["src/a"] });
    assert.equal(logged.status, 0, logged.stderr);
    assert.match(logged.stdout, /Logged \d{4}-\d{2}-\d{2}-entry\.md\./);
    assert.equal((await call({ action: "nope" })).status, 5);
    assert.equal((await call({ action: "write", path: "a", capsule: 5 })).status, 5);
  });

for (const scenario of ["server-initialize", "ping", "tools-list"]) {
  test(`the conformance scenario ${scenario} passes`, async (t) => {
    const place = scratch(t);
    const served = await bridge([binary, "mcp"], { cwd: place.project, env: environment(place) });
    const done = await node(place, process.execPath,
      "@modelcontextprotocol/conformance/dist/index.js",
      ["server", "--url", served.url, "--scenario", scenario]);
    await served.end();
    assert.equal(done.status, 0, done.stdout + done.stderr);
    assert.match(done.stdout, /Passed: [1-9]\d*\/\d+, 0 failed/);
  });
}
