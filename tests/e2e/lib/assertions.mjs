// What a scenario can claim once its steps are done. Each assertion is an object with one of these
// names as a key; the other keys are its options. README.md lists them. A function returns what is
// wrong, or nothing.
import { existsSync, readFileSync } from "node:fs";
import { contains, isWantedCount, pattern } from "./match.mjs";

const show = (value) => JSON.stringify(value)?.slice(0, 400);

function checkCount(count, want, what) {
  return isWantedCount(count, want) ? undefined : `there are ${count} ${what}, wanted ${show(want)}`;
}

function checkText(text, want, what) {
  return pattern(want).test(text) ? undefined : `${what} lacks ${want}; it ends with ${show(text.slice(-400))}`;
}

const joined = (run, field) => run.drivers.map((driver) => driver[field] ?? "").join("");

/** { request: index, last | system | all: pattern, noLast | noSystem | noAll, tools, messages } */
function checkRequest(run, index, { last, system, all, noLast, noSystem, noAll, tools, messages }) {
  const request = run.server.requests.at(index);
  if (!request) return [`there is no request ${index}`];
  const { view } = request;
  const parts = [["last", view.last.text, last, noLast], ["system", view.system, system, noSystem], ["all", view.all, all, noAll]];
  const problems = parts.flatMap(([name, text, want, unwanted]) => [
    want && !pattern(want).test(text) && `its ${name} lacks ${want}; has ${show(text)}`,
    unwanted && pattern(unwanted).test(text) && `its ${name} has ${unwanted}`,
  ]);
  if (tools === false && view.tools.length) problems.push(`it offers the tools ${view.tools}`);
  if (tools && !tools.every((tool) => view.tools.includes(tool))) problems.push(`it offers only the tools ${view.tools}`);
  if (messages !== undefined && view.conversation.length !== messages) {
    problems.push(`it has ${view.conversation.length} messages, wanted ${messages}`);
  }
  return problems.filter(Boolean).map((problem) => `request ${index}: ${problem}`);
}

export const assertions = {
  requests: (run, want) => checkCount(run.server.requests.length, want, "requests"),
  request: checkRequest,
  session(run, entry, { count = { min: 1 }, index = -1 }) {
    const found = run.session(index).filter((candidate) => contains(entry, candidate));
    return checkCount(found.length, count, `session entries ${show(entry)}`);
  },
  sessions: (run, want) => checkCount(run.sessions().length, want, "session files"),
  event(run, event, { count = { min: 1 } }) {
    return checkCount(run.events().filter((candidate) => contains(event, candidate)).length, count, `events ${show(event)}`);
  },
  stdout: (run, want) => checkText(joined(run, "stdout"), want, "stdout"),
  stderr: (run, want) => checkText(joined(run, "stderr"), want, "stderr"),
  noStderr(run, unwanted) {
    const text = joined(run, "stderr");
    return pattern(unwanted).test(text) ? `stderr has ${unwanted}: ${show(text.slice(-600))}` : undefined;
  },
  async screenHas(run, want) {
    return checkText(await run.driver.history(), want, "the screen");
  },
  raw: (run, want) => checkText(run.driver.rawOutput(), want, "what was written to the terminal"),
  noRaw: (run, unwanted) => (pattern(unwanted).test(run.driver.rawOutput()) ? `the terminal was sent ${unwanted}` : undefined),
  lineSettingsAfterExit(run, want) {
    const settings = run.driver.lineSettingsAfterExit();
    return contains(want, settings) ? undefined : `the terminal was left with ${show(settings)}, wanted ${show(want)}`;
  },
  file(run, path, { has, absent }) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (absent) return text === undefined ? undefined : `${path} exists`;
    if (text === undefined) return `${path} does not exist`;
    return has ? checkText(text, has, path) : undefined;
  },
  supervisor: (run, want) => (contains(want, run.directory.supervisor) ? undefined : `supervisor.json holds ${show(run.directory.supervisor)}`),
  runtime: (run, want) => (contains(want, run.directory.runtime) ? undefined : `runtime.json holds ${show(run.directory.runtime)}`),
};
