// The Pi under test: where it is and which version it has.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { repository } from "./built.mjs";

const packageName = "@earendil-works/pi-coding-agent";
const cache = process.env.PI_RESILIENT_TEST_CACHE ?? join(repository, "build/pi");

/** Compares versions: negative, zero or positive. */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split(/[.-]/).map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference) return difference;
  }
  return 0;
}

/** A Node that Pi accepts: this one when it is new enough, else the one that install put there. */
export function findNode() {
  const installed = join(cache, `node/node_modules/node-linux-${process.arch}/bin/node`);
  if (compareVersions(process.versions.node, "22.19.0") >= 0) return process.execPath;
  if (existsSync(installed)) return installed;
  throw new Error("Pi needs Node 22.19 or newer: run this with one, or run tests/e2e/pi/install node first");
}

function readManifest(folder) {
  const file = join(folder, "package.json");
  const manifest = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return manifest?.name === packageName ? manifest : undefined;
}

/** The package that a program file belongs to, looking upwards. */
function packageOf(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = readManifest(folder);
    if (manifest) return { folder, manifest };
  }
  return undefined;
}

/**
 * Finds a Pi: { program, version, folder? }. `where` is a version that tests/e2e/pi/install has
 * put into the cache, a folder with node_modules, the package's own folder, or a program file such as
 * the `pi` on PATH.
 */
export function resolvePi(where) {
  const path = /^\d+\.\d+\.\d+$/.test(where) ? join(cache, where) : resolve(where);
  if (!existsSync(path)) throw new Error(`no Pi at ${path}: give a folder or program, or run tests/e2e/pi/install`);
  if (statSync(path).isDirectory()) {
    const folder = [join(path, "node_modules", packageName), path].find(readManifest);
    if (!folder) throw new Error(`${path} holds no ${packageName}`);
    const { bin, version } = readManifest(folder);
    return { program: join(folder, typeof bin === "string" ? bin : bin.pi), version, folder };
  }
  const program = realpathSync(path);
  const found = packageOf(program);
  if (found) return { program, version: found.manifest.version, folder: found.folder };
  const said = execFileSync(program, ["--version"], { encoding: "utf8", env: { ...process.env, PI_OFFLINE: "1" } });
  const version = /\d+\.\d+\.\d+/.exec(said)?.[0];
  if (!version) throw new Error(`${program} --version does not name a version: ${said.slice(0, 200)}`);
  return { program, version };
}
