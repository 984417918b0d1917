// How a file comes to be, seen from the kernel: locked, whole, forced to the disk, and never by a path
// that a link could bend.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, environment, put, scratch } from "./canon.mjs";

const traces = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
const skip = traces ? false : "strace is missing or may not trace here";

/** The calls of one run that concern files, as "name(arguments) = result". */
function trace(place, args) {
  const log = join(place.root, "trace");
  const done = spawnSync("strace", ["-qq", "-y", "-o", log, "-e",
    "trace=flock,open,openat,openat2,write,fsync,rename,renameat,renameat2,link,linkat,unlinkat,ftruncate,truncate",
    binary, ...args], {
    cwd: place.project, env: { ...environment(place), ASAN_OPTIONS: "detect_leaks=0" }, encoding: "utf8",
  });
  assert.equal(done.status, 0, done.stderr);
  return readFileSync(log, "utf8").trim().split("\n");
}

/** Fails unless each pattern matches a later call than the one before it did; gives the calls that matched. */
function inOrder(calls, patterns) {
  let at = -1;
  return patterns.map((pattern) => {
    const found = calls.findIndex((call, index) => index > at && pattern.test(call));
    assert.ok(found > at, `${pattern} comes after ${calls[at] ?? "the start"}:\n${calls.join("\n")}`);
    at = found;
    return calls[found];
  });
}

test("an article is written beside itself, forced to the disk, renamed, and its folder forced too", { skip }, (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/src/a.md"), "---\ncapsule: Old.\n---\nold\n");
  const calls = trace(place, ["write", "src/a", "--capsule", "New."]);
  inOrder(calls, [
    /^flock\(\d+<[^>]*\/\.canon>, LOCK_EX/,
    /^openat2\(.*"src\/a\.md".*RESOLVE_BENEATH/,
    /^openat\(\d+<[^>]*\/articles\/src>, "\.write-[0-9a-f]+\.tmp", O_WRONLY\|O_CREAT\|O_EXCL\|O_NOFOLLOW/,
    /^write\(\d+<[^>]*\.tmp>, "---\\ncapsule: New/,
    /^fsync\(\d+<[^>]*\.tmp>\) += 0/,
    /^renameat2?\(\d+<[^>]*\/articles\/src>, "\.write-[0-9a-f]+\.tmp", \d+<[^>]*\/articles\/src>, "a\.md"/,
    /^fsync\(\d+<[^>]*\/articles\/src>\) += 0/,
  ]);
  assert.ok(!calls.some((call) => /a\.md.*O_(WRONLY|RDWR)|truncate/.test(call)), "never in place");
  assert.deepEqual(readdirSync(join(place.project, ".canon")), ["articles"], "the lock has no file of its own");
  assert.deepEqual(readdirSync(join(place.project, ".canon/articles/src")), ["a.md"]);
});

test("an entry is forced to the disk before it has its name, which no other entry can have", { skip }, (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/journal/2026-11-30-e.md"), "first\n");
  const calls = trace(place, ["journal", "--body", "Event.", "--slug", "e"]);
  inOrder(calls, [
    /^openat\(\d+<[^>]*\/journal>, "\.write-[0-9a-f]+\.tmp", O_WRONLY\|O_CREAT\|O_EXCL\|O_NOFOLLOW/,
    /^fsync\(\d+<[^>]*\.tmp>\) += 0/,
    /^linkat\(\d+<[^>]*\/journal>, "\.write-[0-9a-f]+\.tmp", \d+<[^>]*\/journal>, "2026-11-30-e-2\.md", 0\) += 0/,
    /^unlinkat\(\d+<[^>]*\/journal>, "\.write-/,
    /^fsync\(\d+<[^>]*\/journal>\) += 0/,
  ]);
  assert.ok(!calls.some((call) => /^rename/.test(call)));
  assert.equal(readFileSync(join(place.project, ".canon/journal/2026-11-30-e.md"), "utf8"), "first\n");
});

test("below the store, the kernel is asked to follow nothing that leads out", { skip }, (t) => {
  const place = scratch(t);
  put(join(place.project, ".canon/articles/src/a.md"), "---\ncapsule: Old.\n---\nold\n");
  put(join(place.project, ".canon/journal/2026-11-30-e.md"), "first\n");
  mkdirSync(join(place.project, "src"));
  const store = join(place.project, ".canon");
  for (const args of [["read", "src/a/below"], ["read", "src/none"], ["map"], ["check"], ["write", "src/b", "--capsule", "B."], ["journal", "--body", "x"],
    ["why", "src/a"], ["search", "old", "--journal"]]) {
    const calls = trace(place, args);
    const beneath = calls.filter((call) => /^openat2\(/.test(call));
    assert.ok(beneath.length > 0, `${args}: the kernel has no openat2, or it was not used`);
    for (const call of beneath) assert.match(call, /RESOLVE_BENEATH/, `${args}`);
    for (const call of beneath) assert.match(call, /RESOLVE_NO_MAGICLINKS/, `${args}`);
    // every other way in is the store's own folder, or one name that may not be a link
    for (const call of calls.filter((one) => /^open(at)?\(/.test(one) && one.includes(store))) {
      assert.match(call, /\/\.canon", O_RDONLY|, "\.", |O_NOFOLLOW|O_PATH/, `${args}`);
    }
  }
});
