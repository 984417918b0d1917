import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, environment, put, run, scratch } from "./canon.mjs";

test("the first article takes one command and reads back", (t) => {
  const place = scratch(t);
  const wrote = run(place, ["write", "src/core/config.ts", "--capsule", "Env beats file.",
    "--body", "Body one."]);
  assert.equal(wrote.status, 0, wrote.stderr);
  assert.match(wrote.stdout, /^Wrote src\/core\/config\./);
  const read = run(place, ["read", "src/core/config/deep/x"]);
  assert.equal(read.stdout, "src/core/config governs src/core/config/deep/x\n"
    + "capsule: Env beats file.\nupdated: 2026-11-30\n\nBody one.\n");
  assert.equal(run(place, ["map"]).stdout, "src/core/config: Env beats file.\n");
  assert.equal(run(place, ["search", "env", "file"]).stdout, "src/core/config: Env beats file.\n");
  const logged = run(place, ["journal", "--body", "-", "--subject", "src/core/config", "--subject",
    "lake/prices", "--slug", "Vendor cap"], { input: "- cap is 42\n" });
  assert.match(logged.stdout, /^Logged 2026-11-30-vendor-cap\.md\./);
  assert.equal(
    readFileSync(join(place.project, ".canon/journal/2026-11-30-vendor-cap.md"), "utf8"),
    "---\nsubject: [src/core/config, lake/prices]\nlogged: 2026-11-30T17:05:02.875Z\n---\n"
    + "- cap is 42\n");
  assert.match(run(place, ["search", "--journal", "cap"]).stdout,
    /^journal 2026-11-30T17:05:02\.875Z \(src\/core\/config, lake\/prices\): - cap is 42\n/);
});

test("arguments may come as an object on stdin", (t) => {
  const place = scratch(t);
  const json = (action, object) =>
    run(place, [action, "--json"], { input: JSON.stringify(object) });
  assert.match(json("write", { path: "a", capsule: "C." }).stdout, /^Wrote a\./);
  assert.match(json("read", { action: "read", path: "a" }).stdout, /^a\ncapsule: C\.\n/);
  assert.equal(json("read", { action: "write", path: "a" }).status, 64);
  assert.equal(json("read", [1]).status, 64);
  assert.equal(run(place, ["read", "--json"], { input: "{bad" }).status, 64);
  // what nobody knows is named, and nothing is done
  const mistyped = json("write", { path: "b", capsul: "C.", x: 1 });
  assert.equal(mistyped.status, 64);
  assert.match(mistyped.stderr, /"capsul", "x".*Did you mean capsule\?.*Nothing was done/s);
  assert.ok(!existsSync(join(place.project, ".canon/articles/b.md")));
  assert.match(json("read", { file: "a" }).stderr, /no argument "file"\. The arguments are action, path/);
  assert.equal(json("read", { path: "a", _meta: {} }).status, 0);
});

test("exit codes tell wrong usage, failure and success apart", (t) => {
  const place = scratch(t);
  for (const [args, status] of [
    [["--help"], 0], [["read", "--help"], 0], [["--version"], 0],
    [[], 64], [["frobnicate"], 64], [["read", "--nope"], 64], [["why"], 64],
    [["mcp", "--host", "nobody"], 64], [["settings"], 0], [["settings", "grab"], 64],
    [["read"], 64], [["write", "--body", "x"], 64], [["journal"], 64], [["search"], 64],
    [["read", "a", "b"], 64], [["map", "--surface", "maybe"], 64], [["map", "--standout", "0"], 64],
    [["read", "src/a"], 0], [["search", "x"], 0], [["search", "map"], 0], [["map"], 0],
    [["write", "src/a", "--scope", "asset", "--body", "x"], 0],
    [["write", `a${"b".repeat(300)}`, "--body", "x"], 64],
    [["read", "a", "--project", "/nowhere/at/all"], 1],
    [["status", "--project", "/nowhere/at/all"], 1], [["map", "--mount", "/nowhere/at/all"], 1],
    [["settings", "set", "budget", "1"], 64], [["settings", "set", "root", "x"], 64],
    [["settings", "set", "standout", "0"], 64], [["settings", "get", "budget"], 64],
    [["settings", "get", "surface"], 0],
  ]) {
    const done = run(place, args);
    assert.equal(done.signal, null, `${args}`);
    assert.equal(done.status, status, `${args}: ${done.stderr}`);
    if (status !== 0) {
      assert.match(done.stderr, /^canon: \S/, `${args}`);
      assert.equal(done.stdout, "", `${args}`);
    }
  }
  assert.match(run(place, ["--help"]).stdout, /Examples:/);
});

