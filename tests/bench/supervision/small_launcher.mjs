// A small launcher in Node, as one would write it in an afternoon: it starts a program, looks once a
// second at the age of a heartbeat file, keeps a state file, and starts the program again when it
// ends, at once after a good run and else with a growing delay.
import { spawn } from "node:child_process";
import { renameSync, statSync, writeFileSync } from "node:fs";

const [program, folder] = process.argv.slice(2);
let child;
let startedAt = 0;
let failures = 0;

function record(state) {
  writeFileSync(`${folder}/supervisor.json.new`, JSON.stringify({ state, pid: child?.pid, startedAt, failures }));
  renameSync(`${folder}/supervisor.json.new`, `${folder}/supervisor.json`);
}

function start() {
  startedAt = performance.now();
  child = spawn(program, { stdio: "inherit" });
  child.on("exit", () => {
    failures = performance.now() - startedAt > 1000 ? 0 : failures + 1;
    setTimeout(start, failures === 0 ? 0 : Math.min(250 * 2 ** (failures - 1), 30_000));
    record("restarting");
  });
  record("running");
}

setInterval(() => {
  try {
    if (Date.now() - statSync(`${folder}/beat`).mtimeMs > 30_000) child.kill("SIGKILL");
  } catch {
    // it does not beat
  }
}, 1000);
process.on("SIGTERM", () => {
  child.removeAllListeners("exit");
  child.kill("SIGTERM");
  process.exit(0);
});
start();
