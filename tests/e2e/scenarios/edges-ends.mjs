// How a run ends, and what its exit code says.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAlive } from "../lib/processes.mjs";
import { until } from "../lib/time.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const complete = { name: "complete", tools: [{ name: "update_goal", args: { status: "complete" } }] };
const stalled = { text: "a long answer", stallAfter: 3 };
const nothingLeft = async (run) => {
  await until(() => !isAlive(run.knownPi), 5000, `Pi ${run.knownPi} still runs`);
};

const script = (run, name, text) => {
  const file = `${run.sandbox.dir}/${name}`;
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
};
/** Runs the launcher to its end. */
function launch(run, args, env = {}) {
  const [program] = run.command();
  return spawnSync(program, args, { env: { ...run.sandbox.env, ...env }, cwd: run.cwd, input: "", encoding: "utf8", timeout: 30_000 });
}

function refusals(run) {
  const empty = `${run.sandbox.dir}/empty`;
  mkdirSync(empty);
  writeFileSync(`${run.sandbox.dir}/file`, "");
  const program = run.command()[0];
  const wrapper = script(run, "wrapper", `exec ${program} -- "$@"`);
  const cases = [
    ["--no-session", 64, ["--", "--no-session"]],
    ["an unknown option", 64, ["--no-such-option", "--", "-p", "x"]],
    ["no Pi", 69, ["--", "-p", "x"], { PI_REAL_BIN: "", PATH: empty }],
    ["a named Pi that is missing", 69, ["--", "-p", "x"], { PI_REAL_BIN: "/nowhere/pi" }],
    ["a run folder below a file", 73, ["--run-dir", `${run.sandbox.dir}/file/run`, "--", "-p", "x"]],
    ["a wrapper that starts us", 78, ["--", "-p", "x"], { PI_REAL_BIN: wrapper }],
  ];
  for (const [what, code, args, env] of cases) {
    const { status, stdout, stderr } = launch(run, args, env);
    const sentences = stderr.trim().split("\n");
    if (status !== code || stdout || sentences.length !== 1 || !sentences[0].startsWith("pi-resilient: ")) {
      run.fail(`${what}: ended with ${status}, wanted ${code}; stdout ${JSON.stringify(stdout)}, stderr ${JSON.stringify(stderr)}`);
    }
  }
}

