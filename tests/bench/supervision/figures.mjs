// What the system tells about a process, and what becomes of many numbers.
import { readFileSync, readdirSync } from "node:fs";

const read = (path) => readFileSync(path, "utf8");
const field = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? Number.NaN);

/** Memory in kB, threads, open descriptors, zombies below. */
export function footprint(pid) {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean));
  const state = (child) => {
    try {
      return read(`/proc/${child}/stat`).replace(/^.*\) /s, "")[0];
    } catch {
      return "";
    }
  };
  return {
    pss: field(rollup, "Pss"),
    dirty: field(rollup, "Private_Dirty"),
    threads: field(read(`/proc/${pid}/status`), "Threads"),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    zombies: children.filter((child) => state(child) === "Z").length,
  };
}

/** CPU time in ms and context switches of all threads, since they began. */
export function work(pid) {
  const total = { cpu: 0, wakeups: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    total.cpu += Number(read(`/proc/${pid}/task/${task}/schedstat`).split(" ")[0]) / 1e6;
    total.wakeups += field(read(`/proc/${pid}/task/${task}/status`), "voluntary_ctxt_switches");
  }
  return total;
}

/** The share `q` of a list, interpolated. */
export function quantile(numbers, q) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low);
}

export const now = () => Number(process.hrtime.bigint()) / 1e6;

/** The starts that a child has written down: [{ pid, at }], at in ms of the monotonic clock. */
export function starts(file) {
  let text;
  try {
    text = read(file);
  } catch {
    return [];
  }
  return text.split("\n").filter(Boolean).map((line) => {
    const [pid, at] = line.split(" ");
    return { pid: Number(pid), at: Number(at) / 1e6 };
  });
}

/** Lines up rows of words. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows.map((row) => row.map((word, column) => (column === 0 ? String(word).padEnd(widths[0]) : String(word).padStart(widths[column]))).join("  ")).join("\n");
}
