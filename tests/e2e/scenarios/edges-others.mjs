// Living with others: extensions that do the same work, one that continues by itself, a Pi behind a
// version manager's shim, and upgrades under a live run.
import { chmodSync, copyFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, processInfo } from "../lib/processes.mjs";
import { until } from "../lib/time.mjs";

const here = (name) => new URL(`extensions/${name}`, import.meta.url).pathname;
const prompt = (message) => ({ rpc: { type: "prompt", message } });
const settled = { wait: { type: "agent_settled" } };
const complete = { tools: [{ name: "update_goal", args: { status: "complete" } }] };
const end = [{ closeStdin: true }, { waitExit: { code: 0 } }];
const killPi = [{ supervisor: { state: "running" } }, { signal: "SIGKILL", to: "pi" }, { newPi: true }];
const program = (file, text) => writeFileSync(file, text, { mode: 0o755 });

/** `pi` on PATH is a shim; PI_REAL_BIN is not set. The real one lies elsewhere. */
const shim = (text) => (run) => {
  const { bin, dir, env } = run.sandbox;
  renameSync(join(bin, "pi"), join(dir, "real-pi"));
  program(join(bin, "pi"), text);
  delete env.PI_REAL_BIN;
};
/** As fnm and nvm: a symbolic link in a folder of the shell's own. */
const linked = (run) => {
  const { bin, dir, env } = run.sandbox;
  renameSync(join(bin, "pi"), join(dir, "real-pi"));
  symlinkSync(join(dir, "real-pi"), join(dir, "multishell"));
  symlinkSync(join(dir, "multishell"), join(bin, "pi"));
  delete env.PI_REAL_BIN;
};
const shims = [
  ["a shell shim that executes Pi, as mise and asdf have", shim('#!/usr/bin/env bash\nset -e\nexport SHIM=1\nexec "$SANDBOX/real-pi" "$@"\n')],
  ["links of links, as nvm and fnm have", linked],
  ["a shim that waits for Pi, as volta has", shim('#!/bin/sh\n"$SANDBOX/real-pi" "$@"\nexit $?\n')],
];
const behindShim = ([what, install]) => ({
  name: `behind ${what}, Pi is restarted and stopped`,
  launcher: true,
  autoStart: false,
  replies: [{ text: "FIRST" }, { text: "SECOND" }],
  steps: [
    install,
    { start: {} },
    prompt("one"),
    settled,
    ...killPi,
    prompt("two"),
    settled,
    (run) => run.piPid(),
    { signal: "SIGTERM", to: "launcher" },
    { waitExit: { code: 143 } },
    (run) => until(() => !isAlive(run.knownPi), 15_000, `Pi ${run.knownPi} is still alive`),
  ],
  asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST.*two" }, { sessions: 1 }],
});

/** A program in place of Pi that only says hello, as a Pi of that version. */
const greeter = (version) => `#!/usr/bin/env node
const socket = require("node:net").createConnection(process.env.PI_RESILIENT_SOCKET);
socket.write(JSON.stringify({ v: 1, type: "hello", id: 1, extension_version: "0.1.0", generation: process.env.PI_RESILIENT_GENERATION,
  secret: process.env.PI_RESILIENT_SECRET, pid: process.pid, pi_version: "${version}", mode: "rpc", has_ui: false, cwd: process.cwd(),
  agent_folder: process.env.PI_CODING_AGENT_DIR, trusted: false, reason: "startup", session: { id: "x" }, capabilities: [], entries: {},
  idle: true, pending: false }) + "\\n");
setInterval(() => {}, 1000);
`;
/** Another program takes the place of Pi, as a package manager does it: the old name goes away first. */
const replacePi = (text) => (run) => {
  rmSync(run.sandbox.names.pi);
  program(run.sandbox.names.pi, text);
};

