// Measures the program `canon` on stores of growing size, beside `node -e 0` and a straightforward
// Node reader, in one run on one machine. CANON_BIN names the program (a release build).
//
//   CANON_BIN=build/release/launcher/canon/canon node tests/bench/canon/bench.mjs [sizes...]
//
// Sizes are 100, 1000 and 10000 by default; 100000 takes minutes. Exits with 1 when a figure that
// has a limit misses it.
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { addressOf, makeStore } from "./make_store.mjs";

const canon = process.env.CANON_BIN;
if (!canon) {
  console.error("Set CANON_BIN to the program canon (a release build).");
  process.exit(64);
}
const reader = fileURLToPath(new URL("./node_reader.mjs", import.meta.url));
const sizes = process.argv.slice(2).map(Number);
if (sizes.length === 0) sizes.push(100, 1000, 10000);

// a home of its own, so that caches and settings are those of this run
const home = mkdtempSync(join(tmpdir(), "canon-bench-home-"));
process.env.HOME = home;
delete process.env.XDG_CACHE_HOME;
delete process.env.XDG_CONFIG_HOME;
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/** CPU milliseconds (user and system) of one run, as the mean of several. */
function cpuOf(words, runs) {
  const command = words.map(quoted).join(" ");
  const script = `for ((i = 0; i < ${runs}; i++)); do ${command} >/dev/null || exit 1; done; times`;
  const done = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr}`);
  const children = done.stdout.trim().split("\n").at(-1);
  let total = 0;
  for (const [, minutes, seconds] of children.matchAll(/(\d+)m([\d.]+)s/g)) {
    total += Number(minutes) * 60000 + Number(seconds) * 1000;
  }
  return total / runs;
}

/** One MCP server, asked one question after the other. */
class Server {
  constructor(project) {
    this.child = spawn(canon, ["mcp", "--project", project], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.waiting = [];
    this.id = 0;
    let rest = "";
    this.child.stdout.setEncoding("utf8");
    this.child.stdout.on("data", (data) => {
      rest += data;
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        this.waiting.shift()(JSON.parse(rest.slice(0, end)));
        rest = rest.slice(end + 1);
      }
    });
  }

  request(method, params) {
    this.id += 1;
    const line = JSON.stringify({ jsonrpc: "2.0", id: this.id, method, params });
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.child.stdin.write(`${line}\n`);
    });
  }

  /** The text of an answer, the time until it came, and the CPU time that it took. */
  async call(args) {
    const cpu = this.cpu();
    const start = process.hrtime.bigint();
    const answer = await this.request("tools/call", { name: "canon", arguments: args });
    const wall = Number(process.hrtime.bigint() - start) / 1e6;
    if (answer.result.isError) throw new Error(answer.result.content[0].text);
    return { text: answer.result.content[0].text, wall, cpu: this.cpu() - cpu };
  }

  cpu() {
    return Number(readFileSync(`/proc/${this.child.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  }

  megabytes() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
  }

  async end() {
    const closed = new Promise((resolve) => this.child.on("close", resolve));
    this.child.stdin.end();
    await closed;
  }
}

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const rows = [];
let missed = 0;
function row(size, what, value, unit, limit, compared) {
  const miss = limit !== undefined && value >= limit;
  missed += miss ? 1 : 0;
  rows.push([
    String(size), what, `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`,
    limit === undefined ? "" : `< ${limit}${miss ? "  MISSED" : ""}`,
    compared === undefined ? "" : `${(compared / value).toFixed(1)}x less than ${compared.toFixed(1)}`,
  ]);
}

async function fresh(server, project, size) {
  const target = join(project, ".canon/articles", `${addressOf(size - 1)}.md`);
  appendFileSync(target, "\nquokkaword was put in place here.\n");
  const edited = await server.call({ action: "search", query: "quokkaword" });
  if (!edited.text.startsWith(addressOf(size - 1))) throw new Error("an edit in place was missed");
  const added = join(project, ".canon/journal/2026-11-30-late.md");
  writeFileSync(added, "---\nlogged: 2026-11-30T10:00:00.000Z\n---\nnumbatword came late.\n");
  const came = await server.call({ action: "search", query: "numbatword", journal: true });
  if (!came.text.includes("numbatword")) throw new Error("a new entry was missed");
  unlinkSync(added);
  const went = await server.call({ action: "search", query: "numbatword", journal: true });
  if (went.text.includes("came late")) throw new Error("a removed entry is still found");
}

