// Runs the tests with a Node that reads TypeScript by itself.
//
// Looks at the Node that runs this, then PI_RESILIENT_NODE, then the one that the end-to-end tests install,
// then every `node` on PATH.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const needed = [22, 18];

function fits(version) {
  const [major, minor] = version.replace(/^v/, "").split(".").map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}

function versionOf(program) {
  try {
    return execFileSync(program, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

function* candidates() {
  yield process.execPath;
  if (process.env.PI_RESILIENT_NODE) yield process.env.PI_RESILIENT_NODE;
  const cache = process.env.PI_RESILIENT_TEST_CACHE ?? join(here, "../../../build/pi");
  const modules = join(cache, "node/node_modules");
  if (existsSync(modules)) {
    for (const name of readdirSync(modules)) {
      if (name.startsWith("node-")) yield join(modules, name, "bin/node");
    }
  }
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (folder && existsSync(join(folder, "node"))) yield join(folder, "node");
  }
}

const seen = [];
for (const program of candidates()) {
  const version = versionOf(program);
  if (version === undefined || !fits(version)) {
    seen.push(`${program} ${version ?? "does not run"}`);
    continue;
  }
  if (!existsSync(join(here, "../node_modules/ajv"))) {
    console.error("What the tests need is not installed. Run: npm ci --ignore-scripts");
    process.exit(69);
  }
  const named = process.argv.slice(2);
  const files = named.length ? named : readdirSync(here).filter((name) => name.endsWith(".test.ts")).map((name) => join(here, name));
  const run = spawnSync(program, ["--disable-warning=ExperimentalWarning", "--test", "--test-reporter=spec", "--test-timeout=60000", ...files], { stdio: "inherit" });
  process.exit(run.status ?? 1);
}
console.error(`The tests need Node ${needed.join(".")} or newer, and there is none. Seen:\n  ${seen.join("\n  ")}`);
console.error("Install one, name it in PI_RESILIENT_NODE, or run tests/e2e/pi/install node in the repository.");
process.exit(69);
