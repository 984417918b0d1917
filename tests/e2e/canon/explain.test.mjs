// `canon why` and `canon check`: what they say of paths, of stores that are damaged, and to a terminal.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, environment, now, put, run, scratch } from "./canon.mjs";

const article = (capsule) => `---\ncapsule: ${capsule}\nupdated: 2026-11-30\n---\n`;

test("why names the rule that made the address, and the one that found the article", (t) => {
  const place = scratch(t);
  const lake = join(place.root, "lake");
  const store = join(place.project, ".canon/articles");
  for (const [address, capsule] of [["src", "All."], ["src/core/config.test", "Test."], ["packages/ui.kit", "Kit."]]) {
    put(join(store, `${address}.md`), article(capsule));
  }
  put(join(lake, ".canon/articles/prices.md"), article("Cents."));
  put(join(lake, "prices.csv"), "");
  put(join(place.project, "src/core/config.ts"), "");
  put(join(place.project, "packages/ui.kit/button.tsx"), "");
  mkdirSync(join(place.project, "docs/v1.2"), { recursive: true });
  for (const [path, address, article, rule, via] of [
    ["src", "src", "src", /from the project folder/, /exactly this address/],
    ["src/core/config.ts", "src/core/config", "src", /the extension is dropped/, /nearest one above/],
    [join(place.project, "src/core/config.ts"), "src/core/config", "src", /the extension is dropped/, /nearest one above/],
    ["src/core/config.test.ts", "src/core/config.test", "src/core/config.test", /the extension is dropped/, /exactly/],
    ["src/core/config.test", "src/core/config.test", "src/core/config.test", /an article has exactly this name/, /exactly/],
    ["packages/ui.kit", "packages/ui.kit", "packages/ui.kit", /exactly this name|the name of a folder/, /exactly/],
    ["packages/ui.kit/button.tsx", "packages/ui.kit/button", "packages/ui.kit", /the extension is dropped/, /nearest one above/],
    ["docs/v1.2", "docs/v1.2", null, /nothing is dropped from the name of a folder/, /^$/],
    ["lake:prices.csv", "prices", "lake:prices", /it names the mount lake; the extension is dropped/, /exactly/],
    [join(lake, "prices.csv"), "prices", "lake:prices", /it lies in the mount lake, /, /exactly/],
    ["/etc/passwd", "etc/passwd", null, /./, /^$/],
    ["...", "", null, /names no asset/, /^$/],
  ]) {
    const done = run(place, ["why", "--json", "--mount", lake, path]);
    assert.equal(done.status, 0, `${path}: ${done.stderr}`);
    const told = JSON.parse(done.stdout);
    assert.equal(told.address, address, path);
    assert.equal(told.article, article, path);
    assert.match(told.rule, rule, path);
    assert.match(told.via, via, path);
    const text = run(place, ["why", "--mount", lake, path]).stdout;
    assert.match(text, /^path +[^]*\naddress +[^]*\narticle +[^]*\nsurfaces +(yes|no): ./, path);
    assert.ok(text.includes(told.rule), path);
  }
  assert.match(run(place, ["why", "/etc/passwd"]).stdout, /surfaces +no: .*outside the project/);
});