async function measure(size, nodeStart) {
  const project = mkdtempSync(join(tmpdir(), `canon-bench-${size}-`));
  try {
    makeStore(project, size);
    const limited = size === 10000;
    const limit = (value) => (limited ? value : undefined);
    const address = addressOf(Math.floor(size / 2));
    const at = ["--project", project];
    const nodeRuns = size > 1000 ? 1 : 5;

    await new Promise((resolve) => setTimeout(resolve, 200)); // until the journal's time is settled
    row(size, "canon read, cold, nothing cached, CPU",
      cpuOf([canon, "read", address, ...at], 1), "ms");
    row(size, "canon read, cold, CPU", cpuOf([canon, "read", address, ...at], 20), "ms", 6,
      cpuOf(["node", reader, project, "read", address], nodeRuns));
    const entry = join(project, ".canon/journal/2026-11-30-came.md");
    const changed = { "we wrote one": [], "one came": [], "one went": [] };
    for (let i = 0; i < 20; i += 1) {
      cpuOf([canon, "journal", "--body", "It came.", "--subject", address, ...at], 1);
      changed["we wrote one"].push(cpuOf([canon, "read", address, ...at], 1));
    }
    for (let i = 0; i < 20; i += 1) {
      writeFileSync(entry, `---\nsubject: [${address}]\n---\nIt came.\n`);
      changed["one came"].push(cpuOf([canon, "read", address, ...at], 1));
      unlinkSync(entry);
      changed["one went"].push(cpuOf([canon, "read", address, ...at], 1));
    }
    for (const [what, values] of Object.entries(changed)) {
      row(size, `canon read, cold, after ${what}, CPU`, mean(values), "ms",
        what === "we wrote one" ? 6 : limit(6));
    }
    // the floor of a look at a journal in which others wrote
    row(size, "ls -U of the journal, CPU",
      cpuOf(["ls", "-U", join(project, ".canon/journal")], 20), "ms");
    row(size, "canon search, cold, CPU",
      cpuOf([canon, "search", "bafudi", "limit_5", ...at], size > 1000 ? 2 : 10), "ms", limit(300),
      cpuOf(["node", reader, project, "search", "bafudi", "limit_5"], nodeRuns));

    const server = new Server(project);
    await server.request("initialize", { protocolVersion: "2025-11-25" });
    const first = await server.call({ action: "search", query: "bafudi limit_5" });
    row(size, "MCP search, first", first.wall, "ms", limit(300));
    const memory = server.megabytes();
    row(size, "MCP search, first, CPU", first.cpu, "ms");
    const warm = [];
    for (let i = 0; i < 31; i += 1) {
      warm.push(await server.call({ action: "search", query: `item${i} bafudi geloco` }));
    }
    row(size, "MCP search, warm, median", median(warm.map((one) => one.wall)), "ms",
      size === 100000 ? 300 : limit(30));
    row(size, "MCP search, warm, median, CPU", median(warm.map((one) => one.cpu)), "ms");
    row(size, "memory after a search", memory, "MB", limit(40));
    await server.call({ action: "search", query: "bafudi", journal: true });
    const both = [];
    for (let i = 0; i < 11; i += 1) {
      both.push((await server.call({ action: "search", query: `item${i}`, journal: true })).wall);
    }
    row(size, "MCP search with the journal, warm", median(both), "ms");
    row(size, "memory after a search of the journal", server.megabytes(), "MB");

    row(size, "MCP read, first", (await server.call({ action: "read", path: address })).wall, "ms");
    const reads = [];
    for (let i = 0; i < 51; i += 1) {
      reads.push((await server.call({ action: "read", path: addressOf(i) })).wall);
    }
    row(size, "MCP read, warm, median", median(reads), "ms", limit(1));
    const maps = [];
    for (let i = 0; i < 5; i += 1) maps.push(await server.call({ action: "map" }));
    row(size, "MCP map, median", median(maps.map((one) => one.wall)), "ms", limit(60),
      cpuOf(["node", reader, project, "map"], nodeRuns));
    row(size, "MCP map, median, CPU", median(maps.map((one) => one.cpu)), "ms");

    const writes = [];
    for (let i = 0; i < 31; i += 1) {
      writes.push((await server.call({
        action: "write", path: addressOf(i), capsule: `Fresh capsule ${i} of ${size}.`,
      })).cpu);
    }
    row(size, "MCP write, CPU, median", median(writes), "ms", 3);
    await fresh(server, project, size);

    const half = async (from, count) => {
      const start = server.cpu();
      for (let i = 0; i < count; i += 1) {
        await server.call({ action: "journal", body: `Event ${from + i}.`, slug: "same" });
      }
      return server.cpu() - start;
    };
    const entries = 500;
    const early = await half(0, entries);
    const late = await half(entries, entries);
    row(size, "entries of one slug, second half / first", late / early, "times", 2);
    await server.end();
    row(size, "node -e 0, CPU", nodeStart, "ms");
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

const nodeStart = cpuOf(["node", "-e", "0"], 10);
for (const size of sizes) await measure(size, nodeStart);
const widths = [0, 1, 2, 3, 4].map((i) => Math.max(...rows.map((cells) => cells[i].length)));
for (const cells of rows) {
  console.log(cells.map((cell, i) => cell.padEnd(widths[i])).join("  ").trimEnd());
}
if (missed > 0) console.error(`${missed} figures miss their limit.`);
process.exit(missed > 0 ? 1 : 0);
