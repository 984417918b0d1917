// Processes as /proc shows them (Linux).
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the process is gone
  }
}

/** The fields of /proc/PID/stat after the name: state first, then parent. */
const statFields = (pid) => read(`/proc/${pid}/stat`).replace(/^.*\) /s, "").split(" ");

/** { pid, parent, state, startTime, threads } or undefined when there is no such process. */
export function processInfo(pid) {
  const fields = statFields(pid);
  if (fields.length < 20) return undefined;
  return { pid, state: fields[0], parent: Number(fields[1]), startTime: fields[19], threads: Number(fields[17]) };
}

export function commandLine(pid) {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
}

/** The name of the program file that a process runs. */
export function programName(pid) {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, "");
  } catch {
    return "";
  }
}

/** Whether the process exists and is no zombie. */
export function isAlive(pid) {
  const info = processInfo(pid);
  return info !== undefined && info.state !== "Z" && info.state !== "X";
}

/** Every living descendant, parents before children: [{ pid, parent, command, program }]. */
export function descendants(root) {
  const children = new Map();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const info = processInfo(Number(name));
    if (!info || info.state === "Z") continue;
    if (!children.has(info.parent)) children.set(info.parent, []);
    children.get(info.parent).push(info.pid);
  }
  const found = [];
  const queue = [root];
  while (queue.length) {
    const parent = queue.shift();
    for (const pid of children.get(parent) ?? []) {
      found.push({ pid, parent, command: commandLine(pid), program: programName(pid) });
      queue.push(pid);
    }
  }
  return found;
}

/**
 * The Pi among the descendants of a process. Pi runs in node and renames itself, so its command
 * line is plain "pi" once it has started and names its program file before.
 */
export function findPi(root) {
  return descendants(root).find(({ program, command }) => program === "node" && /^pi\b|\/(pi|cli\.js)\b/.test(command));
}

export function killAll(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has ended
    }
  }
}
