// A goal belongs to a session and to a branch of it: what /new, /resume, fork and the tree do to
// it under the launcher, and to the lease.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { isAlive } from "../lib/processes.mjs";
import { sleep, until } from "../lib/time.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const settled = { wait: { type: "agent_settled" } };
const complete = { name: "complete", tools: [{ name: "update_goal", args: { status: "complete" } }] };
const end = [{ sleep: 1000 }, { closeStdin: true }, { waitExit: { code: 0 } }];
const killPi = [{ supervisor: { state: "running" } }, { signal: "SIGKILL", to: "pi" }, { newPi: true }, { supervisor: { state: "running" } }];
const stalled = { text: "a long answer", stallAfter: 2 };
const first = ["--session", "${dir}/first.jsonl"];
const firstFile = (run) => `${run.sandbox.dir}/first.jsonl`;
const currentFile = (run) => run.directory.runtime?.session?.file;

/** Waits until Pi has told of another session than the one that `notes` names. */
const otherSession = (name) => async (run) => {
  const before = run.notes[name] ?? firstFile(run);
  run.notes.now = await until(() => currentFile(run) && currentFile(run) !== before && currentFile(run), 20_000, "Pi told of no other session");
};
const goalIs = (state) => ({ waitFor: (run) => (run.directory.runtime?.goal?.state ?? "none") === state });
const noRequestFor = (ms) => async (run) => {
  const before = run.server.requests.length;
  await sleep(ms);
  const more = run.server.requests.length - before;
  if (more) run.fail(`${more} requests came where none should`);
};
const lease = (file) => {
  const text = existsSync(`${file}.lease`) ? readFileSync(`${file}.lease`, "utf8") : "";
  return text.endsWith("\n") ? JSON.parse(text) : {};
};
const leaseOf = (file, released) => (run) => until(() => lease(file(run)).released === released, 5000, () => `the lease of ${file(run)} is ${JSON.stringify(lease(file(run)))}`);

/** Starts a second launcher, whose Pi is a script that only lives. */
function secondLauncher(run, file) {
  const script = `${run.sandbox.dir}/sleeping-pi`;
  writeFileSync(script, "#!/bin/sh\ntrap 'exit 0' TERM\nwhile :; do sleep 0.1; done\n", { mode: 0o755 });
  const args = ["--run-dir", `${run.sandbox.dir}/second`, "--", "--mode", "rpc", "--session", file];
  return [run.command()[0], args, { env: { ...run.sandbox.env, PI_REAL_BIN: script }, cwd: run.cwd, input: "", encoding: "utf8", timeout: 20_000 }];
}
const refused = (file) => (run) => {
  const { status, stderr } = spawnSync(...secondLauncher(run, file(run)));
  if (status !== 75 || !stderr.includes(String(run.driver.pid))) run.fail(`a second launcher on ${file(run)} ended with ${status}: ${stderr}`);
};