export default [
  {
    name: "extensions that do the same work are named in one notice, once",
    launcher: true,
    extensions: ["originals/resilient-goal.ts", "originals/canary.ts", "originals/pi-canon.ts"].map(here),
    steps: [
      { wait: { type: "extension_ui_request", method: "notify", message: "/same work.*goal of resilient-goal.ts.*canary of canary.ts.*canon of pi-canon.ts/" } },
      ...killPi,
      { rpc: { type: "get_state" } },
      { sleep: 1500 },
      ...end,
    ],
    asserts: [{ event: { type: "extension_ui_request", message: "/same work/" }, count: 1 }],
  },
  {
    name: "an extension that continues by itself goes on beside a goal: each request once",
    launcher: true,
    extensions: [here("continues.ts")],
    replies: [
      { when: { last: "OBJECTIVE" }, text: "FIRST" },
      { when: { last: "OTHER-CONTINUES-1" }, text: "SECOND" },
      { when: { last: "OTHER-CONTINUES-2" }, text: "THIRD" },
      { ...complete },
      { when: { lastRole: "tool" }, text: "DONE" },
    ],
    steps: [prompt("/goal build the OBJECTIVE"), { runtime: { goal: { state: "complete" } }, ms: 120_000 }, { sleep: 1500 }, ...end],
    asserts: [
      { requests: 5 },
      (run) => {
        const others = run.server.requests.filter(({ view }) => /OTHER-CONTINUES/.test(view.last.text)).length;
        return others === 2 ? undefined : `the other extension's messages came ${others} times`;
      },
    ],
  },
  ...shims.map(behindShim),
  {
    name: "a frozen Pi behind a shim that waits for it is stopped and replaced",
    launcher: true,
    launcherArgs: ["--heartbeat-timeout-seconds", "6"],
    autoStart: false,
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      shims[2][1],
      { start: {} },
      prompt("one"),
      settled,
      { supervisor: { state: "running" } },
      { signal: "SIGSTOP", to: "pi" },
      { newPi: true, ms: 90_000 },
      (run) => {
        const stopped = run.processes().filter(({ pid }) => processInfo(pid)?.state === "T");
        if (stopped.length) run.fail(`stopped processes are left: ${JSON.stringify(stopped)}`);
      },
      prompt("two"),
      settled,
      ...end,
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST.*two" }],
  },
  {
    name: "pi-resilient may be upgraded under a live run, which goes on and can be stopped by the new one",
    launcher: true,
    autoStart: false,
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      (run) => {
        run.notes.installed = join(run.sandbox.dir, "pi-resilient");
        copyFileSync(run.options.launcher, run.notes.installed);
        run.notes.launcher = run.options.launcher;
        run.options = { ...run.options, launcher: run.notes.installed };
        run.sandbox.env.PI_RESILIENT_EXTENSION = run.options.extension;
      },
      { start: {} },
      prompt("one"),
      settled,
      (run) => {
        rmSync(run.notes.installed);
        copyFileSync(run.notes.launcher, run.notes.installed);
        chmodSync(run.notes.installed, 0o755);
      },
      ...killPi,
      prompt("two"),
      settled,
      { exec: "$SANDBOX/pi-resilient status --run-dir $SANDBOX/run && $SANDBOX/pi-resilient stop --run-dir $SANDBOX/run" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST.*two" }, (run) => (/running/.test(run.notes.exec) ? undefined : `status said ${run.notes.exec}`)],
  },
  {
    name: "Node may be upgraded under a live run: the next generation runs in the new one",
    launcher: true,
    autoStart: false,
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      (run) => symlinkSync(run.options.node, join(run.sandbox.bin, "node")),
      { start: {} },
      prompt("one"),
      settled,
      (run) => {
        rmSync(join(run.sandbox.bin, "node"));
        program(join(run.sandbox.bin, "node"), `#!/bin/sh\necho new >> $SANDBOX/node-starts\nexec ${run.options.node} "$@"\n`);
      },
      ...killPi,
      prompt("two"),
      settled,
      ...end,
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST.*two" }, { file: "${dir}/node-starts", has: "^new\n" }],
  },
  {
    name: "a Pi that is away while it is upgraded is waited for",
    launcher: true,
    autoStart: false,
    launcherArgs: ["--healthy-seconds", "0"],
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      { start: {} },
      prompt("one"),
      settled,
      (run) => renameSync(run.sandbox.names.pi, join(run.sandbox.dir, "away")),
      { signal: "SIGKILL", to: "pi" },
      { waitFor: (run) => run.directory.supervisor.deaths.some(({ cause }) => /does not exist/.test(cause)) },
      (run) => renameSync(join(run.sandbox.dir, "away"), run.sandbox.names.pi),
      { newPi: true },
      prompt("two"),
      settled,
      ...end,
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST.*two" }, { sessions: 1 }],
  },
  {
    name: "a Pi that was replaced by one that is too old is judged by its hello, and the run ends",
    launcher: true,
    autoStart: false,
    replies: [{ text: "FIRST" }],
    steps: [{ start: {} }, prompt("one"), settled, { supervisor: { state: "running" } }, replacePi(greeter("0.79.0")), { signal: "SIGKILL", to: "pi" }, { waitExit: { code: 69 } }],
    asserts: [{ stderr: "Pi 0.79.0 is too old, 0.80.6 or later is needed" }, { supervisor: { state: "ended", exit_code: 69 } }],
  },
];
