// Runs one scenario against one Pi and says what was wrong.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ModelServer } from "../../../deploy/model-server/model-server.mjs";
import { assertions } from "./assertions.mjs";
import { PipeDriver } from "./pipe-driver.mjs";
import { compareVersions } from "./pi.mjs";
import { descendants, findPi, isAlive } from "./processes.mjs";
import { RunDirectory } from "./run-directory.mjs";
import { fillIn, findSessions, makeSandbox, readJsonLines } from "./sandbox.mjs";
import { steps } from "./steps.mjs";
import { TerminalDriver } from "./terminal-driver.mjs";
import { sleep, until } from "./time.mjs";

/** What each mode adds to Pi's arguments; "plain" is no mode of Pi, only pipes. */
const modeArguments = { rpc: ["--mode", "rpc"], json: ["--mode", "json"], print: ["-p"], plain: [], tui: [] };
const stepTimeout = 60_000; // a busy machine may need half a minute to start Pi

/** Why a scenario does not apply to a version of Pi, or undefined. */
export function reasonToSkip(scenario, version) {
  if (scenario.since && compareVersions(version, scenario.since) < 0) return `needs Pi ${scenario.since}`;
  if (scenario.until && compareVersions(version, scenario.until) >= 0) return `is about Pi before ${scenario.until}`;
  return undefined;
}

/** A scenario while it runs: what its functions get to work with. */
class Run {
  constructor(scenario, options, server, sandbox) {
    Object.assign(this, { scenario, options, server, sandbox });
    this.mode = scenario.mode ?? "rpc";
    this.directory = new RunDirectory(sandbox.run);
    this.drivers = [];
    this.notes = {};
    this.failures = [];
    this.knownPi = undefined;
  }

  fail(message) {
    this.failures.push(message);
  }

  fillIn(value) {
    return fillIn(value, this.sandbox.names);
  }

  /** The whole command: a launcher with its options when the scenario wants one, Pi, its arguments. */
  command(firstArguments = this.scenario.firstArgs ?? []) {
    const { scenario, options, sandbox } = this;
    const ownExtension = scenario.extension ? [options.extension] : [];
    const extensions = [...ownExtension, ...(scenario.extensions ?? []).map((path) => this.fillIn(path))];
    const piArguments = [
      ...modeArguments[this.mode],
      ...(scenario.model === null ? [] : ["--model", "scripted/scripted-model"]),
      ...extensions.flatMap((path) => ["-e", resolve(path)]),
      ...this.fillIn([...(scenario.args ?? []), ...firstArguments]),
    ];
    if (!scenario.launcher) return [sandbox.names.pi, ...piArguments];
    if (Array.isArray(scenario.launcher)) return [...this.fillIn(scenario.launcher), ...piArguments];
    const launcherArguments = ["--run-dir", sandbox.run, ...this.fillIn(scenario.launcherArgs ?? [])];
    return [options.launcher, ...launcherArguments, "--", ...piArguments];
  }

  /** Starts the program, or starts it again after it has ended. */
  async start(firstArguments) {
    const { scenario, sandbox } = this;
    const [command, ...args] = this.command(firstArguments);
    if (this.mode === "tui" && this.driver) {
      await this.driver.start(args);
      return;
    }
    const setup = { command, args, env: sandbox.env, cwd: this.cwd, dir: sandbox.dir };
    const { columns, rows, jobControl } = scenario;
    this.driver = this.mode === "tui"
      ? new TerminalDriver({ ...setup, columns, rows, jobControl })
      : new PipeDriver({ ...setup, keepStdin: this.mode === "rpc" || scenario.keepStdin });
    this.drivers.push(this.driver);
    await this.driver.start();
  }

  get cwd() {
    return resolve(this.sandbox.project, this.scenario.cwd ?? ".");
  }

  /** Everything that runs below the started program. */
  processes() {
    return descendants(this.driver.pid);
  }

  /** The pid of Pi, whether it was started by us or by a launcher; remembered for waitNewPi. */
  piPid() {
    const { pid } = this.driver;
    const found = pid && (this.scenario.launcher ? findPi(pid)?.pid : pid);
    if (found) this.knownPi = found;
    return found;
  }

  /** Waits for a Pi that is not the last one seen, and returns its pid. */
  async waitNewPi(ms = stepTimeout) {
    const known = this.knownPi;
    const look = () => {
      const pid = this.driver.pid && findPi(this.driver.pid)?.pid;
      return pid !== known && pid && isAlive(pid) && pid;
    };
    this.knownPi = await until(look, ms, `no Pi was started after ${known}`);
    return this.knownPi;
  }