test("what was mistyped is named, with what was meant", (t) => {
  const place = scratch(t);
  for (const [args, said] of [
    [["serch", "x"], /"serch".*\bsearch\b.*canon --help/],
    [["settings", "gte"], /"gte".*\bget\b.*canon settings --help/],
    [["search", "--jounral", "x"], /--jounral.*--journal.*canon search --help/],
    [["read", "a", "b"], /"b".*canon read --help/],
    [["frobnicate"], /"frobnicate".*read, write/],
    [["--project", ".", "maap"], /"maap".*\bmap\b/],
  ]) {
    assert.match(run(place, args).stderr, said, `${args}`);
  }
});

test("each command has help and examples of its own", (t) => {
  const place = scratch(t);
  for (const name of ["read", "write", "journal", "map", "search", "check", "why", "status",
    "settings", "mcp"]) {
    const { stdout } = run(place, [name, "--help"]);
    const examples = stdout.slice(stdout.indexOf("Examples:")).split("\n\n")[0].split("\n").slice(1)
      .filter(Boolean);
    assert.match(stdout, new RegExp(`^Usage: canon ${name} `, "m"));
    assert.ok(examples.length > 0, name);
    for (const line of examples) assert.match(line, new RegExp(`canon ${name}\\b`));
  }
});

test("a path outside the project is named with the address that it was taken for", (t) => {
  const place = scratch(t);
  const below = join(place.project, "src");
  mkdirSync(below);
  const said = (args, cwd = place.project) => run(place, args, { cwd }).stdout.split("\n").at(-2);
  const outside = /leads out of the project; it was taken for /;
  assert.match(said(["write", "../../x", "--capsule", "C."]), outside);
  assert.match(said(["write", "/somewhere/x", "--capsule", "C."]), outside);
  assert.match(said(["read", "/somewhere/x"]), /for somewhere\/x\.$/);
  assert.match(said(["journal", "--body", "x", "--subject", "../y"]), outside);
  for (const path of ["x", "./x", "../x", join(place.project, "x")]) {
    assert.doesNotMatch(run(place, ["write", path, "--capsule", "C."], { cwd: below }).stdout,
      outside, path);
  }
  assert.doesNotMatch(said(["journal", "--body", "x", "--subject", "../y"], below), outside);
});

test("a process that remembers nothing does not say what it had not seen", (t) => {
  const place = scratch(t);
  run(place, ["write", "a", "--capsule", "First."]);
  assert.equal(run(place, ["write", "a", "--capsule", "Second."]).stdout, "Wrote a.\n");
});

test("options of one run are laid over the settings", (t) => {
  const place = scratch(t);
  run(place, ["settings", "set", "standout", "2"]);
  assert.equal(run(place, ["settings", "--surface", "off", "--retrieval", "lexical", "--resurface",
    "off", "--standout", "3"]).stdout,
  "root       .canon\nsurface    off\nresurface  off\nretrieval  lexical\nstandout   3\n"
    + "mounts     none\n");
  assert.match(run(place, ["settings"]).stdout, /surface    on\n[^]*standout   2\n/);
  assert.match(run(place, ["write", "free", "--body", "Amounts must be cents.", "--capsule", "C.",
    "--retrieval", "lexical"]).stdout, /scope rule/);
});

test("status counts in words and says what is not there yet", (t) => {
  const place = scratch(t);
  assert.match(run(place, ["status"]).stdout, /^store +\S+\.canon: nothing there yet/m);
  run(place, ["write", "a", "--capsule", "First."]);
  run(place, ["journal", "--body", "x"]);
  assert.match(run(place, ["status"]).stdout, /: 1 article, 1 journal entry$/m);
  assert.equal(run(place, ["check"]).stdout, "1 article, 0 findings.\n");
  run(place, ["write", "b", "--capsule", "Second."]);
  assert.match(run(place, ["status"]).stdout, /: 2 articles, 1 journal entry$/m);
  const columns = run(place, ["status"]).stdout.split("\n").filter((line) => line.startsWith("  "));
  assert.equal(columns.length, 6);
  for (const line of columns) assert.match(line, /^ {2}\w+ +\S/);
  assert.equal(new Set(columns.map((line) => /^ {2}\w+ +/.exec(line)[0].length)).size, 1);
});