test("check names what cannot be read, links into mounts that hold nothing, and what a killed write left", (t) => {
  const place = scratch(t);
  const lake = join(place.root, "lake");
  const store = join(place.project, ".canon");
  const articles = join(store, "articles");
  put(join(articles, "a.md"), "See [[lake:prices]], [[lake:gone]], [[b.ts]], [[a.md]].\n");
  put(join(articles, "b.md"), "x\n");
  put(join(lake, ".canon/articles/prices.md"), article("Cents."));
  put(join(place.root, "outside.md"), "secret\n");
  symlinkSync("../../../outside.md", join(articles, "escapes.md"));
  symlinkSync("nowhere.md", join(articles, "dangles.md"));
  assert.equal(spawnSync("mkfifo", [join(articles, "pipe.md")]).status, 0);
  put(join(store, "journal/2026-11-30-x.md"), "x\n");
  symlinkSync("../../../outside.md", join(store, "journal/2026-11-30-y.md"));
  // left by a write that was killed long ago, and by one that is at work
  for (const [name, at] of [[".write-0123456789abcdef.tmp", "2026-11-29"], [".write-fedcba9876543210.tmp", now]]) {
    put(join(articles, name), "---\n");
    utimesSync(join(articles, name), new Date(at), new Date(at));
  }
  put(join(articles, "of-an-editor.tmp"), "x\n");
  const found = run(place, ["check", "--json", "--mount", lake]);
  const { articles: count, findings } = JSON.parse(found.stdout);
  assert.equal(count, 2);
  const of = (kind) => findings.filter((one) => one.kind === kind);
  assert.deepEqual(of("dead-link").map(({ address, other }) => [address, other]), [["a", "lake:gone"]]);
  for (const name of ["escapes.md", "dangles.md", "pipe.md", "2026-11-30-y.md"]) {
    assert.equal(of("unreadable").filter(({ message }) => message.includes(name)).length, 1, `${name}: ${found.stdout}`);
  }
  assert.deepEqual(of("leftover").map(({ other }) => other), ["articles/.write-0123456789abcdef.tmp"]);
  assert.equal(findings.length, 6, found.stdout);
  assert.ok(!found.stdout.includes("secret"));
  assert.equal(run(place, ["check", "--strict", "--mount", lake]).status, 1);
  assert.equal(run(place, ["check", "--strict", "--project", lake]).status, 0);
  assert.match(run(place, ["check", "--mount", lake]).stdout, /\n2 articles, 6 findings\.\n$/);
  assert.deepEqual(readdirSync(store).sort(), ["articles", "journal"], "looking creates nothing");
});

test("what this user may not read is named, and stands in nobody's way", {
  skip: process.getuid() === 0 ? false : "only root can become a user who may not",
}, (t) => {
  const place = scratch(t);
  const articles = join(place.project, ".canon/articles");
  for (const address of ["src", "src/open", "src/secret", "hidden/a", "src/closed/gone"]) {
    put(join(articles, `${address}.md`), article(`Of ${address}.`));
  }
  put(join(place.project, "src/closed/x.ts"), "");
  for (const folder of [place.root, place.home, place.project, articles, join(articles, "src")]) chmodSync(folder, 0o777);
  chmodSync(join(articles, "src/secret.md"), 0o600);
  chmodSync(join(articles, "hidden"), 0o700);
  chmodSync(join(place.project, "src/closed"), 0o700);
  const asNobody = (...args) => spawnSync(binary, args, {
    cwd: place.project, uid: 65534, gid: 65534, encoding: "utf8", env: environment(place),
  });
  const { findings } = JSON.parse(asNobody("check", "--json").stdout);
  assert.deepEqual(findings.map(({ kind }) => kind), ["unreadable", "unreadable"]);
  for (const name of ["src/secret.md", "hidden"]) {
    assert.equal(findings.filter(({ message }) => message.includes(name)).length, 1, JSON.stringify(findings));
  }
  const read = asNobody("read", "src/secret.ts");
  assert.equal(read.status, 1);
  assert.match(read.stderr, /could not be read.*secret\.md/);
  const written = asNobody("write", "src/secret.ts", "--capsule", "New.");
  assert.equal(written.status, 1);
  assert.match(written.stderr, /not written.*secret\.md/);
  assert.match(asNobody("read", "src/open.ts").stdout, /^src\/open\ncapsule: Of src\/open\./);
  assert.match(asNobody("search", "open").stdout, /^src\/open: Of src\/open\.\nNot searched, 2 in all: /);
  assert.match(asNobody("map").stdout, /^src: Of src\.\nsrc\/closed\/gone: [^]*src\/open: Of src\/open\.\n/m);
  assert.match(asNobody("read", "src/closed/gone").stdout, /No asset on disk matches src\/closed\/gone/);
  assert.match(asNobody("write", "src/open", "--capsule", "New.").stdout, /^Wrote src\/open\./);
});

