// Measures what keeping a child alive costs: ours beside other supervisors, with one C child, in one
// run on one machine. Figures of different runs or machines are not to be compared.
//
//   node tests/bench/supervision/bench.mjs [--launcher FILE] [--peers FOLDER] [--rounds 50]
//        [--idle-seconds 60] [--generations 1000] [--pairs 20] [--pi PATH] [PART...]
//
// Parts: restart (kill -9 to the new child running, one subject after the other in turns), start
// (to the child running), idle (memory, threads, CPU, wakeups), generations (does anything grow), pi
// (kill -9 to the next request, beside a bare start). Ends with 1 when a target is missed.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { newestBuild } from "../../e2e/lib/built.mjs";
import { sleep, until } from "../../e2e/lib/time.mjs";
import { footprint, now, quantile, starts, table, work } from "./figures.mjs";
import { realPi } from "./real_pi.mjs";
import { subjects } from "./subjects.mjs";

const allParts = ["restart", "start", "idle", "generations", "pi"];
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    launcher: { type: "string", default: newestBuild("launcher/pi-resilient") },
    peers: { type: "string", default: join(process.env.PI_RESILIENT_TEST_CACHE ?? "build/pi", "supervisors") },
    rounds: { type: "string", default: "50" },
    "idle-seconds": { type: "string", default: "60" },
    generations: { type: "string", default: "1000" },
    pairs: { type: "string", default: "20" },
    pi: { type: "string", default: "1.6.0" },
  },
});
// Subjects work in folders of their own.
options.launcher &&= resolve(options.launcher);
options.peers = resolve(options.peers);
const parts = positionals.length ? positionals : allParts;
const wrong = parts.find((part) => !allParts.includes(part));
if (wrong) {
  console.error(`there is no part ${wrong}; there are ${allParts.join(", ")}`);
  process.exit(64);
}