test("looking creates nothing", (t) => {
  const place = scratch(t);
  for (const args of [["read", "a"], ["map"], ["search", "x"], ["status"], ["check"],
    ["why", "a"], ["settings", "get"]]) {
    run(place, args);
  }
  assert.deepEqual(readdirSync(place.project), []);
  assert.deepEqual(readdirSync(place.home), []);
});

test("the project is found from a folder below, and paths may start from there", (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/src/core/config.md"), "---\ncapsule: C.\n---\n");
  const below = join(place.project, "src/core");
  mkdirSync(below, { recursive: true });
  assert.match(run(place, ["read", "src/core/config.ts"], { cwd: below }).stdout, /^src\/core\/c/);
  assert.match(run(place, ["read", "./config.ts"], { cwd: below }).stdout, /^src\/core\/config\n/);
  assert.match(run(place, ["read", "../core/config.ts"], { cwd: below }).stdout,
    /^src\/core\/config\n/);
  mkdirSync(join(below, ".git"));
  assert.match(run(place, ["map"], { cwd: below }).stdout, /^(?!src)/);
});

test("mounts and roots are given by flags", (t) => {
  const place = scratch(t);
  put(join(place.root, "lake/.canon/articles/prices.md"), "---\ncapsule: Cents.\n---\n");
  put(join(place.root, "elsewhere/articles/a.md"), "---\ncapsule: Moved.\n---\n");
  const lake = ["--mount", join(place.root, "lake")];
  assert.match(run(place, [...lake, "read", "lake:prices"]).stdout, /^lake:prices\ncapsule: Cents/);
  assert.match(run(place, ["read", join(place.root, "lake/prices.csv"), ...lake]).stdout,
    /^lake:prices\n/);
  assert.equal(run(place, ["map", "--root", "../elsewhere"]).stdout, "a: Moved.\n");
  assert.equal(run(place, ["search", "cents", "--path", "lake:", ...lake]).stdout,
    "lake:prices: Cents.\n");
  const status = JSON.parse(run(place, ["status", "--json", ...lake]).stdout);
  assert.deepEqual(status.places.map((one) => [one.name, one.articles]), [["", 0], ["lake", 1]]);
});

test("check finds what only a reader of the whole store can", (t) => {
  const place = scratch(t);
  const articles = join(place.project, ".canon/articles");
  put(join(articles, "src.md"), "See [[src/a]], [[gone]] and `[[code]]`.\n");
  put(join(articles, "src/a.md"), "See [[src]].\n");
  put(join(articles, "src/b.md"), "Alone.\n");
  const json = (...more) => JSON.parse(run(place, ["check", "--json", ...more]).stdout);
  assert.deepEqual(json().findings.map(({ kind, address, other }) => [kind, address, other]),
    [["dead-link", "src", "gone"]]);
  put(join(place.project, ".canon/schema.json"), JSON.stringify({
    relations: { orphan: { warn: true, hint: "Link it." }, children: { listed: true } },
  }));
  assert.deepEqual(json().findings.map(({ kind, address, other }) => [kind, address, other]), [
    ["dead-link", "src", "gone"], ["unlisted-child", "src", "src/b"], ["orphan", "src/b", ""]]);
  assert.equal(run(place, ["check"]).status, 0);
  assert.match(run(place, ["check"]).stdout, /src\/b.*\n?.*Link it\./);
  assert.equal(run(place, ["check", "--strict"]).status, 1);
  put(join(place.project, ".canon/schema.json"), "{bad");
  assert.ok(json().findings.some(({ kind }) => kind === "schema"));
});

test("the README's schema.json is understood whole, and does what the README says", (t) => {
  const place = scratch(t);
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const [, example] = /schema\.json[^]*?```json\n([^]*?)```/.exec(readme);
  put(join(place.project, ".canon/schema.json"), example);
  const findings = () => JSON.parse(run(place, ["check", "--json"]).stdout).findings;
  assert.deepEqual(findings(), []);
  const refused = run(place, ["write", "src", "--body", "No capsule."]);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /Say in one line what is true now\./);
  const named = run(place, ["write", "src", "--capsule", "C.", "--body", "Short."]);
  assert.equal(named.status, 0);
  assert.match(named.stdout, /body: 6 chars \(min 20\)[^]*refs: 0 outgoing \(min 1\)\. Link what/);
  run(place, ["write", "src/a", "--capsule", "C.", "--body", "See [[src]]."]);
  assert.deepEqual(findings().map(({ kind, address }) => [kind, address]),
    [["unlisted-child", "src"], ["orphan", "src/a"]]);
});