test("a store or a journal that nobody can look into is told, and is not taken for an empty one", (t) => {
  const told = (break_, args, pattern) => {
    const place = scratch(t);
    const store = join(place.project, ".canon");
    put(join(store, "articles/a.md"), article("Of a."));
    put(join(store, "journal/2026-01-01-e.md"), "---\nsubject: [a]\n---\nIt happened.\n");
    break_(store);
    const done = run(place, args);
    assert.match(done.stdout + done.stderr, pattern, args.join(" "));
    return done;
  };
  const noArticles = (store) => {
    rmSync(join(store, "articles"), { recursive: true });
    put(join(store, "articles"), "a file\n");
  };
  const noJournal = (store) => {
    rmSync(join(store, "journal"), { recursive: true });
    put(join(store, "journal"), "a file\n");
  };
  const journalElsewhere = (store) => {
    rmSync(join(store, "journal"), { recursive: true });
    symlinkSync("/etc", join(store, "journal"));
  };
  const noStore = (store) => {
    rmSync(store, { recursive: true });
    put(store, "a file\n");
  };
  told(noArticles, ["map"], /^No article can be shown\.\nNot read, 1 in all: .*articles is not a folder/);
  told(noArticles, ["read", "a"], /could not be read: .*articles is not a folder/);
  told(noArticles, ["search", "x"], /Not searched, 1 in all: .*articles is not a folder/);
  told(noArticles, ["status"], /not all of it can be read: .*articles is not a folder/);
  assert.equal(told(noArticles, ["check", "--strict"], /articles is not a folder/).status, 1);
  told(noStore, ["map"], /Not read, 1 in all: .*\.canon is not a folder/);
  assert.equal(told(noStore, ["check", "--strict"], /\.canon is not a folder/).status, 1);
  for (const gone of [noJournal, journalElsewhere]) {
    assert.equal(told(gone, ["check", "--strict"], /journal/).status, 1);
    told(gone, ["search", "happened", "--journal"], /Not searched, 1 in all: .*journal/);
    told(gone, ["status"], /not all of it can be read: .*journal/);
  }
});

test("an answer that cannot be written, and an input that cannot be read, are failures", (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/a.md"), article("Of a."));
  const shell = (line) => spawnSync("sh", ["-c", line], { cwd: place.project, encoding: "utf8", env: { ...environment(place), C: binary } });
  for (const words of ["read a", "map", "check", "status", "--help"]) {
    const full = shell(`exec "$C" ${words} > /dev/full`);
    assert.equal(full.status, 1, words);
    assert.match(full.stderr, /could not be written to stdout/, words);
  }
  for (const input of ["< /", "<&-"]) {
    const done = shell(`exec "$C" write b --capsule C. --body - ${input}`);
    assert.equal(done.status, 1, input);
    assert.match(done.stderr, /stdin/, input);
  }
  const endless = shell('yes | "$C" write b --capsule C. --body -');
  assert.match(endless.stderr, /stdin.*16777216/);
  assert.equal(shell('"$C" read b').stdout.startsWith("No article governs b"), true);
});

const hasScript = spawnSync("script", ["--version"]).status === 0;

test("what was typed, and what files say, reaches a terminal harmless in an error too", { skip: !hasScript }, (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/schema.json"),
    JSON.stringify({ article: { "x\x1b[31m": {}, title: { required: true, hint: "Name\x1b[2J it." } } }));
  put(join(place.home, ".config/canon/settings.json"), JSON.stringify({ "bad\x1b]0;owned\x07": 1 }));
  const escape = "\\x1b[31m";
  for (const args of [["write", "a", "--body", "x"], ["read", "a", `--proj${escape}`], [`fro${escape}b`],
    ["map", "--project", `/nowhere${escape}`], ["settings"], ["settings", "get", `x${escape}`], ["check"],
    ["why", `a${escape}`], ["read", `a${escape}`], ["journal", "--body", `x${escape}`, "--slug", `y${escape}`]]) {
    const command = [binary, ...args].map((word) => `$'${word}'`).join(" ");
    const { stdout } = spawnSync("script", ["-qec", `bash -c "${command.replaceAll("$", "\\$")}"`, "/dev/null"], {
      cwd: place.project, encoding: "utf8", env: environment(place, { TERM: "xterm", NO_COLOR: "1" }), input: "",
    });
    assert.ok(stdout.length > 0, `${args}`);
    assert.ok(stdout.includes("␛"), `${args}: ${stdout}`);
    assert.ok(!/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(stdout), `${args}: ${JSON.stringify(stdout)}`);
  }
});
