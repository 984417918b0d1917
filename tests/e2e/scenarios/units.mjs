// What deploy/units/ gives to systemd and launchd, started as they start it.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readPlistFile, readUnitFile, unitScript } from "../../deploy/units.mjs";
import { findPi, isAlive } from "../lib/processes.mjs";
import { until } from "../lib/time.mjs";

const stalled = { text: "a long answer", stallAfter: 3 };
const complete = { name: "complete", tools: [{ name: "update_goal", args: { status: "complete" } }] };

async function start(run, script, prompts) {
  const programs = `${run.sandbox.home}/.local/bin`;
  if (!existsSync(programs)) {
    mkdirSync(programs, { recursive: true });
    symlinkSync(run.options.launcher, `${programs}/pi-resilient`);
  }
  const env = { ...run.sandbox.env, PATH: `${programs}:${run.sandbox.env.PATH}`, RUNTIME_DIRECTORY: run.sandbox.tmp };
  const child = spawn("/bin/sh", ["-c", script], { cwd: run.cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => (said += data));
  const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
  run.driver = { pid: child.pid };
  const starts = () => child.exitCode !== null || child.signalCode !== null || (existsSync(prompts) && statSync(prompts).isFIFO() && findPi(child.pid));
  await until(starts, 60_000, "no Pi was started");
  if (!findPi(child.pid)) throw new Error(`it ended with ${child.exitCode ?? child.signalCode}: ${said}`);
  return { child, ended, said: () => said };
}

async function stopBySigterm(run, { child, ended, said }) {
  run.piPid();
  process.kill(child.pid, "SIGTERM");
  const { code, signal } = await ended;
  if (code !== 143) run.fail(`it ended with ${code ?? signal}: ${said()}`);
  await until(() => !isAlive(run.knownPi), 5000, `Pi ${run.knownPi} still runs`);
}

const scenario = (name, script, prompts) => ({
  name,
  launcher: true,
  mode: "rpc",
  autoStart: false,
  replies: [{ text: "T1" }, stalled, stalled, complete, { text: "T5" }],
  steps: [
    async (run) => {
      const fifo = run.fillIn(prompts);
      const first = await start(run, script, fifo);
      writeFileSync(fifo, `${JSON.stringify({ type: "prompt", message: "/goal build the OBJECTIVE" })}\n`);
      await run.step({ waitRequests: 2 });
      run.piPid();
      process.kill(run.knownPi, "SIGKILL");
      await run.waitNewPi();
      await run.step({ waitRequests: 3 });
      await stopBySigterm(run, first);
      // As after a reboot: nobody says anything, and the goal goes on in the same session.
      const second = await start(run, script, fifo);
      await run.step({ waitRequests: 5 });
      await stopBySigterm(run, second);
      if (run.sessions().length !== 1) run.fail(`there are ${run.sessions().length} sessions`);
    },
  ],
  asserts: [{ requests: 5 }],
});

export default [
  scenario("the unit for systemd takes a goal, survives the death of Pi, stops on SIGTERM and goes on when started again",
    unitScript(readUnitFile()), "${tmp}/prompts"),
  scenario("the job for launchd takes a goal, survives the death of Pi, stops on SIGTERM and goes on when started again",
    readPlistFile().ProgramArguments[2], "${tmp}/pi-resilient-@NAME@"),
];
