// A Pi without a launcher has a sidecar, which may die and never works beside somebody else.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { until } from "../lib/time.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const complete = { name: "complete", tools: [{ name: "update_goal", args: { status: "complete" } }] };
const notice = (message) => ({ wait: { type: "extension_ui_request", method: "notify", message } });
const end = [{ closeStdin: true }, { waitExit: { code: 0 } }];
const file = (run) => `${run.sandbox.dir}/s.jsonl.lease`;
const lease = (run) => (existsSync(file(run)) && readFileSync(file(run), "utf8").endsWith("\n") ? JSON.parse(readFileSync(file(run), "utf8")) : {});
const sidecar = (run) => run.processes().find(({ command }) => / sidecar$/.test(command))?.pid;

async function startLauncher(run) {
  const script = `${run.sandbox.dir}/sleeping-pi`;
  writeFileSync(script, "#!/bin/sh\ntrap 'exit 0' TERM\nwhile :; do sleep 0.1; done\n", { mode: 0o755 });
  const args = ["--run-dir", run.sandbox.run, "--", "--mode", "rpc", "--session", `${run.sandbox.dir}/s.jsonl`];
  const child = spawn(run.options.launcher, args, { env: { ...run.sandbox.env, PI_REAL_BIN: script }, cwd: run.cwd, stdio: "ignore" });
  child.ended = new Promise((resolve) => child.on("exit", resolve));
  run.notes.launcher = child;
  await until(() => lease(run).child?.pid, 20_000, "the launcher took no lease");
}

export default [
  {
    name: "goals are inert while a launcher holds the session, say who, and the lease is had only while a goal is active",
    extension: true,
    autoStart: false,
    args: ["--session", "${dir}/s.jsonl"],
    // Long enough to see the lease while the goal is active.
    replies: [{ text: "PLAIN" }, { ...complete, delayMs: 5000 }, { text: "T3" }],
    steps: [
      startLauncher,
      { start: {} },
      prompt("hello"),
      { wait: { type: "agent_settled" } },
      prompt("/goal build the OBJECTIVE"),
      async (run) => {
        const seen = await run.driver.waitEvent({ type: "extension_ui_request", method: "notify", message: "/is in use/" }, 20_000);
        if (!seen.message.includes(String(run.notes.launcher.pid))) run.fail(`the notice does not name the launcher: ${seen.message}`);
      },
      { sleep: 2000 },
      (run) => run.server.requests.length === 1 || run.fail("an inert goal was continued"),
      async (run) => {
        run.notes.launcher.kill("SIGTERM");
        await run.notes.launcher.ended;
      },
      prompt("/goal build the OBJECTIVE"),
      { waitFor: (run) => lease(run).owner?.pid === sidecar(run) && lease(run).released === false, ms: 20_000 },
      { waitRequests: 3 },
      { waitFor: (run) => lease(run).released === true, ms: 10_000 },
      ...end,
    ],
    asserts: [{ request: 1, last: "OBJECTIVE" }, { requests: 3 }],
  },
  {
    name: "a launcher is refused while a sidecar works on the session's goal, and not afterwards",
    extension: true,
    args: ["--session", "${dir}/s.jsonl"],
    replies: [{ text: "a long answer", stallAfter: 3 }],
    steps: [
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 1 },
      { waitFor: (run) => lease(run).owner?.pid === sidecar(run) && lease(run).released === false, ms: 20_000 },
      (run) => {
        const args = ["--run-dir", run.sandbox.run, "--", "--mode", "rpc", "--session", `${run.sandbox.dir}/s.jsonl`];
        const { status, stderr } = spawnSync(run.options.launcher, args, { env: run.sandbox.env, cwd: run.cwd, input: "", encoding: "utf8", timeout: 20_000 });
        if (status !== 75 || !stderr.includes(`pid ${sidecar(run)}`)) run.fail(`the launcher ended with ${status}: ${stderr}`);
      },
      prompt("/goal pause"),
      { waitFor: (run) => lease(run).released === true, ms: 10_000 },
      startLauncher,
      async (run) => {
        run.notes.launcher.kill("SIGTERM");
        await run.notes.launcher.ended;
      },
      { rpc: { type: "abort" } },
      ...end,
    ],
    asserts: [{ requests: 1 }],
  },
  {
    name: "a sidecar that was killed comes back, and the goal goes on",
    extension: true,
    replies: [{ text: "T1", delayMs: 3000 }, complete, { text: "T3" }],
    steps: [
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 1 },
      (run) => {
        run.notes.first = sidecar(run);
        process.kill(run.notes.first, "SIGKILL");
      },
      notice("/sidecar is not running/"),
      { waitFor: (run) => sidecar(run) && sidecar(run) !== run.notes.first },
      { waitRequests: 3, ms: 90_000 },
      { sleep: 500 },
      ...end,
    ],
    asserts: [
      { request: 1, last: "OBJECTIVE" },
      { requests: 3 },
      { event: { type: "extension_ui_request", method: "notify", message: "/only the launcher/" }, count: 1 },
      { event: { type: "extension_ui_request", method: "notify", message: "/sidecar is not running/" }, count: 1 },
    ],
  },
];
