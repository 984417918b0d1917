// What a scenario can do. Each step is an object with one of these names as a key; the other keys of
// the object are its options. README.md lists them.
import { execFileSync } from "node:child_process";
import { appendFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { contains, pattern } from "./match.mjs";
import { sleep, until } from "./time.mjs";

const show = (value) => JSON.stringify(value)?.slice(0, 300);

/** Waits until a state file of the run contains what is wanted. */
function waitForState(read, want, ms, name) {
  return until(() => contains(want, read()) && read(), ms, () => `${name} never held ${show(want)}; it holds ${show(read())}`);
}

/** The process that a step means by `to`: none is the started one, "pi" is Pi, else a pattern. */
function processOf(run, to) {
  if (to === undefined || to === "launcher") return run.driver.pid;
  if (to === "pi") return run.piPid();
  return run.processes().find(({ command }) => pattern(to).test(command))?.pid;
}

export const steps = {
  // starting and ending
  start: (run, { args }) => run.start(args),
  async waitExit(run, want, { ms }) {
    const exit = await run.driver.waitExit(ms);
    if (want !== true && !contains(want, exit)) run.fail(`the exit was ${show(exit)}, wanted ${show(want)}`);
  },
  closeStdin: (run) => run.driver.closeStdin(),
  signal(run, name, { to }) {
    const pid = processOf(run, to);
    if (!pid) throw new Error(`no process ${to ?? "started"} to send ${name} to`);
    process.kill(pid, name);
  },
  newPi: (run, _, { ms }) => run.waitNewPi(ms),

  // RPC
  async rpc(run, command, { expect, save, ms }) {
    const answer = await run.driver.call(command, ms);
    if (expect && !contains(expect, answer)) run.fail(`${command.type} was answered ${show(answer)}, wanted ${show(expect)}`);
    if (save) run.notes[save] = answer;
  },
  send: (run, command) => run.driver.send(command),
  async wait(run, event, { save, ms }) {
    const seen = await run.driver.waitEvent(event, ms);
    if (save) run.notes[save] = seen;
  },

  // the terminal
  submit: (run, text, { ms }) => run.driver.submit(text, ms),
  type: (run, text) => run.driver.type(text),
  key: (run, names) => run.driver.key(...[names].flat()),
  screen: (run, text, { ms, gone }) => run.driver.waitScreen(text, ms, { gone }),
  resize: (run, [columns, rows]) => run.driver.resize(columns, rows),
  closeTerminal: (run) => run.driver.close(),
  async modes(run, want) {
    const modes = await run.driver.modes();
    if (!contains(want, modes)) run.fail(`the terminal's modes are ${show(modes)}, wanted ${show(want)}`);
  },
  async lineSettings(run, want) {
    const settings = await run.driver.lineSettings();
    if (!contains(want, settings)) run.fail(`the terminal's line settings are ${show(settings)}, wanted ${show(want)}`);
  },

  // the model server
  waitRequests: (run, count, { ms }) => run.server.waitRequests(count, ms),
  reply: (run, replies) => run.server.push(...[replies].flat()),
  serverDown: (run) => run.server.stop(),
  serverUp: (run) => run.server.start(Number(run.sandbox.names.serverPort)),

  // the launcher's files
  supervisor: (run, want, { ms }) => waitForState(() => run.directory.supervisor, want, ms, "supervisor.json"),
  runtime: (run, want, { ms }) => waitForState(() => run.directory.runtime, want, ms, "runtime.json"),

  // files and time
  write: (run, { file, text }) => writeFileSync(file, text),
  append: (run, { file, session, text }) => appendFileSync(session ? run.sessions().at(-1) : file, text),
  chopSession(run, bytes) {
    const file = run.sessions().at(-1);
    truncateSync(file, statSync(file).size - bytes);
  },
  exec(run, command, { save = "exec" }) {
    run.notes[save] = execFileSync("bash", ["-c", command], { env: run.sandbox.env, cwd: run.sandbox.project, encoding: "utf8" });
  },
  sleep: (run, ms) => sleep(ms),
  waitFor: (run, look, { ms }) => until(() => look(run), ms, "what was waited for did not happen"),
};
