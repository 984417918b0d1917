import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { Server, binary, environment, put, scratch } from "./canon.mjs";

const recorded = (name) =>
  readFileSync(new URL(`./recorded/${name}`, import.meta.url), "utf8").trimEnd().split("\n");

const article = "---\ncapsule: Env beats file.\nupdated: 2026-11-30\n---\nBody one.\n";

test("the messages that Claude Code sends get the answers that it needs", async (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/src/core/config.md"), article);
  const server = new Server(t, place, ["--host", "claude-code"]);
  for (const line of recorded("claude-code-2.1.332.jsonl")) server.send(`${line}\n`);
  const probe = await server.next();
  assert.equal(probe.id, "server-discover-probe-1");
  assert.equal(probe.error.code, -32601);
  const hello = await server.next();
  assert.equal(hello.id, 0);
  assert.equal(hello.result.protocolVersion, "2025-11-25");
  assert.equal(hello.result.serverInfo.name, "canon");
  const list = await server.next();
  assert.equal(list.result.tools.length, 1);
  const read = await server.next();
  assert.equal(read.id, 2);
  assert.deepEqual(read.result, {
    content: [{
      type: "text",
      text: "src/core/config\ncapsule: Env beats file.\nupdated: 2026-11-30\n\nBody one.",
    }],
    isError: false,
  });
  server.child.kill("SIGINT");
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  assert.deepEqual(server.lines, []);
  assert.equal(server.noise, "");
});

test("the messages that Codex sends get the answers that it needs", async (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/src/core/config.md"), article);
  const server = new Server(t, place, ["--host", "codex"]);
  for (const line of recorded("codex-0.171.0.jsonl")) server.send(`${line}\n`);
  const hello = await server.next();
  assert.equal(hello.result.protocolVersion, "2025-06-18");
  assert.deepEqual(hello.result.capabilities.experimental, { "codex/sandbox-state-meta": {} });
  assert.equal((await server.next()).result.tools[0].name, "canon");
  assert.match((await server.next()).result.content[0].text, /^src\/core\/config\n/);
  const failed = await server.next();
  assert.equal(failed.result.isError, true);
  assert.match(failed.result.content[0].text, /Unknown action "fail"/);
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.ended, { code: 0, signal: null });
});

test("the tool is described so that a model can use it unread", async (t) => {
  const server = new Server(t, scratch(t));
  const { instructions } = (await server.request(1, "initialize", {})).result;
  const start = instructions.slice(0, 250);
  for (const word of ["canon", "memory", "read", "write", "journal", "search", "map"]) {
    assert.ok(start.includes(word), word);
  }
  assert.ok(instructions.length < 4096, `${instructions.length}`);
  const [tool] = (await server.request(2, "tools/list")).result.tools;
  assert.ok(tool.description.length < 4096);
  assert.deepEqual(tool.inputSchema.required, ["action"]);
  assert.deepEqual(tool.inputSchema.properties.action.enum,
    ["read", "write", "journal", "map", "search"]);
  assert.equal(tool.annotations.readOnlyHint, false);
  assert.equal(tool.annotations.destructiveHint, false);
  assert.equal(tool.annotations.openWorldHint, false);
  assert.deepEqual(tool._meta, { "anthropic/alwaysLoad": true });
});

test("reading creates nothing, and the first write creates the store", async (t) => {
  const place = scratch(t);
  const server = new Server(t, place);
  await server.request(1, "initialize", {});
  await server.call({ action: "read", path: "src/a" });
  await server.call({ action: "map" });
  await server.call({ action: "search", query: "anything" });
  assert.deepEqual(readdirSync(place.project), []);
  const { text, isError } = await server.call({
    action: "write", path: "src/core/config",
    capsule: "Loads layered config; env beats file; secrets never land here.",
    body: "Resolution order is defaults, then config.toml, then environment.",
  });
  assert.equal(isError, false);
  assert.match(text, /^Wrote src\/core\/config\./);
  assert.equal(readFileSync(join(place.project, ".canon/articles/src/core/config.md"), "utf8"),
    "---\ncapsule: Loads layered config; env beats file; secrets never land here.\n"
    + "updated: 2026-11-30\n---\n"
    + "Resolution order is defaults, then config.toml, then environment.\n");
});