test("check names file and line of what is not UTF-8", (t) => {
  const place = scratch(t);
  const store = join(place.project, ".canon");
  const latin = (text) => Buffer.from(text, "latin1");
  put(join(store, "articles/src/good.md"), "---\ncapsule: Größe 配置 \uFFFD.\n---\nx\n");
  put(join(store, "articles/src/bad.md"), latin("---\ncapsule: A.\n---\n\nGr\u00f6\u00dfe\nok\n\u00fc\n"));
  put(join(store, "articles/tags.md"), latin("---\ncapsule: A.\ntags: [\u00fc]\n---\nx\n"));
  put(join(store, "articles/capsule.md"), latin("---\ncapsule: Gr\u00f6\u00dfe.\n---\nx\n"));
  put(join(store, "journal/2026-11-30-x.md"), latin("---\nlogged: 2026\n---\n\u00fc\n"));
  const { findings } = JSON.parse(run(place, ["check", "--json"]).stdout);
  assert.deepEqual(
    findings.map(({ kind, address, other, message }) =>
      [kind, address, other, / in line (.*)\. Save/.exec(message)[1]]).sort(),
    [["encoding", "", "journal/2026-11-30-x.md", "4"], ["encoding", "capsule", "", "2"],
      ["encoding", "src/bad", "", "5 and 1 more"], ["encoding", "tags", "", "3"]]);
  writeFileSync(Buffer.concat([Buffer.from(join(store, "articles/")), latin("gr\u00fcn.md")]), "x\n");
  assert.match(run(place, ["check"]).stdout, /The name .*articles\/gr\uFFFDn\.md is not UTF-8/);
  assert.equal(run(place, ["check", "--strict"]).status, 1);
});

test("why explains which article answers and what would surface", (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/src.md"), "---\ncapsule: All sources.\n---\n");
  put(join(place.project, "src/core/config.ts"), "");
  const json = (path) => JSON.parse(run(place, ["why", "--json", path]).stdout);
  const found = json("src/core/config.ts");
  assert.equal(found.address, "src/core/config");
  assert.equal(found.article, "src");
  assert.equal(found.surfaces, true);
  assert.match(run(place, ["why", "src/core/config.ts"]).stdout, /src[\s\S]*All sources\./);
  assert.equal(json("docs/x.md").article, null);
  assert.equal(json("docs/x.md").surfaces, false);
});

test("why says of a line that it surfaces exactly when a touch of the path brings it", (t) => {
  const place = scratch(t);
  for (const [address, capsule] of [["src", "All sources."], ["money", "Cents."], ["src/bare", ""]]) {
    put(join(place.project, `.canon/articles/${address}.md`), `---\n${capsule && `capsule: ${capsule}`}\nupdated: 2026-11-30\n---\n`);
  }
  put(join(place.project, "src/a.ts"), "");
  put(join(place.project, "src/bare.ts"), "");
  put(join(place.root, "elsewhere/src/a.ts"), "");
  const lineOf = (path, session) => {
    const event = { hook_event_name: "PostToolUse", session_id: session, tool_name: "read", tool_input: { path } };
    const said = JSON.parse(run(place, ["hook", "codex"], { input: JSON.stringify(event) }).stdout);
    return said.hookSpecificOutput?.additionalContext.split("\n")[1] ?? null;
  };
  for (const [path, surfaces] of [["src/a.ts", true], ["src", true], ["src/new.ts", true], ["src/bare.ts", true],
    ["nowhere/new.ts", false], ["money", false], ["src/none/new.ts", false], ["../elsewhere/src/a.ts", false],
    [join(place.root, "elsewhere/src/a.ts"), false], ["/etc/passwd", false]]) {
    const told = JSON.parse(run(place, ["why", "--json", path]).stdout);
    assert.equal(told.surfaces, surfaces, `${path}: ${told.reason}`);
    assert.equal(lineOf(path, path), surfaces ? told.line : null, path);
  }
  assert.equal(JSON.parse(run(place, ["why", "--json", "money"]).stdout).article, "money");
  const off = JSON.parse(run(place, ["why", "--json", "src/a.ts", "--surface", "off"]).stdout);
  assert.deepEqual([off.surfaces, /surface/.test(off.reason)], [false, true]);
});