  sessions() {
    const more = (this.scenario.sessionFolders ?? []).map((folder) => this.fillIn(folder));
    return findSessions([join(this.sandbox.agent, "sessions"), join(this.sandbox.dir, "sessions"), ...more]);
  }

  session(index = -1) {
    const file = this.sessions().at(index);
    return file ? readJsonLines(file) : [];
  }

  events() {
    return this.drivers.flatMap((driver) => driver.events ?? []);
  }

  async step(step) {
    if (typeof step === "function") {
      await step(this);
      return;
    }
    const { ms = stepTimeout, ...filled } = this.fillIn(step);
    const name = Object.keys(filled).find((key) => key in steps);
    if (!name) throw new Error("there is no such step");
    const options = { ms, ...filled };
    await (name === "start" ? steps.start(this, filled.start) : steps[name](this, filled[name], options));
  }

  async check(assertion) {
    if (typeof assertion === "function") return [await assertion(this)].flat();
    const filled = this.fillIn(assertion);
    const name = Object.keys(filled).find((key) => key in assertions);
    if (!name) throw new Error("there is no such assertion");
    const found = [await assertions[name](this, filled[name], filled)].flat();
    return found.filter(Boolean).map((problem) => (filled.note ? `${filled.note}: ${problem}` : problem));
  }
}

const describe = (item) => (typeof item === "function" ? item.name || "(function)" : JSON.stringify(item).slice(0, 200));

async function runSteps(run) {
  const { scenario } = run;
  const list = scenario.steps ?? [];
  if (scenario.autoStart !== false) await run.start();
  for (const [index, step] of list.entries()) {
    try {
      await run.step(step);
    } catch (error) {
      run.fail(`step ${index} ${describe(step)}: ${error.message}`);
      return;
    }
  }
  const endsByItself = ["print", "json", "plain"].includes(run.mode);
  if (endsByItself && !list.some((step) => step.waitExit)) await run.driver.waitExit(stepTimeout);
}

async function runAssertions(run) {
  for (const assertion of run.scenario.asserts ?? []) {
    try {
      (await run.check(assertion)).filter(Boolean).forEach((problem) => run.fail(String(problem)));
    } catch (error) {
      run.fail(`assertion ${describe(assertion)}: ${error.message}`);
    }
  }
  if (run.scenario.allowUnmatched) return;
  for (const request of run.server.requests.filter(({ unmatched }) => unmatched)) {
    run.fail(`request ${request.n} had no scripted reply; its last message: ${JSON.stringify(request.view.last.text.slice(0, 200))}`);
  }
}

/** What a person needs to see of a failed run. */
async function reportOf(run) {
  const lines = run.server.requests.map(({ n, at, view, reply }) => {
    const time = new Date(at).toISOString().slice(11, 23);
    return `${time} request ${n}: ${view.last.role} ${JSON.stringify(view.last.text.slice(0, 100))} -> ${reply}`;
  });
  for (const [name, text] of Object.entries(run.directory.texts())) lines.push(`${name}: ${text.trimEnd().slice(-2000)}`);
  for (const driver of run.drivers) lines.push(`command: ${[driver.command, ...driver.args].join(" ")}`, await driver.report());
  return lines.join("\n");
}

/**
 * Runs a scenario. `options`: pi (from resolvePi), node, root (folder for the runs), keep, launcher,
 * extension. Returns { failures: [text], report, folder }.
 */
export async function runScenario(scenario, options) {
  if (scenario.launcher === true && !options.launcher) {
    return { failures: ["needs a launcher: build pi-resilient, or name one with --launcher"], report: "" };
  }
  const server = await new ModelServer(scenario.replies ?? []).start();
  const sandbox = makeSandbox(options.root, scenario, { pi: options.pi, node: options.node, serverUrl: server.url, serverPort: server.port });
  if (options.extensionIsGiven) sandbox.env.PI_RESILIENT_EXTENSION = options.extension;
  if (options.launcher) sandbox.env.PI_RESILIENT_PROGRAM ??= options.launcher; // for the sidecar
  const run = new Run(scenario, options, server, sandbox);
  let report = "";
  try {
    await runSteps(run);
    await sleep(scenario.settleMs ?? 50);
    await runAssertions(run);
  } catch (error) {
    run.fail(error.message);
  } finally {
    if (run.failures.length) report = await reportOf(run);
    for (const driver of run.drivers) await driver.dispose();
    await server.stop();
  }
  if (run.failures.length || options.keep) {
    writeFileSync(join(sandbox.dir, "requests.jsonl"), server.requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
    return { failures: run.failures, report, folder: sandbox.dir };
  }
  sandbox.remove();
  return { failures: [], report };
}
