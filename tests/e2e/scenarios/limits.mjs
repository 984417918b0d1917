// A goal meets limits, failures, budgets and checks: nobody hammers, nothing is given up, and nothing
// starts before its time.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const command = (message) => ({ rpc: { type: "prompt", message } });
const complete = { name: "complete", tools: [{ name: "update_goal", args: { status: "complete" } }] };
const after = { text: "DONE", repeat: "forever" };
const end = [{ sleep: 1500 }, { closeStdin: true }, { waitExit: { code: 0 } }];
const declare = command("/goal build the OBJECTIVE");
// Pi's own tries are not what is tested here.
const noRetry = { retry: { enabled: false } };
const base = { launcher: true, settings: noRetry };

const usageLimit = (seconds) => ({
  error: { status: 429, body: { error: { type: "usage_limit_reached", message: `Usage limit reached. Your limit will reset at $ISO+${seconds}`, plan_type: "plus", resets_at: `$NOW+${seconds}` } } },
});
const at = (run, index) => run.server.requests[index].at;
/** How long after another request one came, in ms. */
const gap = (index, least, most = Infinity, from = index - 1) => (run) => {
  const length = at(run, index) - at(run, from);
  return length >= least && length <= most ? undefined : `request ${index} came ${length} ms after request ${from}, wanted ${least} to ${most}`;
};
const noDeaths = (run) => {
  const { failures, deaths } = run.directory.supervisor;
  const found = deaths.filter(({ expected }) => !expected).length;
  return failures === 0 && found === 0 ? undefined : `a limit was taken for ${found} deaths and ${failures} failures`;
};
const statusOf = (run) => spawnSync(run.command()[0], ["status", "--run-dir", run.sandbox.run], { env: run.sandbox.env, encoding: "utf8" }).stdout;
const waits = (kind) => ({ runtime: { wait: { kind } } });
const shows = (pattern) => [
  command("/goal"),
  { wait: { type: "extension_ui_request", method: "notify", message: pattern } },
];

/** One failure, and the goal goes on by itself after a short backoff. */
const passes = (name, failure, rest = {}) => ({
  ...base,
  name: `${name}: tried again after a backoff`,
  replies: [failure, complete, after],
  steps: [declare, { waitRequests: 2, ms: 30_000 }, ...end],
  asserts: [{ request: 1, last: "OBJECTIVE" }, noDeaths],
  ...rest,
});