test("a cold read of a large journal is remembered, and deleting that changes no answer",
  async (t) => {
    const place = scratch(t);
    const journal = join(place.project, ".canon/journal");
    put(join(place.project, ".canon/articles/a.md"), "Body.\n");
    const entry = (i, subject) =>
      put(join(journal, `2026-11-30-e${i}.md`), `---\nsubject: [${subject}]\n---\nx\n`);
    for (let i = 100; i < 300; i += 1) entry(i, i % 50 === 0 ? "a" : `other${i}`);
    const read = async () => {
      await new Promise((resolve) => setTimeout(resolve, 150)); // until the folder's time is old
      return run(place, ["read", "a"], { env: { CANON_NOW: "" } }).stdout.split("\n").at(-2);
    };
    const cache = join(place.home, ".cache/canon");
    const line = "journal: 2026-11-30-e250.md, 2026-11-30-e200.md, 2026-11-30-e150.md";
    assert.equal(await read(), `${line} and 1 earlier`);
    assert.equal(readdirSync(cache).length, 1);
    assert.equal(await read(), `${line} and 1 earlier`);
    entry(300, "a");
    assert.equal(await read(),
      "journal: 2026-11-30-e300.md, 2026-11-30-e250.md, 2026-11-30-e200.md and 2 earlier");
    rmSync(join(journal, "2026-11-30-e300.md"));
    rmSync(join(journal, "2026-11-30-e100.md"));
    assert.equal(await read(), line);
    rmSync(cache, { recursive: true });
    assert.equal(await read(), line);
    assert.equal(readdirSync(cache).length, 1);
    const [name] = readdirSync(cache);
    put(join(cache, name), "garbage");
    assert.equal(await read(), line);
  });

test("settings are validated, saved and used", (t) => {
  const place = scratch(t);
  const path = join(place.home, ".config/canon/settings.json");
  assert.equal(run(place, ["settings", "get", "standout"]).stdout, "1.4\n");
  assert.equal(run(place, ["settings", "set", "standout", "1.8"]).status, 0);
  assert.equal(run(place, ["settings", "get", "standout"]).stdout, "1.8\n");
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { standout: 1.8 });
  assert.notEqual(run(place, ["settings", "set", "standout", "0.5"]).status, 0);
  assert.notEqual(run(place, ["settings", "set", "budget", "5"]).status, 0);
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { standout: 1.8 });
  put(path, "{bad");
  const read = run(place, ["map"]);
  assert.equal(read.status, 0);
  assert.match(read.stderr, /settings\.json/);
});

test("the settings of the older release are read until there are others", (t) => {
  const place = scratch(t);
  const older = join(place.home, ".config/pi-canon/settings.json");
  put(older, '{"standout":2}\n');
  assert.equal(run(place, ["settings", "get", "standout"]).stdout, "2\n");
  run(place, ["settings", "set", "surface", "off"]);
  assert.equal(readFileSync(older, "utf8"), '{"standout":2}\n');
  assert.equal(run(place, ["settings", "get", "standout"]).stdout, "2\n");
  assert.equal(run(place, ["settings", "get", "surface"]).stdout, "off\n");
});

/** What the program writes to a terminal. */
function onTerminal(place, args, env = {}) {
  const command = [binary, ...args].map((word) => `'${word}'`).join(" ");
  return spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd: place.project, encoding: "utf8",
    env: environment(place, { TERM: "xterm", ...env }), input: "",
  });
}

const hasScript = spawnSync("script", ["--version"]).status === 0;

test("escapes in stored text never reach a terminal", { skip: !hasScript }, (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/a.md"),
    "---\ncapsule: Title \x1b]0;owned\x07 \x9b31m.\n---\nBody \x1b[2J \x07 \u202Ereversed \x7f.\r\n");
  for (const args of [["read", "a"], ["map"], ["search", "title"], ["why", "a"], ["check"]]) {
    const { stdout } = onTerminal(place, args, { NO_COLOR: "1" });
    assert.ok(stdout.length > 0, `${args}`);
    assert.ok(!/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u202e]/u.test(stdout), `${args}`);
  }
  assert.ok(run(place, ["read", "a"]).stdout.includes("\x1b[2J"), "a pipe gets the bytes as they are");
});

test("colours are for terminals that have them", { skip: !hasScript }, (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/a.md"), "[[gone]]\n");
  assert.match(onTerminal(place, ["check"]).stdout, /\x1b\[3\dm|\x1b\[1m/);
  assert.doesNotMatch(onTerminal(place, ["check"], { NO_COLOR: "1" }).stdout, /\x1b/);
  assert.doesNotMatch(onTerminal(place, ["check"], { TERM: "dumb" }).stdout, /\x1b/);
  assert.doesNotMatch(run(place, ["check"]).stdout, /\x1b/);
  assert.equal(existsSync(join(place.project, ".canon/journal")), false);
});
