// The launcher keeps Pi alive: every way in which Pi can die, and the ends that are none of its
// business.
import { isAlive } from "../lib/processes.mjs";
import { until } from "../lib/time.mjs";

const quickly = ["--heartbeat-timeout-seconds", "6"];
const prompt = (message) => ({ rpc: { type: "prompt", message } });
const settled = { wait: { type: "agent_settled" } };
const end = [{ closeStdin: true }, { waitExit: { code: 0 } }];
const killPi = [{ supervisor: { state: "running" } }, { signal: "SIGKILL", to: "pi" }, { newPi: true }];
const deaths = (count) => (run) => {
  const found = run.directory.supervisor.deaths.filter(({ expected }) => !expected).length;
  return found === count ? undefined : `supervisor.json names ${found} deaths, wanted ${count}`;
};
const nothingLeft = async (run) => {
  await until(() => !isAlive(run.knownPi), 5000, `Pi ${run.knownPi} is still alive`);
};

export default [
  {
    name: "a kill in the middle of a tool call goes on in the same session",
    smoke: true,
    launcher: true,
    replies: [{ tools: [{ name: "bash", args: { command: "sleep 300" } }] }, { text: "SECOND" }],
    steps: [prompt("one"), { wait: { type: "tool_execution_start" } }, { sleep: 300 }, ...killPi, prompt("two"), settled, ...end],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*No result provided.*two" }, { sessions: 1 }, deaths(1)],
  },
  {
    name: "a kill while the answer streams goes on in the same session",
    launcher: true,
    replies: [{ text: "a long answer", stallAfter: 3 }, { text: "SECOND" }],
    steps: [prompt("one"), { waitRequests: 1 }, { sleep: 300 }, ...killPi, prompt("two"), settled, ...end],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*two" }, { sessions: 1 }, deaths(1)],
  },
  {
    name: "a kill of an idle Pi goes on in the same session",
    launcher: true,
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [prompt("one"), settled, ...killPi, prompt("two"), settled, ...end],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST.*two" }, { sessions: 1 }, deaths(1)],
  },
  {
    name: "a kill while Pi starts is followed by another start",
    launcher: true,
    replies: [{ text: "FIRST" }],
    steps: [{ newPi: true }, { signal: "SIGKILL", to: "pi" }, { newPi: true }, prompt("one"), settled, ...end],
    asserts: [{ requests: 1 }, { sessions: 1 }, deaths(1)],
  },
  {
    name: "a Pi that is stopped alone is frozen, and replaced",
    launcher: true,
    launcherArgs: quickly,
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      prompt("one"),
      settled,
      { supervisor: { state: "running" } },
      { signal: "SIGSTOP", to: "pi" },
      { newPi: true, ms: 90_000 },
      prompt("two"),
      settled,
      ...end,
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST.*two" }, deaths(1)],
  },
  {
    name: "a Pi that fails is started again",
    launcher: true,
    extensions: [new URL("extensions/crash.ts", import.meta.url).pathname],
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [{ waitFor: (run) => run.piPid() }, prompt("CRASH"), settled, { newPi: true }, prompt("two"), settled, ...end],
    asserts: [{ requests: 2 }, { sessions: 1 }, deaths(1)],
  },
  {
    name: "/quit ends the run",
    mode: "tui",
    launcher: true,
    steps: [{ screen: "scripted-model" }, { sleep: 1000 }, { submit: "/quit" }, { waitExit: { code: 0 } }],
    asserts: [{ supervisor: { state: "ended", generation_number: 1 } }, { lineSettingsAfterExit: { icanon: true, echo: true } }],
  },
  {
    name: "a kill in the terminal leaves it sane and shows Pi again",
    mode: "tui",
    launcher: true,
    replies: [{ text: "FIRST-REPLY" }, { text: "SECOND-REPLY" }],
    steps: [
      { screen: "scripted-model" },
      { submit: "one" },
      { screen: "FIRST-REPLY" },
      { sleep: 300 },
      ...killPi,
      { sleep: 500 },
      { supervisor: { state: "running", generation_number: 2 } },
      { sleep: 3000 },
      { screen: "scripted-model" },
      { submit: "two" },
      { screen: "SECOND-REPLY" },
      { sleep: 300 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
      { modes: { alternate: 0, cursor: 1, mouse: 0 } },
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST-REPLY.*two" }, { lineSettingsAfterExit: { icanon: true, echo: true, isig: true } }],
  },
  {
    name: "SIGTERM to the launcher ends Pi and itself",
    launcher: true,
    replies: [{ hang: true }],
    steps: [prompt("one"), { waitRequests: 1 }, (run) => run.piPid(), { signal: "SIGTERM", to: "launcher" }, { waitExit: { code: 143 } }],
    asserts: [nothingLeft, { supervisor: { state: "ended" } }],
  },
  {
    name: "Pi does not outlive a launcher that was killed, which can be started again on the session",
    launcher: true,
    args: ["--session", "${dir}/s.jsonl"],
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      prompt("one"),
      settled,
      (run) => run.piPid(),
      { signal: "SIGKILL", to: "launcher" },
      { waitExit: { signal: "SIGKILL" } },
      nothingLeft,
      { start: {} },
      prompt("two"),
      settled,
      ...end,
    ],
    asserts: [{ requests: 2 }, { request: 1, all: "one.*FIRST.*two" }],
  },
  {
    name: "a second launcher on the same session is refused",
    launcher: true,
    args: ["--session", "${dir}/s.jsonl"],
    replies: [{ text: "FIRST" }],
    steps: [
      prompt("one"),
      settled,
      async (run) => {
        const { spawnSync } = await import("node:child_process");
        const [program] = run.command();
        const args = ["--run-dir", `${run.sandbox.dir}/second`, "--", "--mode", "rpc", "--session", `${run.sandbox.dir}/s.jsonl`];
        const second = spawnSync(program, args, { env: run.sandbox.env, cwd: run.cwd, input: "", encoding: "utf8", timeout: 30_000 });
        if (second.status !== 75) run.fail(`the second launcher ended with ${second.status}: ${second.stderr}`);
        if (!second.stderr.includes("s.jsonl")) run.fail(`the refusal does not name the session: ${second.stderr}`);
      },
      ...end,
    ],
    asserts: [{ requests: 1 }],
  },
  {
    name: "a session that would not be stored is refused",
    mode: "plain",
    launcher: true,
    args: ["--no-session"],
    steps: [{ waitExit: { code: 64 } }],
    asserts: [{ stderr: "--no-session" }, { requests: 0 }],
  },
  {
    name: "what is no session runs as it is, unsupervised",
    mode: "plain",
    launcher: true,
    model: null,
    args: ["--version"],
    steps: [{ waitExit: { code: 0 } }],
    asserts: [({ driver, options }) => ((driver.stdout + driver.stderr).includes(options.pi.version) ? undefined : `it printed ${driver.stdout}`), { sessions: 0 }],
  },
  {
    name: "a wrong option ends the run after one try",
    mode: "print",
    launcher: true,
    firstArgs: ["--no-such-option", "hi"],
    steps: [{ waitExit: { code: 1 } }],
    asserts: [{ requests: 0 }, { supervisor: { state: "ended", generation_number: 1 } }],
  },
];