test("a host may say in each call where the session works", async (t) => {
  const place = scratch(t);
  for (const name of ["one", "two words", "größe"]) {
    put(join(place.root, name, ".canon/articles/a.md"), `---\ncapsule: In ${name}.\n---\n`);
    mkdirSync(join(place.root, name, "deep/er"), { recursive: true });
  }
  const server = new Server(t, place, ["--host", "codex"]);
  const inside = (folder) => ({ "codex/sandbox-state-meta": { sandboxCwd: folder } });
  for (const name of ["one", "two words", "größe"]) {
    for (const folder of [join(place.root, name), join(place.root, name, "deep/er")]) {
      const { text } = await server.call({ action: "map" }, inside(pathToFileURL(folder).href));
      assert.equal(text, `a: In ${name}.`);
    }
  }
  const lost = await server.call({ action: "write", path: "a", capsule: "x" },
    inside("file:///nowhere/at/all"));
  assert.equal(lost.isError, true);
  assert.match(lost.text, /nowhere\/at\/all/);
  for (const folder of ["relative", join(place.root, "one/.canon/articles/a.md"), `${pathToFileURL(join(place.root, "one")).href}%00`]) {
    const refused = await server.call({ action: "map" }, inside(folder));
    assert.equal(refused.isError, true, folder);
    assert.match(refused.text, /Nothing was done\.$/, folder);
  }
  assert.equal(existsSync("/nowhere"), false);
});

test("Claude Code names the project in the environment", async (t) => {
  const place = scratch(t);
  put(join(place.root, "named/.canon/articles/a.md"), "---\ncapsule: Named.\n---\n");
  const server = new Server(t, place, ["--host", "claude-code"],
    { env: { CLAUDE_PROJECT_DIR: join(place.root, "named") } });
  assert.equal((await server.call({ action: "map" })).text, "a: Named.");
});

test("journal entries name the host and the session", async (t) => {
  const place = scratch(t);
  const entry = (name) =>
    readFileSync(join(place.project, ".canon/journal", name), "utf8");
  const server = new Server(t, place, ["--host", "codex"],
    { env: { CLAUDE_CODE_SESSION_ID: "from-environment" } });
  await server.call({ action: "journal", body: "One.", slug: "a", subject: ["src/a"] },
    { threadId: "t-1", sessionId: "s-1" });
  assert.equal(entry("2026-11-30-a.md"),
    "---\nsubject: [src/a]\nlogged: 2026-11-30T17:05:02.875Z\nharness: codex\nsession: t-1\n---\n"
    + "One.\n");
  await server.call({ action: "journal", body: "Two.", slug: "b" });
  assert.match(entry("2026-11-30-b.md"), /harness: codex\nsession: from-environment\n/);
  const other = new Server(t, place);
  await other.call({ action: "journal", body: "Three.", slug: "c" });
  assert.equal(entry("2026-11-30-c.md"),
    "---\nlogged: 2026-11-30T17:05:02.875Z\nharness: mcp\n---\nThree.\n");
});

test("refusals and errors tell apart", async (t) => {
  const place = scratch(t);
  const server = new Server(t, place);
  const isError = async (args) => (await server.call(args)).isError;
  assert.equal(await isError({ action: "read", path: "src/a" }), false);
  assert.equal(await isError({ action: "search", query: "nothing" }), false);
  assert.equal(await isError({ action: "map" }), false);
  assert.equal(await isError({ action: "READ", path: "src/a" }), true);
  assert.equal(await isError({}), true);
  assert.equal(await isError({ action: "read" }), true);
  assert.equal(await isError({ action: "search", query: "  " }), true);
  assert.equal(await isError({ action: "write", path: "a\u0000b", capsule: "x" }), true);
  assert.equal(await isError("read"), true);
});

