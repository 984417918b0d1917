// Two launchers on one session at the same instant, again and again: one works, one is refused. Pi is a
// script that only lives. PAIRS=50 in the environment asks for more pairs than CI has time for.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { killAll } from "../lib/processes.mjs";
import { sleep, until } from "../lib/time.mjs";

const pairs = Number(process.env.PAIRS) || 10;
const atOnce = 5;

async function race(run, number) {
  const place = `${run.sandbox.dir}/pair-${number}`;
  const start = (name) => {
    execFileSync("mkfifo", [`${place}-${name}.gate`]);
    const args = ["--run-dir", `${place}-${name}`, "--", "--mode", "rpc", "--session", `${place}.jsonl`];
    const env = { ...run.sandbox.env, PI_REAL_BIN: run.notes.script };
    // Both wait until the other ends of their gates are closed.
    const child = spawn("/bin/sh", ["-c", `read go < ${place}-${name}.gate; exec "$0" "$@"`, run.command()[0], ...args], { env, cwd: run.cwd, stdio: "ignore" });
    child.ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
    return child;
  };
  const both = [start("a"), start("b")];
  const gates = await Promise.all(["a", "b"].map((name) => open(`${place}-${name}.gate`, "w")));
  await Promise.all(gates.map((gate) => gate.close()));
  const nobody = sleep(30_000).then(() => ({ code: "neither" }));
  const loser = await Promise.race([...both.map(async (child) => ({ child, code: await child.ended })), nobody]);
  if (!loser.child) {
    killAll(both.map(({ pid }) => pid));
    throw new Error(`pair ${number}: both go on`);
  }
  const winner = both.find((child) => child !== loser.child);
  if (loser.code !== 75) run.fail(`pair ${number}: one ended with ${loser.code}`);
  await until(() => existsSync(`${place}.jsonl`) && existsSync(`${run.sandbox.dir}/lives-${winner.pid}`), 20_000, `pair ${number}: nobody won`);
  if (existsSync(`${run.sandbox.dir}/lives-${loser.child.pid}`)) run.fail(`pair ${number}: both started Pi`);
  winner.kill("SIGTERM");
  const code = await winner.ended;
  if (code !== 143) run.fail(`pair ${number}: the winner ended with ${code}`);
}

export default {
  name: `${pairs} pairs of launchers at the same instant: exactly one of each wins`,
  mode: "rpc",
  launcher: true,
  autoStart: false,
  steps: [
    async (run) => {
      run.notes.script = `${run.sandbox.dir}/sleeping-pi`;
      writeFileSync(run.notes.script, "#!/bin/sh\ntrap 'exit 0' TERM\n: > $SANDBOX/lives-$PPID\nwhile :; do sleep 0.1; done\n", { mode: 0o755 });
      for (let first = 0; first < pairs; first += atOnce) {
        const batch = Array.from({ length: Math.min(atOnce, pairs - first) }, (_, index) => race(run, first + index));
        for (const { reason } of await Promise.allSettled(batch)) if (reason) run.fail(reason.message);
      }
    },
  ],
};
