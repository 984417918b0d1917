// What stops without being dead: a launcher that was stopped, and a machine that is to stay awake.
// --inhibit-sleep: the system's program is run while a goal is active. A stub of it comes first on
// PATH and writes down its life.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../lib/time.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const stalled = { text: "a long answer", stallAfter: 3 };
const stub = (text) => (run) => writeFileSync(join(run.sandbox.bin, "systemd-inhibit"), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
const faithful = stub('echo "begin $*" >> $SANDBOX/sleep\ncat\necho end >> $SANDBOX/sleep');
const lines = (run) => (existsSync(`${run.sandbox.dir}/sleep`) ? readFileSync(`${run.sandbox.dir}/sleep`, "utf8").split("\n").filter(Boolean) : []);
const life = (...words) => async (run) => {
  const said = () => lines(run).map((line) => line.split(" ")[0]).join();
  await until(() => said() === words.join(), 10_000, () => `the inhibitor's life is ${said()}, wanted ${words.join()}`);
};

export default [
  {
    name: "a launcher that is stopped alone for longer than the heartbeat's limit replaces nobody",
    launcher: true,
    launcherArgs: ["--heartbeat-timeout-seconds", "6"],
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      prompt("one"),
      { wait: { type: "agent_settled" } },
      { supervisor: { state: "running" } },
      { signal: "SIGSTOP", to: "launcher" },
      { sleep: 10_000 },
      { signal: "SIGCONT", to: "launcher" },
      { sleep: 8000 },
      prompt("two"),
      { wait: { type: "agent_settled" } },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 2 }, { supervisor: { state: "ended", generation_number: 1 } }],
  },
  {
    name: "the machine is kept awake exactly while a goal is active, through a death of Pi",
    launcher: true,
    launcherArgs: ["--inhibit-sleep", "--healthy-seconds", "0"],
    autoStart: false,
    replies: [stalled, stalled, stalled],
    steps: [
      faithful,
      { start: {} },
      prompt("/goal build it"),
      { waitRequests: 1 },
      life("begin"),
      { supervisor: { sleep: "kept awake" } },
      { signal: "SIGKILL", to: "pi" },
      { newPi: true },
      { waitRequests: 2 },
      life("begin"),
      { rpc: { type: "abort" } },
      { runtime: { goal: { state: "paused" } } },
      // A group that is told to end need not write its last word.
      async (run) => until(() => !run.processes().some(({ command }) => /systemd-inhibit/.test(command)), 10_000, "the inhibitor still runs"),
      prompt("/goal resume"),
      async (run) => until(() => lines(run).filter((line) => line.startsWith("begin")).length === 2, 10_000, "no second inhibitor"),
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ file: "${dir}/sleep", has: "begin --what=sleep:idle --who=pi-resilient --why=a goal is active --mode=block cat" }],
  },
  {
    name: "the inhibitor does not outlive a launcher that was killed",
    launcher: true,
    launcherArgs: ["--inhibit-sleep"],
    autoStart: false,
    replies: [stalled],
    steps: [faithful, { start: {} }, prompt("/goal build it"), { waitRequests: 1 }, life("begin"), { signal: "SIGKILL", to: "launcher" }, life("begin", "end")],
  },
  {
    name: "an inhibitor that is refused is told once, and the goal goes on",
    launcher: true,
    launcherArgs: ["--inhibit-sleep"],
    autoStart: false,
    replies: [{ text: "ONE" }, { tools: [{ name: "update_goal", args: { status: "complete" } }] }, { text: "DONE" }],
    steps: [
      stub("echo 'Failed to inhibit: Access denied' >&2\nexit 1"),
      { start: {} },
      prompt("/goal build it"),
      { wait: { type: "extension_ui_request", method: "notify", message: "/may fall asleep.*Access denied.*goes on/" } },
      { runtime: { goal: { state: "complete" } } },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ event: { type: "extension_ui_request", message: "/may fall asleep/" }, count: 1 }],
  },
];
