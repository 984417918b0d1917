// A disk that is really full: a small tmpfs in a mount namespace of its own, which goes away with
// the processes in it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, environment, put, scratch } from "./canon.mjs";

const canMount = spawnSync("unshare", ["-m", "sh", "-c",
  'd=$(mktemp -d) && mount -t tmpfs -o size=4k tmpfs "$d"; s=$?; umount "$d"; rmdir "$d"; exit $s',
]).status === 0;
const skip = canMount ? false : "mounting a small tmpfs takes root and mount namespaces";

// Fills the disk, acts, and keeps what is there then.
const script = `
set -e
mount -t tmpfs -o size=256k tmpfs "$DISK"
mkdir "$DISK/project" && cd "$DISK/project"
"$CANON" write a --capsule Old. --body old
"$CANON" journal --body 'The first entry.' --slug first
cp -r .canon "$KEPT/before"
head -c 1M /dev/zero >"$DISK/filler" 2>/dev/null || true
for what in 'write a --capsule New. --body -' 'write new/place --body -' 'journal --body -'; do
  status=0
  "$CANON" $what <"$KEPT/long.md" >"$KEPT/out" 2>"$KEPT/err" || status=$?
  printf '%s: %s: ' "$status" "$what" >>"$KEPT/said"
  cat "$KEPT/out" "$KEPT/err" >>"$KEPT/said"
done
"$CANON" read a >"$KEPT/read"
cp -r .canon "$KEPT/full"
rm "$DISK/filler"
"$CANON" write a --capsule New. --body - <"$KEPT/long.md" >"$KEPT/after"
"$CANON" journal --body - <"$KEPT/long.md" >>"$KEPT/after"
cp -r .canon "$KEPT/freed"
`;

const files = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile()).map((one) => join(one.parentPath ?? one.path, one.name)
    .slice(folder.length + 1)).sort();

test("on a full disk a write says so, and what was there stays whole", { skip }, (t) => {
  const place = scratch(t);
  const disk = join(place.root, "disk");
  const kept = join(place.root, "kept");
  mkdirSync(disk);
  mkdirSync(kept);
  put(join(kept, "long.md"), `${"A long body. ".repeat(3000)}\n`);
  const done = spawnSync("unshare", ["-m", "bash", "-c", script], {
    encoding: "utf8", env: environment(place, { DISK: disk, KEPT: kept, CANON: binary }),
  });
  assert.equal(done.status, 0, done.stderr);
  const text = (name) => readFileSync(join(kept, name), "utf8");
  const said = text("said").trim().split("\n");
  assert.equal(said.length, 3, text("said"));
  for (const line of said) assert.match(line, /^1: .*(not written|not logged).*space/i);
  assert.match(text("read"), /^a\ncapsule: Old\.\n[^]*\nold\n/);
  assert.deepEqual(files(join(kept, "full")), files(join(kept, "before")), "no residue");
  for (const name of files(join(kept, "before"))) {
    assert.equal(text(`full/${name}`), text(`before/${name}`), name);
  }
  assert.match(text("after"), /^Wrote a\.[^]*Logged 2026-11-30-entry\.md\./);
  assert.equal(files(join(kept, "freed")).length, files(join(kept, "before")).length + 1);
  assert.ok(existsSync(join(kept, "freed/articles/a.md")));
});