export default [
  {
    ...base,
    name: "429 with a time in the body: waited for until then",
    replies: [
      { error: { status: 429, body: { error: { message: "Rate limit reached. Please try again in 6s." } } } },
      complete,
      after,
    ],
    steps: [declare, { waitRequests: 1 }, waits("backoff"), ...shows("/Next attempt.*rate limit/"), { waitRequests: 2, ms: 30_000 }, ...end],
    asserts: [gap(1, 5900, 20_000), noDeaths],
  },
  passes("429 without a time", { error: { status: 429, body: { error: { message: "Too many requests" } } } }),
  {
    ...base,
    name: "a Codex usage limit: waited for until the reset, and shown",
    smoke: true,
    api: "openai-codex-responses",
    replies: [usageLimit(60), complete, after],
    steps: [
      declare,
      { waitRequests: 1 },
      waits("reset"),
      ...shows("/Next attempt.*usage limit/"),
      { waitRequests: 2, ms: 150_000 },
      ...end,
    ],
    // Pi's text for it gives whole minutes only.
    asserts: [gap(1, 15_000, 130_000), noDeaths],
  },
  {
    ...base,
    name: "a used-up plan without a reset: probed, and said so",
    replies: [{ error: { status: 429, body: { error: { type: "insufficient_quota", message: "You exceeded your current quota, please check your plan and billing details." } } } }, complete, after],
    steps: [
      declare,
      { waitRequests: 1 },
      waits("probe"),
      { wait: { type: "extension_ui_request", method: "notify", message: "/named no reset time/" } },
      { sleep: 8000 },
      (run) => run.server.requests.length !== 1 && run.fail("it was asked before the probe"),
      command("/goal resume"),
      { waitRequests: 2 },
      ...end,
    ],
    asserts: [noDeaths],
  },
  passes("503", { error: { status: 503, body: { error: { message: "overloaded" } } } }),
  passes("a torn stream", { text: "some text", cut: true }),
  {
    ...base,
    name: "a refused connection: tried again until the server is back",
    replies: [{ text: "T1", delayMs: 4000 }, complete, after],
    steps: [
      declare,
      { waitRequests: 1 },
      { serverDown: true },
      waits("backoff"),
      { sleep: 4000 },
      { serverUp: true },
      { waitRequests: 2, ms: 60_000 },
      ...end,
    ],
    asserts: [noDeaths],
  },
  {
    ...base,
    name: "an Escape while Pi waits to try again pauses the goal",
    mode: "tui",
    settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 60_000 } },
    replies: [{ error: { status: 503, body: { error: { message: "overloaded" } } } }, after],
    steps: [
      { screen: "scripted-model" },
      { sleep: 1000 },
      { submit: "/goal build the OBJECTIVE" },
      { waitRequests: 1 },
      { sleep: 1500 },
      { key: "Escape" },
      { screen: "goal paused" },
      { sleep: 5000 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 1 }],
  },
  {
    ...base,
    name: "input during a wait is answered at once, and its success ends the wait",
    replies: [usageLimit(3600), { when: { last: "HELLO" }, text: "hello" }, complete, after],
    steps: [declare, { waitRequests: 1 }, waits("reset"), command("HELLO"), { waitRequests: 3, ms: 20_000 }, ...end],
    asserts: [{ request: 1, last: "HELLO" }, { request: 2, last: "OBJECTIVE" }, noDeaths],
  },
  {
    ...base,
    name: "a kill during a wait: Pi is not started and nothing is asked before the reset",
    smoke: true,
    replies: [usageLimit(15), complete, after],
    steps: [
      declare,
      { waitRequests: 1 },
      waits("reset"),
      { sleep: 500 },
      { signal: "SIGKILL", to: "pi" },
      { supervisor: { state: "waiting" } },
      { sleep: 12_000 },
      (run) => run.piPid() && run.fail("Pi was started before the reset"),
      { newPi: true, ms: 90_000 },
      { waitRequests: 2, ms: 60_000 },
      ...end,
    ],
    // The reset, and the documented margin of 15 to 45 s.
    asserts: [gap(1, 29_000, 70_000), { request: 1, last: "OBJECTIVE.*killed by SIGKILL" }, { sessions: 1 }],
  },
  {
    ...base,
    name: "a check fails twice and then passes",
    smoke: true,
    replies: [{ ...complete, when: { lastRole: "user" }, repeat: 3 }, after],
    steps: [
      command("/goal --check 'echo x >> checks; echo MISSING $(wc -l < checks); test $(wc -l < checks) -ge 3' -- build the OBJECTIVE"),
      { wait: { type: "extension_ui_request", method: "notify", message: "/its check passed/" }, ms: 90_000 },
      ...end,
    ],
    asserts: [
      (run) => (readFileSync(join(run.sandbox.project, "checks"), "utf8") === "x\nx\nx\n" ? undefined : "the check did not run three times"),
      (run) => {
        const told = run.server.requests.filter(({ view }) => view.last.role === "user" && /MISSING/.test(view.last.text)).length;
        return told === 2 ? undefined : `its output went back ${told} times, wanted 2`;
      },
    ],
  },
  {
    ...base,
    name: "a budget of turns pauses the goal, people are told, and /goal extend goes on",
    launcherArgs: ["--max-turns", "2", "--on-event", "cat >> $HOME/told"],
    replies: [{ text: "T1" }, { text: "T2" }, complete, after],
    steps: [
      declare,
      { waitRequests: 2 },
      { runtime: { goal: { pause_reason: "budget_turns" } } },
      { sleep: 2000 },
      (run) => run.server.requests.length !== 2 && run.fail("the budget was exceeded"),
      command("/goal extend"),
      { waitRequests: 4 },
      ...end,
    ],
    asserts: [
      (run) => {
        const told = readFileSync(join(run.sandbox.home, "told"), "utf8").trim().split("\n").map((line) => JSON.parse(line).event);
        // Two that happen at once are told by two commands, and either may be first.
        return told[0] === "paused" && told.slice(1).sort().join(" ") === "complete resumed" ? undefined : `people were told: ${told.join(" ")}`;
      },
      (run) => {
        const costs = readFileSync(join(run.sandbox.home, "told"), "utf8").trim().split("\n").map((line) => /"cost":([^,}]*)/.exec(line)[1]);
        return costs.every((cost) => /^0\.0*[1-9]\d{0,2}$|^[1-9](\.\d{1,2})?e-\d+$/.test(cost)) ? undefined : `the costs are ${costs.join(" ")}`;
      },
    ],
  },
  {
    ...base,
    name: "status tells the true time in the middle of a run, and that a command for events failed",
    launcherArgs: ["--on-event", "echo no display >&2; exit 3"],
    replies: [{ text: "T1", delayMs: 6000 }, complete, after],
    steps: [
      declare,
      { waitRequests: 1 },
      { sleep: 2500 },
      (run) => /\n +Active for [2-5] s\n/.test(statusOf(run)) || run.fail(`in the run it says: ${statusOf(run)}`),
      command("/goal pause"),
      { runtime: { goal: { state: "paused" } } },
      { sleep: 500 },
      (run) => statusOf(run).includes("The command of --on-event failed for paused (exit 3: no display).") || run.fail(`it does not tell of the command: ${statusOf(run)}`),
      command("/goal resume"),
      { waitRequests: 3 },
      ...end,
    ],
  },
];
