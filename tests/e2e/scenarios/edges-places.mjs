// Whose session, which folder: what a restart must never mix up, and what it must not need.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../lib/processes.mjs";
import { readJsonLines } from "../lib/sandbox.mjs";
import { sleep, until } from "../lib/time.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const settled = { wait: { type: "agent_settled" } };
const end = [{ closeStdin: true }, { waitExit: { code: 0 } }];
const killPi = [{ supervisor: { state: "running" } }, { signal: "SIGKILL", to: "pi" }, { newPi: true }];
const script = (run, name, text) => {
  const file = `${run.sandbox.dir}/${name}`;
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
};
const living = 'trap "exit 0" TERM\necho $$ > $0.pid.new; mv $0.pid.new $0.pid\nwhile :; do sleep 0.05; done';
const pidIn = (file, other) => until(() => existsSync(`${file}.pid`) && Number(readFileSync(`${file}.pid`, "utf8")) !== other && Number(readFileSync(`${file}.pid`, "utf8")), 20_000, `${file} did not start`);

/** Two launchers of one user in two projects: each Pi's arguments name its own session, before and after. */
async function twoProjects(run) {
  const [program] = run.command();
  const runs = ["one", "two"].map((name) => {
    const project = join(run.sandbox.dir, name);
    mkdirSync(project);
    const pi = script(run, `pi-${name}`, `echo "$PWD $*" >> $0.starts\n${living}`);
    const launcher = spawn(program, ["--run-dir", `${run.sandbox.dir}/run-${name}`, "--healthy-seconds", "0", "--", "--mode", "rpc"], { env: { ...run.sandbox.env, PI_REAL_BIN: pi }, cwd: project, stdio: ["pipe", "ignore", "ignore"] });
    return { project, pi, launcher, ended: new Promise((resolve) => launcher.on("exit", resolve)) };
  });
  for (const each of runs) each.first = await pidIn(each.pi);
  for (const each of runs) process.kill(each.first, "SIGKILL");
  for (const each of runs) await pidIn(each.pi, each.first);
  const sessions = runs.map(({ project, pi }) => {
    const starts = readFileSync(`${pi}.starts`, "utf8").trim().split("\n");
    const named = starts.map((line) => /--session (\S+)/.exec(line)?.[1]);
    if (named.length !== 2 || named[0] !== named[1] || !named[0]?.includes(project.replaceAll("/", "-"))) run.fail(`${project} worked on ${named.join(", then on ")}`);
    if (starts.some((line) => !line.startsWith(`${project} `))) run.fail(`${project} was left: ${starts.join(" | ")}`);
    return named[0];
  });
  if (sessions[0] === sessions[1]) run.fail(`both worked on ${sessions[0]}`);
  for (const { launcher, ended } of runs) {
    launcher.kill("SIGTERM");
    await ended;
  }
}

/** The folder in which Pi works goes away; no other takes its place. */
async function goneFolder(run) {
  const [program] = run.command();
  const project = join(run.sandbox.dir, "gone");
  mkdirSync(project);
  const pi = script(run, "pi-gone", living);
  const launcher = spawn(program, ["--run-dir", run.sandbox.run, "--healthy-seconds", "0", "--", "--mode", "rpc"], { env: { ...run.sandbox.env, PI_REAL_BIN: pi }, cwd: project, stdio: ["pipe", "ignore", "pipe"] });
  let stderr = "";
  launcher.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const ended = new Promise((resolve) => launcher.on("exit", (code) => resolve(code)));
  const pid = await pidIn(pi);
  rmSync(project, { recursive: true });
  process.kill(pid, "SIGKILL");
  const code = await Promise.race([ended, sleep(20_000)]);
  launcher.kill("SIGKILL");
  if (code !== 66) run.fail(`the launcher ended with ${code}`);
  if (!stderr.includes(`the working folder ${project} cannot be entered`)) run.fail(`it said ${stderr}`);
}

/** HOME cannot be written to by anybody: the run folder and the agent folder suffice. */
function readOnlyHome(run) {
  const [program] = run.command();
  const pi = script(run, "pi-short", "exit 0");
  const { status, stderr } = spawnSync(program, ["--run-dir", run.sandbox.run, "--", "--mode", "rpc"], { env: { ...run.sandbox.env, PI_REAL_BIN: pi, HOME: "/proc/none" }, cwd: run.cwd, input: "", encoding: "utf8", timeout: 30_000 });
  if (status !== 0) run.fail(`it ended with ${status}: ${stderr}`);
}

export default [
  { name: "two launchers whose Pi die at once each come back to their own session and folder", launcher: true, autoStart: false, steps: [twoProjects] },
  { name: "a working folder that is gone ends the run, and nothing is started elsewhere", launcher: true, autoStart: false, steps: [goneFolder] },
  { name: "a home that cannot be written to needs --run-dir and PI_CODING_AGENT_DIR only", launcher: true, autoStart: false, steps: [readOnlyHome], asserts: [{ supervisor: { state: "ended", exit_code: 0 } }] },
  {
    name: "a record that is damaged in the middle of the session changes nothing: the same file goes on",
    launcher: true,
    replies: [{ text: "FIRST" }, { text: "SECOND" }, { text: "THIRD" }],
    steps: [
      prompt("one"),
      settled,
      prompt("two"),
      settled,
      (run) => {
        const [file] = run.sessions();
        const lines = readFileSync(file, "utf8").split("\n");
        const torn = lines.findIndex((line) => line.includes('"FIRST"'));
        lines[torn] = lines[torn].slice(0, 40);
        writeFileSync(file, lines.join("\n"));
      },
      ...killPi,
      prompt("three"),
      settled,
      ...end,
    ],
    asserts: [
      { requests: 3 },
      { sessions: 1 },
      (run) => (readJsonLines(run.sessions()[0]).some(({ message }) => JSON.stringify(message ?? "").includes("THIRD")) ? undefined : "the third answer is in no record"),
    ],
  },
  {
    name: "a paused goal stays paused when launcher and Pi are killed and started again",
    launcher: true,
    replies: [{ text: "a long answer", stallAfter: 3 }],
    steps: [
      prompt("/goal build it"),
      { waitRequests: 1 },
      prompt("/goal pause"),
      { runtime: { goal: { state: "paused" } } },
      { rpc: { type: "abort" } },
      (run) => run.piPid(),
      { signal: "SIGKILL", to: "launcher" },
      (run) => until(() => !isAlive(run.knownPi), 20_000, "Pi outlived its launcher"),
      { start: { args: ["--continue"] } },
      { runtime: { goal: { state: "paused" } } },
      { rpc: { type: "get_state" } },
      { sleep: 2000 },
      ...end,
    ],
    asserts: [{ requests: 1 }, { runtime: { goal: { state: "paused" } } }],
  },
];
