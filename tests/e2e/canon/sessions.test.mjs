// What an MCP server knows of whoever calls: the host, the session, and what that session has seen.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Server, put, run, scratch } from "./canon.mjs";

/** The lines of an entry's front matter that say who wrote it. */
function provenance(place, name) {
  const text = readFileSync(join(place.project, ".canon/journal", name), "utf8");
  return /logged: .*\n([^]*?)---/.exec(text)[1].trim().split("\n").filter(Boolean).join(", ");
}

test("an entry tells the host and the session, from the best that is known", async (t) => {
  const place = scratch(t);
  const both = { CODEX_THREAD_ID: "thread", CLAUDE_CODE_SESSION_ID: "claude" };
  let count = 0;
  for (const [args, env, meta, expected] of [
    [[], {}, undefined, "harness: mcp"],
    [[], {}, { sessionId: "s" }, "harness: mcp, session: s"],
    [[], {}, { threadId: "t", sessionId: "s" }, "harness: mcp, session: t"],
    [[], {}, { threadId: "", sessionId: 5 }, "harness: mcp"],
    [[], both, undefined, "harness: codex, session: thread"],
    [[], { CLAUDE_CODE_SESSION_ID: "claude" }, undefined, "harness: claude-code, session: claude"],
    [[], { ...both, CANON_CALLER: "other", CANON_SESSION_ID: "mine" }, undefined, "harness: other, session: mine"],
    [[], { ...both, PI_CANON_CALLER: "older", PI_CANON_SESSION_ID: "old" }, undefined, "harness: older, session: old"],
    [[], { CANON_CALLER: "new", PI_CANON_CALLER: "older" }, undefined, "harness: new"],
    [["--host", "codex"], { CANON_CALLER: "other", CLAUDE_CODE_SESSION_ID: "claude" }, undefined, "harness: codex, session: claude"],
    [["--host", "claude-code"], { CANON_SESSION_ID: "mine" }, { threadId: "t" }, "harness: claude-code, session: t"],
    [[], { CANON_CALLER: "a: b", CANON_SESSION_ID: "true" }, undefined, 'harness: "a: b", session: "true"'],
  ]) {
    count += 1;
    const server = new Server(t, place, args, { env });
    await server.call({ action: "journal", body: "x", slug: `e${count}` }, meta);
    assert.deepEqual(await server.end(), { code: 0, signal: null });
    assert.equal(provenance(place, `2026-11-30-e${count}.md`), expected, `row ${count}`);
  }
  run(place, ["journal", "--body", "x", "--slug", "typed"]);
  assert.equal(provenance(place, "2026-11-30-typed.md"), "", "a person who types is no harness");
  run(place, ["journal", "--body", "x", "--slug", "asked"], { env: both });
  assert.equal(provenance(place, "2026-11-30-asked.md"), "harness: codex, session: thread");
});

test("each session knows what it has seen, and no other one's", async (t) => {
  const place = scratch(t);
  const server = new Server(t, place);
  const write = async (threadId, body) =>
    (await server.call({ action: "write", path: "a", capsule: `By ${threadId}.`, body }, { threadId })).text;
  assert.equal(await write("one", "1"), "Wrote a.");
  assert.equal(await write("one", "2"), "Wrote a.");
  assert.match(await write("two", "3"), /had not seen; its capsule said: By one\./);
  assert.match(await write("one", "4"), /had not seen; its capsule said: By two\./);
  await server.call({ action: "read", path: "a" }, { threadId: "two" });
  assert.equal(await write("two", "5"), "Wrote a.");
});

test("a server for ever new sessions and projects does not grow with them", async (t) => {
  const place = scratch(t);
  // A sanitizer keeps what was freed for a while, which is not growth.
  const server = new Server(t, place, [], { env: { ASAN_OPTIONS: "quarantine_size_mb=1" } });
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))[1]);
  const descriptors = () => readdirSync(`/proc/${server.child.pid}/fd`).length;
  const words = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(" ");
  const visit = async (from, to) => {
    for (let i = from; i < to; i += 1) {
      const folder = join(place.root, `p${i}`);
      put(join(folder, ".canon/articles/a.md"), `---\ncapsule: Of ${i}.\n---\n${words}\n`);
      const meta = { threadId: `t${i}`, "codex/sandbox-state-meta": { sandboxCwd: folder } };
      assert.match((await server.call({ action: "read", path: "a" }, meta)).text, new RegExp(`capsule: Of ${i}\\.`));
      assert.equal((await server.call({ action: "search", query: "word7" }, meta)).text, `a: Of ${i}.`);
    }
  };
  let round = 0;
  const write = async () => (await server.call(
    { action: "write", path: "a", capsule: `Round ${round += 1}.`, body: "x" }, { threadId: "first" })).text;
  await write();
  assert.equal(await write(), "Wrote a.");
  await visit(0, 100);
  assert.match(await write(), /had not seen/, "who was silent for longest is forgotten");
  const [before, open] = [memory(), descriptors()];
  await visit(100, 400);
  assert.ok(memory() - before < 8192, `${before} kB, then ${memory()} kB`);
  assert.equal(descriptors(), open);
});
