// The six options: where each may come from, and that whoever serves the tool obeys them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Server, put, run, scratch } from "./canon.mjs";

const keys = ["root", "surface", "resurface", "retrieval", "standout", "mounts"];

/** The rows of README's table of options: { option, default, reason }. */
function documented() {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const [, table] = /\| option \| default \| what set it \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/.exec(readme);
  return table.trim().split("\n").map((row) => {
    const [, option, value, reason] = /^\| `(\w+)` \| (.+?) \| (.+) \|$/.exec(row);
    return { option, value: value.replaceAll("`", ""), reason };
  });
}

test("the README has each option with its default and what set it", (t) => {
  const place = scratch(t);
  const rows = documented();
  assert.deepEqual(rows.map(({ option }) => option), keys);
  for (const { option, value, reason } of rows) {
    const { stdout } = run(place, ["settings", "get", option]);
    assert.equal(value.replace("<project>/", ""), stdout.trim() || "none", option);
    assert.ok(reason.length > 0, option);
  }
  assert.match(rows.find(({ option }) => option === "surface").reason, /0 of 30/);
  const shown = run(place, ["settings"]).stdout.trim().split("\n").map((line) => line.split(/ +/)[0]);
  assert.deepEqual(shown, keys);
});

test("a seventh option is refused by name, wherever it is given", (t) => {
  const place = scratch(t);
  for (const args of [["settings", "get", "budget"], ["settings", "set", "budget", "5"], ["map", "--budget", "5"]]) {
    const done = run(place, args);
    assert.equal(done.status, 64, `${args}`);
    assert.match(done.stderr, /budget/, `${args}`);
  }
  put(join(place.home, ".config/canon/settings.json"), '{"budget":5}');
  for (const args of [["map"], ["read", "a"], ["settings"], ["status"], ["check"], ["why", "a"]]) {
    const done = run(place, args);
    assert.equal(done.status, 0, `${args}`);
    assert.match(done.stderr, /budget/, `${args}`);
  }
});

test("settings lie where XDG says, the cache too", (t) => {
  const place = scratch(t);
  const env = { XDG_CONFIG_HOME: join(place.root, "config"), XDG_CACHE_HOME: join(place.root, "cache") };
  assert.equal(run(place, ["settings", "set", "standout", "2"], { env }).status, 0);
  assert.deepEqual(JSON.parse(readFileSync(join(place.root, "config/canon/settings.json"), "utf8")), { standout: 2 });
  assert.equal(run(place, ["settings", "get", "standout"]).stdout, "1.4\n");
  assert.ok(!existsSync(join(place.home, ".config")));
  // what is no absolute path does not count
  assert.equal(run(place, ["settings", "get", "standout"], { env: { XDG_CONFIG_HOME: "config" } }).stdout, "1.4\n");
});

test("the project, the root and the mounts come by flag, else by environment, else by the older names", (t) => {
  const place = scratch(t);
  for (const name of ["other", "lake", "pond"]) {
    put(join(place.root, name, ".canon/articles/a.md"), `---\ncapsule: Of ${name}.\n---\n`);
  }
  put(join(place.root, "store/articles/a.md"), "---\ncapsule: Of store.\n---\n");
  const at = (name) => join(place.root, name);
  const map = (args, env = {}) => run(place, ["map", ...args], { env }).stdout;
  assert.equal(map(["--project", at("other")]), "a: Of other.\n");
  assert.equal(map(["--project", "../other"]), "a: Of other.\n");
  assert.equal(map(["--project", join(at("other"), ".canon")]), "No articles yet.\n", "a given project is not searched upwards");
  assert.equal(map([], { CANON_ROOT: at("store") }), "a: Of store.\n");
  assert.equal(map([], { PI_CANON_ROOT: at("store") }), "a: Of store.\n");
  assert.equal(map([], { CANON_ROOT: at("store"), PI_CANON_ROOT: at("nowhere") }), "a: Of store.\n");
  assert.equal(map(["--root", at("store")], { CANON_ROOT: at("nowhere") }), "a: Of store.\n");
  const mounted = { CANON_MOUNTS: `${at("lake")}:${at("pond")}` };
  assert.equal(map(["lake:"], mounted), "lake:a: Of lake.\n");
  assert.equal(map(["pond:"], mounted), "pond:a: Of pond.\n");
  assert.equal(map(["pond:"], { PI_CANON_MOUNTS: at("pond") }), "pond:a: Of pond.\n");
  assert.match(map(["lake:", "--mount", at("pond")], mounted), /No folder is mounted as lake:/);
});

test("an MCP server obeys the settings, and what its flags say", async (t) => {
  const place = scratch(t);
  put(join(place.root, "lake/.canon/articles/prices.md"), "---\ncapsule: Cents.\n---\n");
  put(join(place.root, "store/articles/a.md"), "---\ncapsule: Elsewhere.\n---\n");
  const described = async (server) => {
    const { instructions } = (await server.request(1, "initialize", {})).result;
    const [tool] = (await server.request(2, "tools/list")).result.tools;
    assert.ok(instructions.endsWith(tool.description));
    assert.ok(tool.description.length < 4096);
    return /scope rule/.test(tool.description) ? "lexical" : "none";
  };
  const asks = async (server, path) =>
    /scope rule/.test((await server.call({ action: "write", path, capsule: "C.", body: "Amounts must be cents." })).text);

  const plain = new Server(t, place);
  assert.equal(await described(plain), "none");
  assert.equal(await asks(plain, "one"), false);
  const flagged = new Server(t, place, ["--retrieval", "lexical", "--mount", join(place.root, "lake")]);
  assert.equal(await described(flagged), "lexical");
  assert.equal(await asks(flagged, "two"), true);
  assert.equal((await flagged.call({ action: "map", path: "lake:" })).text, "lake:prices: Cents.");
  const elsewhere = new Server(t, place, ["--root", join(place.root, "store")]);
  assert.equal((await elsewhere.call({ action: "map" })).text, "a: Elsewhere.");

  put(join(place.home, ".config/canon/settings.json"), '{"retrieval":"lexical"}');
  const kept = new Server(t, place);
  assert.equal(await described(kept), "lexical");
  assert.equal(await asks(kept, "three"), true);
  // a mistake is told once, on stderr, and the server serves
  put(join(place.home, ".config/canon/settings.json"), '{"retrieval":"bm25"}');
  const mistaken = new Server(t, place);
  assert.equal(await described(mistaken), "none");
  await mistaken.call({ action: "map" });
  await mistaken.end();
  assert.equal(mistaken.noise.match(/bm25/g)?.length, 1, mistaken.noise);
});

test("an MCP server whose project is given serves that one, whatever the host says", async (t) => {
  const place = scratch(t);
  for (const name of ["given", "named"]) {
    put(join(place.root, name, ".canon/articles/a.md"), `---\ncapsule: In ${name}.\n---\n`);
  }
  mkdirSync(join(place.root, "given/below"));
  const named = { "codex/sandbox-state-meta": { sandboxCwd: join(place.root, "named") } };
  const server = new Server(t, place, ["--project", join(place.root, "given")], { env: { CLAUDE_PROJECT_DIR: join(place.root, "named") } });
  assert.equal((await server.call({ action: "map" }, named)).text, "a: In given.");
  const told = new Server(t, place, [], { env: { CLAUDE_PROJECT_DIR: join(place.root, "given/below") } });
  assert.equal((await told.call({ action: "map" }, named)).text, "a: In named.", "the call comes before the environment");
  assert.equal((await told.call({ action: "map" })).text, "a: In given.");
});