test("messages arrive in pieces, with CRLF, between blank lines, without a last line end",
  async (t) => {
    const server = new Server(t, scratch(t));
    const ping = (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
    server.send(`\r\n${ping(1)}\r\n\n   \n`);
    assert.equal((await server.next()).id, 1);
    for (const piece of [ping(2).slice(0, 5), ping(2).slice(5, 20), `${ping(2).slice(20)}\n`]) {
      server.send(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal((await server.next()).id, 2);
    server.send(Buffer.from([0x7b, 0xff, 0xfe, 0x0a]));
    assert.equal((await server.next()).error.code, -32700);
    server.send(`[${ping(3)},${ping(4)}]\n`);
    assert.equal((await server.next()).id, 3);
    assert.equal((await server.next()).id, 4);
    server.send(`Content-Length: 41\r\n\r\n${ping(5)}`);
    assert.equal((await server.next()).error.code, -32700);
    assert.deepEqual(await server.end(), { code: 0, signal: null });
    assert.equal((await server.next()).id, 5);
  });

test("a large answer reaches a slow reader whole", async (t) => {
  const place = scratch(t);
  const body = "0123456789abcdef".repeat(5 * 65536);
  put(join(place.project, ".canon/articles/large.md"), `---\ncapsule: L.\n---\n${body}\n`);
  const server = new Server(t, place);
  server.child.stdout.pause();
  server.send({
    jsonrpc: "2.0", id: 1, method: "tools/call",
    params: { name: "canon", arguments: { action: "read", path: "large" } },
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  server.child.stdout.resume();
  assert.ok((await server.next()).result.content[0].text.includes(body));
});

test("a message of 17 MiB is refused and the next one is answered", async (t) => {
  const server = new Server(t, scratch(t));
  server.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":"${"x".repeat(17 << 20)}"}\n`);
  assert.equal((await server.next()).error.code, -32700);
  assert.equal((await server.request(2, "ping")).id, 2);
});

test("the protocol does not wait for a log that nobody reads", async (t) => {
  const place = scratch(t);
  put(join(place.home, ".config/canon/settings.json"), "{bad");
  // stderr is a pipe that is full before the server starts
  const script = "while :; do printf '%01024d' 0; done >&2 & sleep 0.3; kill $!; exec \"$0\" mcp";
  const child = spawn("sh", ["-c", script, binary], {
    cwd: place.project, env: environment(place), stdio: ["pipe", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  const answered = new Promise((resolve) => child.stdout.once("data", resolve));
  child.stderr.pause();
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  const timeout = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("blocked")), 10000).unref();
  });
  await Promise.race([answered, timeout]);
  child.stdin.end();
});

test("the server ends with its parent, though its input stays open", async (t) => {
  const place = scratch(t);
  const fifo = join(place.root, "input");
  // The middle process starts the server and is killed; the fifo is held open by this test's shell.
  const script = `mkfifo "$1"; exec 3<>"$1"; sh -c '"$0" mcp <&3 & echo $!; wait' "$0" & echo $!; wait`;
  const shell = spawn("bash", ["-c", script, binary, fifo], {
    cwd: place.project, env: environment(place), stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => shell.kill("SIGKILL"));
  let output = "";
  shell.stdout.setEncoding("utf8").on("data", (data) => { output += data; });
  const until = async (done, what) => {
    for (let i = 0; i < 500; i += 1) {
      if (done()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(what);
  };
  await until(() => output.trim().split("\n").length === 2, "did not start");
  const pids = output.trim().split("\n").map(Number);
  const commandOf = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return "";
    }
  };
  await until(() => pids.some((pid) => commandOf(pid).includes("\0mcp\0")), "no server");
  await new Promise((resolve) => setTimeout(resolve, 200));
  const server = pids.find((pid) => commandOf(pid).startsWith(`${binary}\0mcp\0`));
  process.kill(pids.find((pid) => pid !== server), "SIGKILL");
  await until(() => commandOf(server) === "", "the server outlived its parent");
});

test("it answers while other servers write the same store", async (t) => {
  const place = scratch(t);
  const servers = [1, 2, 3, 4].map(() => new Server(t, place));
  const rounds = 25;
  await Promise.all(servers.map(async (server, who) => {
    for (let i = 0; i < rounds; i += 1) {
      const written = await server.call({
        action: "write", path: "shared", capsule: `Writer ${who}, ${i}.`, body: "x".repeat(2000),
      });
      assert.equal(written.isError, false, written.text);
      const read = await server.call({ action: "read", path: "shared" });
      assert.match(read.text, /^shared\ncapsule: Writer \d, \d+\.\nupdated: 2026-11-30\n\nx{2000}/);
      await server.call({ action: "journal", body: `${who} ${i}`, slug: "same" });
    }
  }));
  const names = readdirSync(join(place.project, ".canon/journal"));
  assert.equal(names.length, servers.length * rounds);
  const found = await servers[0].call({ action: "search", query: "writer" });
  assert.match(found.text, /^shared: Writer /);
});

test("search sees edits in place and entries that come and go", async (t) => {
  const place = scratch(t);
  const path = join(place.project, ".canon/articles/src/a.md");
  put(path, "---\ncapsule: First.\n---\nalpha\n");
  const server = new Server(t, place, [], { env: { CANON_NOW: "" } });
  const search = async (query, journal = false) =>
    (await server.call({ action: "search", query, journal })).text;
  assert.equal(await search("alpha"), "src/a: First.");
  for (const word of ["gamma", "delta", "omega"]) {
    writeFileSync(path, `---\ncapsule: First.\n---\n${word}\n`);
    assert.equal(await search(word), "src/a: First.", word);
    assert.match(await search("alpha"), /^Nothing matches "alpha"\.$/);
  }
  put(join(place.project, ".canon/articles/配置.md"), "API für größe: 配置文件\n");
  for (const query of ["API", "api", "配置", "GRÖSSE", "für"]) {
    assert.match(await search(query), /^配置: API für größe: 配置文件/, query);
  }
  put(join(place.project, ".canon/journal/2026-11-30-x.md"),
    "---\nsubject: [src/a]\nlogged: 2026-11-30T17:05:02.875Z\n---\nomega event\n");
  assert.match(await search("omega"), /^src\/a: First\.\n.*pass journal true/);
  assert.equal(await search("omega event", true),
    "src/a: First.\njournal 2026-11-30T17:05:02.875Z (src/a): omega event");
});