const here = fileURLToPath(new URL(".", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "supervision-bench-"));
const programs = {};
for (const name of ["child", "floor"]) {
  programs[name] = join(root, name);
  const { status, stderr } = spawnSync("cc", ["-O2", "-Wall", "-o", programs[name], join(here, `${name}.c`)], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}
const env = { PATH: process.env.PATH, HOME: root, LANG: "C.UTF-8", TMPDIR: root };
for (const name of Object.keys(process.env)) if (/^(http|https|no)_proxy$/i.test(name)) env[name] = process.env[name];

const everyone = subjects({ launcher: options.launcher, programs, peers: options.peers });
const present = everyone.filter(({ missing }) => !missing);
const results = new Map(present.map(({ name }) => [name, {}]));
const missed = [];
const ms = (number) => (number === undefined ? "" : number.toFixed(number < 10 ? 2 : 0));

/** Starts a subject in a folder of its own and waits for its child. */
async function begin(subject) {
  const folder = mkdtempSync(join(root, `${subject.name.replace(/\W/g, "_")}-`));
  const file = join(folder, "starts");
  const began = now();
  const running = subject.start(folder, { ...env, BENCH_STARTS: file });
  await until(() => starts(file).length > 0, 30_000, `${subject.name} started no child`);
  return { ...running, folder, file, latency: starts(file)[0].at - began, last: () => starts(file).at(-1) };
}

/** Most of them leave their child alive. */
async function end(running) {
  running.end();
  await sleep(100);
  const { pid } = starts(running.file).at(-1);
  try {
    if (readlinkSync(`/proc/${pid}/exe`).startsWith(programs.child)) process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

/** In random turns, so that what else the machine does meets all of them alike. */
async function measureRestarts(rounds) {
  const all = [];
  for (const subject of present) all.push({ subject, latencies: [], ...(await begin(subject)) });
  const due = () => all.filter((each) => each.latencies.length < rounds);
  while (due().length) {
    const ready = due().filter((each) => !each.killed && now() - each.last().at > 1300);
    const next = ready[Math.floor(Math.random() * ready.length)];
    if (next) {
      const { pid } = next.last();
      next.killed = { pid, at: now() };
      process.kill(pid, "SIGKILL");
    }
    await sleep(120 + Math.random() * 60);
    for (const each of all) {
      const fresh = each.killed && each.last();
      if (fresh && fresh.pid !== each.killed.pid) {
        each.latencies.push(fresh.at - each.killed.at);
        each.killed = undefined;
      } else if (each.killed && now() - each.killed.at > 20_000) {
        throw new Error(`${each.subject.name} started no other child`);
      }
    }
  }
  for (const each of all) {
    results.get(each.subject.name).restart = each.latencies;
    await end(each);
  }
}

async function measureStarts() {
  for (let round = 0; round < 7; ++round) {
    for (const subject of present) {
      const running = await begin(subject);
      (results.get(subject.name).start ??= []).push(running.latency);
      await end(running);
    }
  }
}

async function measureIdle(seconds) {
  const all = [];
  for (const subject of present) all.push({ subject, ...(await begin(subject)) });
  await sleep(5000);
  for (const each of all) each.before = work(each.owner());
  await sleep(seconds * 1000);
  for (const each of all) {
    const after = work(each.owner());
    Object.assign(results.get(each.subject.name), footprint(each.owner()), {
      cpu: ((after.cpu - each.before.cpu) * 60) / seconds,
      wakeups: ((after.wakeups - each.before.wakeups) * 60) / seconds,
    });
    await end(each);
  }
}

/** A child that dies shortly after its first beat, over and over. */
async function measureGenerations(count) {
  const [ours] = everyone;
  const folder = mkdtempSync(join(root, "generations-"));
  const file = join(folder, "starts");
  mkdirSync(join(folder, "agent"));
  const words = [options.launcher, "--run-dir", join(folder, "run"), "--healthy-seconds", "0", "--", "--mode", "rpc"];
  const running = ours.start(folder, { ...env, BENCH_STARTS: file, BENCH_LIFE_MS: "5" }, words);
  const rows = [["generations", "PSS kB", "private dirty kB", "descriptors", "threads", "zombies"]];
  const marks = [0.2, 0.4, 0.6, 0.8, 1].map((share) => Math.round(count * share));
  const seen = [];
  for (const mark of marks) {
    await until(() => starts(file).length >= mark, 300_000, `no ${mark} generations`);
    const found = footprint(running.owner());
    seen.push(found);
    rows.push([mark, found.pss, found.dirty, found.descriptors, found.threads, found.zombies]);
  }
  await end({ ...running, file });
  console.log(`\n${table(rows)}`);
  const [first, last] = [seen[0], seen.at(-1)];
  judge("memory is flat over the generations (kB more than at a fifth)", last.dirty - first.dirty, 512);
  judge("descriptors are flat", last.descriptors - first.descriptors, 4);
  judge("threads are flat", last.threads - first.threads, 0);
  judge("zombies", last.zombies, 1);
}

function judge(what, figure, limit, unit = "") {
  const good = figure <= limit;
  if (!good) missed.push(what);
  console.log(`${good ? "reached" : "MISSED "}  ${what}: ${Number(figure.toFixed(2))}${unit}, at most ${limit}${unit}`);
}

function printTable() {
  const floor = results.get("floor");
  const head = ["subject", "start ms", "restart median", "p90", "p99", "max", "x floor", "PSS kB", "dirty kB", "threads", "CPU ms/min", "wakeups/min"];
  const rows = [...results].map(([name, found]) => {
    const restart = (q) => (found.restart ? quantile(found.restart, q) : undefined);
    const ratio = found.restart ? restart(0.5) / quantile(floor.restart, 0.5) : undefined;
    return [name, ms(found.start && quantile(found.start, 0.5)), ms(restart(0.5)), ms(restart(0.9)), ms(restart(0.99)), ms(restart(1)), ms(ratio), found.pss ?? "", found.dirty ?? "", found.threads ?? "", ms(found.cpu), found.wakeups === undefined ? "" : Math.round(found.wakeups)];
  });
  console.log(table([head, ...rows]));
  for (const { name, missing } of everyone.filter((each) => each.missing)) console.log(`${name}: missing (${missing})`);
  console.log("");
  const ours = results.get("pi-resilient");
  if (ours?.restart) {
    judge("median restart against the floor", quantile(ours.restart, 0.5) / quantile(floor.restart, 0.5), 2, " x");
    judge("p90 of a restart", quantile(ours.restart, 0.9), 5, " ms");
    console.log(`         p99 of a restart: ${ms(quantile(ours.restart, 0.99))} ms, of the floor ${ms(quantile(floor.restart, 0.99))} ms`);
  }
  if (ours?.start) judge("start to child running", quantile(ours.start, 0.5), 25, " ms");
  if (ours?.pss) {
    judge("PSS", ours.pss, 8 * 1024, " kB");
    judge("wakeups per idle minute", ours.wakeups, 60);
    judge("CPU per idle minute", ours.cpu, 5, " ms");
  }
}

process.on("exit", () => rmSync(root, { recursive: true, force: true }));
if (parts.includes("restart")) await measureRestarts(Number(options.rounds));
if (parts.includes("start")) await measureStarts();
if (parts.includes("idle")) await measureIdle(Number(options["idle-seconds"]));
if (parts.some((part) => ["restart", "start", "idle"].includes(part))) printTable();
if (parts.includes("generations")) await measureGenerations(Number(options.generations));
if (parts.includes("pi")) {
  const pairs = await realPi({ launcher: options.launcher, pi: options.pi, pairs: Number(options.pairs), root });
  const [ours, bare] = [pairs.map(({ ours }) => ours), pairs.map(({ bare }) => bare)];
  console.log(`\n${table([["real Pi, ms to the next request", "median", "p90"], ["pi-resilient, from kill -9", ms(quantile(ours, 0.5)), ms(quantile(ours, 0.9))], ["bare RPC start", ms(quantile(bare, 0.5)), ms(quantile(bare, 0.9))]])}`);
  judge("median against a bare start", quantile(ours, 0.5) / quantile(bare, 0.5), 1.1, " x");
}
console.log(missed.length ? `\n${missed.length} targets missed` : "\nall targets reached");
process.exit(missed.length ? 1 : 0);
