#!/usr/bin/env node
// Runs end-to-end scenarios against real versions of Pi. See README.md.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { newestBuild, repository } from "./lib/built.mjs";
import { findNode, resolvePi } from "./lib/pi.mjs";
import { reasonToSkip, runScenario } from "./lib/scenario.mjs";

const here = dirname(fileURLToPath(import.meta.url));

const help = `usage: run.mjs [options] [SCENARIO-FILE|FOLDER...]

Runs the scenarios in the given files and folders, or all of tests/e2e, against each Pi.

  --pi PATH         version in the test cache, folder with node_modules, or program; may repeat
  --extension PATH  the extension to test (default: deploy/pi)
  --launcher PATH   the pi-resilient program (default: the newest in build/release and build/dev)
  --jobs N          scenarios at the same time (default: twice the number of cores)
  -k, --filter TEXT only scenarios whose name matches this pattern
  --smoke           only the scenarios that are marked as smoke tests
  --root PATH       where the runs keep their files (default: a new temporary folder)
  --keep            keep those files; the files of a failed run are always kept
  -v, --verbose     name skipped scenarios too
`;

function parseCommandLine(options) {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    console.error(`run.mjs: ${error.message}`);
    process.exit(64);
  }
}

function readOptions() {
  const { values, positionals } = parseCommandLine({
    pi: { type: "string", multiple: true, default: [] },
    extension: { type: "string" },
    launcher: { type: "string" },
    jobs: { type: "string", default: String(2 * availableParallelism()) },
    filter: { type: "string", short: "k" },
    smoke: { type: "boolean", default: false },
    root: { type: "string" },
    keep: { type: "boolean", default: false },
    verbose: { type: "boolean", short: "v", default: false },
    help: { type: "boolean", short: "h", default: false },
  });
  if (values.help || !values.pi.length) {
    (values.help ? console.log : console.error)(help);
    process.exit(values.help ? 0 : 64);
  }
  return {
    ...values,
    jobs: Math.max(1, Number(values.jobs) || 1),
    launcher: values.launcher ? resolve(values.launcher) : newestBuild("launcher/pi-resilient"),
    extension: resolve(values.extension ?? join(repository, "deploy/pi")),
    extensionIsGiven: values.extension !== undefined,
    places: positionals.length ? positionals.map((path) => resolve(path)) : ["facts", "scenarios"].map((name) => join(here, name)),
  };
}

/** Every scenario below a file or folder. A file exports one scenario or a list. */
async function loadScenarios(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isDirectory()) {
    const files = readdirSync(path, { withFileTypes: true }).sort((a, b) => a.name.localeCompare(b.name));
    const wanted = files.filter((entry) => entry.isDirectory() || entry.name.endsWith(".mjs"));
    return (await Promise.all(wanted.map((entry) => loadScenarios(join(path, entry.name))))).flat();
  }
  const exported = (await import(pathToFileURL(path))).default;
  const area = basename(path, ".mjs");
  return [exported ?? []].flat().map((scenario) => ({ ...scenario, name: `${area}: ${scenario.name}` }));
}

const indent = (text) => text.replace(/^/gm, "        ");

/** Runs the jobs, a number of them at a time, and prints each result as it comes. */
async function runAll(jobs, options) {
  const totals = { passed: 0, failed: 0, failures: [] };
  const work = async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const { scenario, pi } = job;
      const begin = Date.now();
      const { failures, report, folder } = await runScenario(scenario, { ...options, pi });
      const line = `Pi ${pi.version}  ${scenario.name}`;
      console.log(`${failures.length ? "FAIL" : "ok  "}  ${line}  (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
      if (!failures.length) {
        totals.passed += 1;
        continue;
      }
      totals.failed += 1;
      totals.failures.push(line);
      console.log(indent(failures.join("\n")));
      console.log(indent(report));
      if (folder) console.log(indent(`files: ${folder}`));
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  return totals;
}

const options = readOptions();
options.node = findNode();
const root = options.root ? resolve(options.root) : mkdtempSync(join(tmpdir(), "e2e-"));
const filter = options.filter && new RegExp(options.filter, "i");
const scenarios = (await Promise.all(options.places.map(loadScenarios))).flat()
  .filter((scenario) => (!filter || filter.test(scenario.name)) && (!options.smoke || scenario.smoke));

let skipped = 0;
const jobs = options.pi.map(resolvePi).flatMap((pi) => scenarios.flatMap((scenario) => {
  const reason = reasonToSkip(scenario, pi.version);
  if (!reason) return [{ scenario, pi }];
  skipped += 1;
  if (options.verbose) console.log(`skip  Pi ${pi.version}  ${scenario.name}  (${reason})`);
  return [];
}));
if (!jobs.length) {
  console.error("run.mjs: no scenario fits what was asked for");
  process.exit(1);
}
const { passed, failed, failures } = await runAll(jobs, { ...options, root });
if (!failed && !options.keep && !options.root) rmSync(root, { recursive: true, force: true });
for (const line of failures) console.log(`failed: ${line}`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed ? 1 : 0);