export default [
  {
    name: "a run folder that somebody removed is made again before Pi is, and the goal goes on",
    launcher: true,
    replies: [{ text: "T1" }, stalled, complete, { text: "T4" }],
    steps: [
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 2 },
      (run) => {
        run.piPid();
        rmSync(run.sandbox.run, { recursive: true });
        process.kill(run.knownPi, "SIGKILL");
      },
      { newPi: true },
      { waitRequests: 4 },
      { runtime: { goal: { state: "complete" } } },
      (run) => readFileSync(`${run.sandbox.run}/events.jsonl`, "utf8").includes('"hello"') || run.fail("the events are not written any more"),
      (run) => {
        const { status, stdout } = launch(run, ["status", "--run-dir", run.sandbox.run]);
        if (status !== 0 || !stdout.includes("build the OBJECTIVE")) run.fail(`status ended with ${status}: ${stdout}`);
      },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 4 }, { stderr: "it was made again" }],
  },
  { name: "each refusal has its exit code and one sentence", mode: "rpc", launcher: true, autoStart: false, steps: [refusals] },
  {
    name: "a Pi that dies at every start is given up, with the last lines that it wrote",
    mode: "rpc",
    launcher: true,
    autoStart: false,
    steps: [
      (run) => {
        const broken = script(run, "broken-pi", "echo x >> $SANDBOX/starts; echo PLANTED-REASON >&2; kill -9 $$");
        const { status, stderr } = launch(run, ["--run-dir", run.sandbox.run, "--", "--mode", "rpc"], { PI_REAL_BIN: broken });
        if (status !== 100) run.fail(`the launcher ended with ${status}`);
        const { state, reason } = run.directory.supervisor;
        if (state !== "ended" || !/^gave up: Pi failed 5 times/.test(reason)) run.fail(`supervisor.json says ${state}, ${reason}`);
        if (!/PLANTED-REASON/.test(stderr) || !/gave up: Pi failed 5 times/.test(stderr)) run.fail(`it said ${stderr}`);
        const again = launch(run, ["--run-dir", run.sandbox.run, "--", "--mode", "rpc"], { PI_REAL_BIN: script(run, "good-pi", "exit 0") });
        if (again.status !== 0) run.fail(`a start after that ended with ${again.status}: ${again.stderr}`);
      },
    ],
    asserts: [{ file: "${dir}/starts", has: "^x\nx\nx\nx\nx\n$" }],
  },
  {
    name: "in the terminal the last lines of a Pi that is given up stay to be read",
    mode: "tui",
    launcher: true,
    autoStart: false,
    steps: [
      (run) => {
        run.sandbox.env.PI_REAL_BIN = script(run, "broken-pi", "printf '\\033[?1049h'; echo PLANTED-REASON >&2; exec kill -9 $$");
      },
      { start: {} },
      { waitExit: { code: 100 } },
      { screen: "PLANTED-REASON.*gave up: Pi failed 5 times" },
      { modes: { alternate: 0, cursor: 1 } },
    ],
  },
  {
    name: "a Pi that keeps failing is waited for in one row, and what it wrote last is told",
    mode: "tui",
    launcher: true,
    launcherArgs: ["--healthy-seconds", "0"],
    columns: 80,
    steps: [
      { screen: "scripted-model" },
      { waitFor: (run) => run.directory.runtime?.pi?.pid === run.piPid() },
      (run) => {
        run.piPid();
        rmSync(run.sandbox.names.pi);
        script(run, "bin/pi", `exec ${run.options.node} -e 'throw new Error("PLANTED-REASON")'`);
        process.kill(run.knownPi, "SIGKILL");
      },
      { screen: "last: exit 1, Error: PLANTED-REASON\\.", ms: 90_000 },
      { screen: "pi-resilient waits until \\d\\d:\\d\\dZ \\(5 min\\): Pi keeps fa…\\. Enter: now\\. Ctrl\\+C: end\\.\n" },
      { key: "C-c" },
      { waitExit: { code: 130 } },
    ],
    asserts: [{ supervisor: { reason: "interrupted" } }, (run) => (run.directory.supervisor.deaths.some(({ cause }) => /PLANTED/.test(cause)) ? "what Pi wrote would reach the agent" : undefined)],
  },
  {
    name: "a reader of stdout that has gone is no crash, and the launcher goes on",
    mode: "rpc",
    launcher: true,
    autoStart: false,
    steps: [
      async (run) => {
        const living = script(run, "living-pi", "trap 'exit 0' TERM\necho $$ > $SANDBOX/pi.$$; mv $SANDBOX/pi.$$ $SANDBOX/pi\nwhile :; do sleep 0.1; done");
        const [program] = run.command();
        const launcher = spawn(program, ["--run-dir", run.sandbox.run, "--", "--mode", "rpc"], { env: { ...run.sandbox.env, PI_REAL_BIN: living }, cwd: run.cwd, stdio: ["pipe", "pipe", "ignore"] });
        const ended = new Promise((resolve) => launcher.on("exit", (code) => resolve(code)));
        const pi = () => existsSync(`${run.sandbox.dir}/pi`) && Number(readFileSync(`${run.sandbox.dir}/pi`, "utf8"));
        const first = await until(pi, 20_000, "Pi did not start");
        launcher.stdout.destroy();
        process.kill(first, "SIGKILL");
        await until(() => pi() !== first, 20_000, "no other Pi was started");
        launcher.kill("SIGTERM");
        if ((await ended) !== 143) run.fail(`the launcher ended with ${await ended}`);
      },
    ],
    asserts: [{ supervisor: { generation_number: 2 } }],
  },
  {
    name: "as process 1 of a container it reaps what others leave, and a SIGTERM ends it",
    mode: "rpc",
    launcher: true,
    autoStart: false,
    steps: [
      (run) => {
        const busy = "trap 'exit 0' TERM\n(sleep 0.1 & exec sleep 0.3) &\nsleep 1\nps -A -o stat= | grep -c Z > $SANDBOX/zombies\nkill -TERM 1\nwhile :; do sleep 0.1; done";
        const pi = script(run, "container-pi", busy);
        const args = ["--pid", "--fork", "--kill-child", "--mount-proc", run.command()[0], "--run-dir", run.sandbox.run, "--", "--mode", "rpc"];
        const { status, stderr } = spawnSync("unshare", args, { env: { ...run.sandbox.env, PI_REAL_BIN: pi }, cwd: run.cwd, input: "", encoding: "utf8", timeout: 30_000, killSignal: "SIGKILL" });
        if (/Operation not permitted/.test(stderr)) return; // no containers for this user
        if (status !== 143) run.fail(`it ended with ${status}: ${stderr}`);
        const zombies = readFileSync(`${run.sandbox.dir}/zombies`, "utf8").trim();
        if (zombies !== "0") run.fail(`${zombies} zombies were left`);
      },
    ],
  },
  {
    name: "SIGHUP to the launcher ends both with 129",
    launcher: true,
    replies: [stalled],
    steps: [prompt("/goal build it"), { waitRequests: 1 }, (run) => run.piPid(), { signal: "SIGHUP", to: "launcher" }, { waitExit: { code: 129 } }],
    asserts: [nothingLeft, { supervisor: { state: "ended", exit_code: 129 } }, { runtime: { goal: { state: "active" } } }],
  },
  {
    name: "SIGINT to the launcher is noted only; the end of Pi is then the user's, 130",
    launcher: true,
    replies: [{ text: "FIRST" }],
    steps: [
      prompt("one"),
      { wait: { type: "agent_settled" } },
      { signal: "SIGINT", to: "launcher" },
      { sleep: 1500 },
      (run) => isAlive(run.piPid()) || run.fail("Pi ended by a SIGINT to the launcher"),
      { signal: "SIGKILL", to: "pi" },
      { waitExit: { code: 130 } },
    ],
    asserts: [{ supervisor: { state: "ended", generation_number: 1 } }],
  },
  {
    name: "print mode is started again while a goal is active",
    mode: "print",
    launcher: true,
    firstArgs: ["/goal build the OBJECTIVE"],
    replies: [stalled, complete, { text: "FINISHED" }],
    steps: [{ waitRequests: 1 }, { sleep: 300 }, { signal: "SIGKILL", to: "pi" }, { waitExit: { code: 0 }, ms: 120_000 }],
    asserts: [{ request: 1, last: "OBJECTIVE" }, { requests: 3 }, { stdout: "FINISHED" }, { supervisor: { generation_number: 2 } }],
  },
  ...["rpc", "print"].map((mode) => ({
    name: `a Pi that is started again works with what every extension brings, ${mode} mode`,
    mode,
    launcher: true,
    settings: { extensions: [new URL("../facts/extensions/brings-tool.ts", import.meta.url).pathname] },
    firstArgs: mode === "rpc" ? [] : ["/goal build the OBJECTIVE"],
    replies: [stalled, complete, { text: "FINISHED" }],
    steps: [
      ...(mode === "rpc" ? [prompt("/goal build the OBJECTIVE")] : []),
      { waitRequests: 1 },
      { sleep: 300 },
      { signal: "SIGKILL", to: "pi" },
      { waitRequests: 3, ms: 120_000 },
      ...(mode === "rpc" ? [{ sleep: 500 }, { closeStdin: true }] : []),
      { waitExit: { code: 0 } },
    ],
    asserts: [{ request: 0, tools: ["brought_tool"] }, { request: 1, last: "OBJECTIVE", tools: ["brought_tool"] }, { requests: 3 }],
  })),
  {
    name: "print mode without a goal ends with its Pi",
    mode: "print",
    launcher: true,
    firstArgs: ["one"],
    replies: [stalled],
    steps: [{ waitRequests: 1 }, { signal: "SIGKILL", to: "pi" }, { waitExit: { code: 137 } }],
    asserts: [{ requests: 1 }, { supervisor: { state: "ended", generation_number: 1 } }],
  },
  {
    name: "a record that Pi did not end swallows nothing of the next Pi",
    launcher: true,
    extensions: [new URL("extensions/torn-record.ts", import.meta.url).pathname],
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      prompt("one"),
      { wait: { type: "agent_settled" } },
      { sleep: 1000 },
      (run) => run.driver.stdout.endsWith('{"torn') || run.fail(`no record was torn: ${run.driver.stdout.slice(-100)}`),
      { signal: "SIGKILL", to: "pi" },
      { newPi: true },
      prompt("two"),
      { wait: { type: "agent_settled" } },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ stdout: '\\{"torn\n\\{' }, { requests: 2 }],
  },
  {
    name: "the end of a run waits for no event command, and takes a running check along",
    launcher: true,
    launcherArgs: ["--on-event", "exec sleep 25"],
    replies: [complete, { text: "T2" }, { text: "T3" }],
    steps: [
      prompt("/goal --check 'echo $$ > check; exec sleep 30' -- build the OBJECTIVE"),
      { waitFor: (run) => existsSync(`${run.sandbox.project}/check`) && readFileSync(`${run.sandbox.project}/check`, "utf8").trim() },
      prompt("/goal pause"),
      { sleep: 500 },
      { closeStdin: true },
      { waitExit: { code: 0 }, ms: 8000 },
      async (run) => {
        const check = Number(readFileSync(`${run.sandbox.project}/check`, "utf8"));
        await until(() => !isAlive(check), 2000, `the check ${check} still runs`);
      },
    ],
    asserts: [{ supervisor: { state: "ended" } }],
  },
];
