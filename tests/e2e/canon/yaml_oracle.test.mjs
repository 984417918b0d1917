// What the program writes must read back as the same string, by YAML 1.1 and by YAML 1.2. The judge is
// the npm package "yaml", which every pinned Pi brings along.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { Server, put, scratch } from "./canon.mjs";

const cache = process.env.PI_RESILIENT_TEST_CACHE ?? new URL("../../../build/pi", import.meta.url).pathname;

function findYaml() {
  for (const version of existsSync(cache) ? readdirSync(cache) : []) {
    const modules = join(cache, version, "node_modules");
    if (existsSync(join(modules, "yaml"))) return createRequire(join(modules, "x.js"))("yaml");
  }
  return undefined;
}

const yaml = findYaml();
const skip = yaml ? false : "no pinned Pi is installed, so the package yaml is missing";

/** Values around everything that YAML resolves to something else than a string. */
function values() {
  const fixed = [
    "plain words", "true", "Yes", "no", "off", "y", "N", "null", "~", "-", "?", "- x", "? q", ": x", "x:",
    "123", "-1", "+1", "0x1F", "0o17", "0b1", "017", "1_000", "1.5", "1.", ".5", ".", "e5", "1e3", "-.inf",
    ".nan", "2026-01-01", "2026-1-1", "12:30", "12:30:45", "=", "<<", "&a", "*a", "!t", "|", ">", "%x", "@x",
    "`x`", "'x'", "\"x\"", "it's", "a #b", "#b", "a: b", "[a]", "{a}", "a, b", "---", "...", "--- x",
    "a\\b", "a\tb", "größe", "日本", "😀", "a\u0085b", "a\u007fb", "a\u0001b", "\ufeffa", "a\ufeffb",
  ];
  const parts = ["0", "1", "9", "x", "b", "e", "E", ".", "_", "+", "-", " ", "y", "n", "true", "inf", "~", "?", "=", "<", "2026", "-01", "t", ":", "#"];
  let state = 20261130;
  const random = (limit) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * limit);
  };
  while (fixed.length < 400) {
    let text = "";
    for (let count = 1 + random(5); count > 0; count -= 1) text += parts[random(parts.length)];
    if (text.trim()) fixed.push(text.trim());
  }
  return fixed;
}

/** What the judge is lenient with: what YAML takes for a line end or does not print, and two values that YAML 1.1 keeps for itself. */
const unseen = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|^(=|<<)$/;

function frontMatter(text, version) {
  const block = /^---\n([\s\S]*?)\n---\n/.exec(text);
  assert.ok(block, text);
  return yaml.parse(block[1], { version });
}

test("every capsule reads back as the same string", { skip }, async (t) => {
  const place = scratch(t);
  const server = new Server(t, place);
  for (const value of values()) {
    const answer = await server.call({ action: "write", path: "a", capsule: value, body: `of ${value}` });
    assert.equal(answer.isError, false, answer.text);
    const file = readFileSync(join(place.project, ".canon/articles/a.md"), "utf8");
    const expected = value.replace(/^\ufeff/, ""); // white space at an end is trimmed
    for (const version of ["1.1", "1.2"]) {
      assert.equal(frontMatter(file, version).capsule, expected, `YAML ${version}: ${file}`);
    }
    // and it is quoted only when it has to be, or when the older release would quote it
    const isQuoted = /^capsule: "/m.test(file);
    const olderQuotes = /[:#[\]{}"'`,&*!|>%@\\]/.test(expected);
    const reads = (version) => {
      try {
        return yaml.parse(`capsule: ${expected}\n`, { version }).capsule;
      } catch {
        return undefined;
      }
    };
    const isMisread = reads("1.1") !== expected || reads("1.2") !== expected;
    assert.equal(isQuoted, olderQuotes || isMisread || unseen.test(expected), file);
    const read = await server.call({ action: "read", path: "a" });
    assert.ok(read.text.includes(`\ncapsule: ${expected}\n`), read.text);
  }
  await server.end();
});

test("every subject of an entry reads back as the same string", { skip }, async (t) => {
  const place = scratch(t);
  const server = new Server(t, place);
  const subjects = ["src/a", "src/a,b", "true", "123", "a: b", "it's", "[x]", "a#b", "- x", "größe"];
  await server.call({ action: "journal", body: "Event.", slug: "e", subject: subjects });
  const file = readFileSync(join(place.project, ".canon/journal/2026-11-30-e.md"), "utf8");
  for (const version of ["1.1", "1.2"]) {
    assert.deepEqual(frontMatter(file, version).subject, subjects);
  }
  await server.end();
});

test("a write leaves foreign properties with the meaning they had", { skip }, async (t) => {
  const place = scratch(t);
  const foreign = [
    "# a comment", "tags:", "  - one", "", "  - two", "aliases: [a, 'b c']", "note: |", "  capsule: not ours",
    "", "    deeper", "\"quoted key\": 1", "nested: {a: {b: [1, 2]}}", "date: 2026-01-01",
  ].join("\n");
  put(join(place.project, ".canon/articles/a.md"), `---\n${foreign}\ncapsule: 'it''s'\n---\nBody.\n`);
  const server = new Server(t, place);
  await server.call({ action: "write", path: "a", capsule: "New: words." });
  await server.end();
  const file = readFileSync(join(place.project, ".canon/articles/a.md"), "utf8");
  for (const version of ["1.1", "1.2"]) {
    assert.deepEqual({ ...frontMatter(file, version), capsule: undefined, updated: undefined },
      { ...yaml.parse(foreign, { version }), capsule: undefined, updated: undefined });
    assert.equal(frontMatter(file, version).capsule, "New: words.");
  }
});