export default [
  {
    name: "/new leaves the goal behind, a kill comes back to the new session, /resume goes on with the goal",
    launcher: true,
    args: first,
    replies: [{ text: "T1" }, stalled, { text: "NEW" }, { text: "NEW-AGAIN" }, complete, { text: "T6" }],
    steps: [
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 2 },
      { sleep: 300 },
      { rpc: { type: "new_session" }, expect: { success: true, data: { cancelled: false } } },
      otherSession(),
      goalIs("none"),
      leaseOf(firstFile, true),
      leaseOf((run) => run.notes.now, false),
      refused((run) => run.notes.now),
      noRequestFor(2500),
      prompt("hello"),
      { waitRequests: 3 },
      { waitFor: ({ notes }) => existsSync(notes.now) && readFileSync(notes.now, "utf8").includes('"NEW"') },
      ...killPi,
      prompt("again"),
      { waitRequests: 4 },
      (run) => until(() => run.server.requests[3].view.all.includes("hello"), 1000, "the killed Pi did not come back to the new session"),
      (run) => currentFile(run) === run.notes.now || run.fail(`Pi came back in ${currentFile(run)}`),
      { sleep: 1000 },
      async (run) => run.driver.call({ type: "switch_session", sessionPath: firstFile(run) }, 30_000),
      { waitRequests: 6 },
      goalIs("complete"),
      leaseOf(firstFile, false),
      refused(firstFile),
      ...end,
    ],
    asserts: [
      { request: 2, last: "^hello$", noAll: "OBJECTIVE" },
      { request: 3, all: "hello.*NEW.*again", noAll: "OBJECTIVE" },
      { request: 4, last: "OBJECTIVE", noAll: "hello" },
      { requests: 6 },
    ],
  },
  {
    name: "the goal of a forked session is paused, also after a kill, until /goal resume",
    launcher: true,
    args: first,
    replies: [{ text: "T1" }, stalled, { text: "FORKED" }, complete, { text: "T5" }],
    steps: [
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 2 },
      { sleep: 300 },
      { rpc: { type: "get_fork_messages" }, save: "messages" },
      async (run) => {
        const { entryId } = run.notes.messages.data.messages.at(-1);
        const answer = await run.driver.call({ type: "fork", entryId }, 30_000);
        if (!answer.success || answer.data?.cancelled) run.fail(`fork was answered ${JSON.stringify(answer)}`);
      },
      otherSession(),
      goalIs("paused"),
      leaseOf(firstFile, true),
      leaseOf((run) => run.notes.now, false),
      noRequestFor(3000),
      ...killPi,
      { waitFor: (run) => run.directory.runtime.pi?.pid === run.knownPi },
      noRequestFor(3000),
      (run) => currentFile(run) === run.notes.now || run.fail(`Pi came back in ${currentFile(run)}`),
      goalIs("paused"),
      prompt("/goal resume"),
      { waitRequests: 5 },
      goalIs("complete"),
      ...end,
    ],
    asserts: [{ request: 2, last: "OBJECTIVE", all: "T1" }, { requests: 5 }],
  },
  {
    name: "a goal is only on its branch of the tree, with its wait",
    launcher: true,
    args: first,
    extensions: [new URL("extensions/visit.ts", import.meta.url).pathname],
    settings: { retry: { enabled: false } },
    replies: [
      { text: "BEFORE" },
      { text: "WORKED" },
      { error: { status: 429, body: { error: { type: "usage_limit_reached", message: "used up", resets_at: "$NOW+12" } } } },
      { text: "ASIDE" },
      complete,
      { text: "T6" },
    ],
    steps: [
      prompt("one"),
      settled,
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 3 },
      goalIs("active"),
      { waitFor: (run) => run.directory.runtime.wait?.kind === "reset" },
      prompt("/visit BEFORE"),
      goalIs("none"),
      prompt("two"),
      { waitRequests: 4 },
      settled,
      noRequestFor(14_000),
      prompt("/visit WORKED"),
      { waitRequests: 6, ms: 90_000 },
      goalIs("complete"),
      ...end,
    ],
    asserts: [
      { request: 3, all: "one.*BEFORE.*two", noAll: "OBJECTIVE" },
      { request: 4, last: "OBJECTIVE", noAll: "two" },
      { requests: 6 },
      { sessions: 0 },
    ],
  },
  {
    name: "a switch to a session that another launcher holds is cancelled, and the goal goes on where it is",
    launcher: true,
    args: first,
    replies: [{ text: "T1" }, { text: "T2", delayMs: 15_000 }, complete, { text: "T4" }],
    steps: [
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 2 },
      async (run) => {
        const held = `${run.sandbox.dir}/held.jsonl`;
        copyFileSync(firstFile(run), held);
        const [program, args, options] = secondLauncher(run, held);
        const second = spawn(program, args, { ...options, stdio: "ignore" });
        run.notes.second = second.pid;
        await until(() => isAlive(second.pid) && lease(held).child?.pid, 15_000, "the second launcher took no lease");
        const answer = await run.driver.call({ type: "switch_session", sessionPath: held }, 30_000);
        if (answer.data?.cancelled !== true) run.fail(`switch_session was answered ${JSON.stringify(answer)}`);
      },
      { wait: { type: "extension_ui_request", method: "notify", message: "/is in use/" } },
      { waitRequests: 4 },
      (run) => process.kill(run.notes.second, "SIGTERM"),
      ...end,
    ],
    asserts: [{ request: 2, last: "OBJECTIVE" }, { requests: 4 }],
  },
];
