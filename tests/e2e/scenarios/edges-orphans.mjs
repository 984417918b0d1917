// What tools left running: stopped when Pi died, left alone when it ended, never in the way of the next start.
import { leaveBehind, waitForOrphan } from "../lib/orphans.mjs";
import { isAlive } from "../lib/processes.mjs";
import { until } from "../lib/time.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const bash = (command) => ({ tools: [{ name: "bash", args: { command } }] });
const complete = { name: "complete", tools: [{ name: "update_goal", args: { status: "complete" } }] };
const end = [{ sleep: 1000 }, { closeStdin: true }, { waitExit: { code: 0 } }];
const killPi = [{ signal: "SIGKILL", to: "pi" }, { newPi: true }];
const isGone = (run) => isAlive(run.notes.orphan) && run.fail(`process ${run.notes.orphan} still runs`);
const isLeft = (run) => {
  if (!isAlive(run.notes.orphan)) run.fail("the process was stopped");
  else process.kill(run.notes.orphan, "SIGKILL");
};
const busy = [bash(`${leaveBehind} sleep 300`), complete, { text: "T3" }];
/** Kills the launcher while its Pi cannot notice that. */
const leaveStoppedPi = [
  prompt("one"),
  { wait: { type: "agent_settled" } },
  (run) => (run.notes.orphan = run.piPid()),
  { signal: "SIGSTOP", to: "pi" },
  { signal: "SIGKILL", to: "launcher" },
  { waitExit: { signal: "SIGKILL" } },
  { sleep: 500 },
  (run) => isAlive(run.notes.orphan) || run.fail("Pi did not outlive its launcher, so that this shows nothing"),
];

export default [
  {
    name: "what a dead Pi left in a session of its own is gone before the next start, and the agent is told",
    launcher: true,
    replies: busy,
    steps: [prompt("/goal build the OBJECTIVE"), waitForOrphan, ...killPi, isGone, { waitRequests: 3 }, ...end],
    asserts: [
      { request: 1, last: "OBJECTIVE.*killed by SIGKILL.*sleep \\(\\d+\\)" },
      { file: "${run}/events.jsonl", has: 'leftovers.stopped".*sleep.*child.starting' },
      { requests: 3 },
    ],
  },
  {
    name: "--keep-orphans leaves it running",
    launcher: true,
    launcherArgs: ["--keep-orphans"],
    replies: busy,
    steps: [prompt("/goal build the OBJECTIVE"), waitForOrphan, ...killPi, { waitRequests: 3 }, isLeft, ...end],
    asserts: [{ request: 1, last: "OBJECTIVE.*killed by SIGKILL", noLast: "sleep \\(" }, { requests: 3 }],
  },
  {
    name: "a normal end of Pi leaves it running",
    launcher: true,
    replies: [bash(`${leaveBehind} echo started`), { text: "DONE" }],
    steps: [prompt("one"), waitForOrphan, { waitRequests: 2 }, { wait: { type: "agent_settled" } }, ...end, isLeft],
    asserts: [{ requests: 2 }, { supervisor: { state: "ended", generation_number: 1 } }],
  },
  {
    name: "a stopped Pi that outlives its launcher, which was killed, is gone before the next start",
    launcher: true,
    args: ["--session", "${dir}/s.jsonl"],
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      ...leaveStoppedPi,
      { start: {} },
      { newPi: true },
      isGone,
      prompt("two"),
      { wait: { type: "agent_settled" } },
      ...end,
    ],
    asserts: [{ request: 1, all: "one.*FIRST.*two" }, { requests: 2 }, { file: "${run}/events.jsonl", has: "leftover.child" }],
  },
  {
    name: "so is one whose session only the next Pi knows, once it has said it",
    launcher: true,
    replies: [{ text: "FIRST" }, { text: "SECOND" }],
    steps: [
      ...leaveStoppedPi,
      { start: { args: ["--continue"] } },
      { waitFor: (run) => run.directory.runtime?.pi?.pid > 0 && run.directory.runtime.pi.pid !== run.notes.orphan },
      (run) => until(() => !isAlive(run.notes.orphan), 10_000, "the old Pi works beside the new one"),
      prompt("two"),
      { wait: { type: "agent_settled" } },
      ...end,
    ],
    asserts: [{ request: 1, all: "one.*FIRST.*two" }, { requests: 2 }, { sessions: 1 }],
  },
  {
    name: "a launcher that was killed is started again: nothing of before runs on, and the goal goes on by itself",
    launcher: true,
    args: ["--session", "${dir}/s.jsonl"],
    replies: busy,
    steps: [
      prompt("/goal build the OBJECTIVE"),
      waitForOrphan,
      (run) => run.piPid(),
      { signal: "SIGKILL", to: "launcher" },
      { waitExit: { signal: "SIGKILL" } },
      (run) => until(() => !isAlive(run.knownPi), 20_000, `Pi ${run.knownPi} outlives its launcher`),
      (run) => isAlive(run.notes.orphan) || run.fail("the process did not outlive Pi, so that this shows nothing"),
      { start: {} },
      { newPi: true },
      isGone,
      { waitRequests: 3 },
      ...end,
    ],
    asserts: [{ request: 1, last: "OBJECTIVE.*sleep \\(\\d+\\)", all: "No result provided|aborted" }, { requests: 3 }],
  },
];
