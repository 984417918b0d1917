// The main job of pi-resilient, to watch: a real Pi works on a goal with a scripted model, is killed
// in the middle of a tool, is frozen, and still finishes in the same session.
//
//   node main-job.mjs --launcher PROGRAM --pi PROGRAM [--keep]
//
// Prints a timeline. Exits with 0 when the goal was reached, with 1 and the reason otherwise.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ModelServer } from "../model-server/model-server.mjs";

const { values: options } = parseArgs({
  options: { launcher: { type: "string" }, pi: { type: "string" }, keep: { type: "boolean", default: false } },
});
if (!options.launcher || !options.pi) {
  console.error("usage: node main-job.mjs --launcher PROGRAM --pi PROGRAM [--keep]");
  process.exit(64);
}

const goal = "count to three in progress.txt, one line for each step";
const heartbeatLimit = 8; // seconds; the default is 30, which is long to watch
const deadline = 180_000;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// -- the timeline -----------------------------------------------------------------------------------

const begin = Date.now();
const useColour = process.stdout.isTTY && !process.env.NO_COLOR;
const colours = { you: 36, pi: 0, "pi-resilient": 32, fault: 31 };

function tell(who, what, at = Date.now()) {
  const time = `${((at - begin) / 1000).toFixed(1).padStart(6)} s`;
  const name = who.padEnd(12);
  console.log(`${time}  ${useColour ? `\x1b[${colours[who]}m${name}\x1b[0m` : name}  ${what}`);
}

// -- a home of its own --------------------------------------------------------------------------------

const folder = mkdtempSync(join(tmpdir(), "pi-resilient-demo-"));
const places = Object.fromEntries(["home", "agent", "project", "run"].map((name) => [name, join(folder, name)]));
for (const place of Object.values(places)) mkdirSync(place, { mode: 0o700 });
const progress = join(places.project, "progress.txt");

const call = (name, args) => ({ tools: [{ name, args }] });
const server = new ModelServer([
  { when: { lastRole: "user", last: "killed by SIGKILL" }, ...call("bash", { command: "cat progress.txt; echo 'step 2' >> progress.txt; cat progress.txt" }) },
  { when: { lastRole: "user", last: "frozen|exit 0|killed by SIGTERM|ended unexpectedly" }, ...call("bash", { command: "cat progress.txt; echo 'step 3' >> progress.txt; cat progress.txt" }) },
  { when: { lastRole: "user", last: "not marked complete", any: "step 3" }, ...call("update_goal", { status: "complete" }) },
  { when: { lastRole: "user", last: "not marked complete" }, ...call("bash", { command: "echo freeze-here; sleep 2" }) },
  { when: { lastRole: "user" }, ...call("bash", { command: "echo 'step 1' >> progress.txt; sleep 600" }) },
  { when: { lastRole: "tool" }, text: "That step is done.", repeat: "forever" },
]);

await server.start();
const address = server.url;
writeFileSync(join(places.agent, "models.json"), JSON.stringify({
  providers: { demo: { baseUrl: `${address}/v1`, api: "openai-completions", apiKey: "demo-key", models: [
    { id: "scripted", name: "Scripted", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 128000, maxTokens: 8192 },
  ] } },
}));
writeFileSync(join(places.agent, "settings.json"), JSON.stringify({ quietStartup: true, enableInstallTelemetry: false }));

const launcher = spawn(
  resolve(options.launcher),
  ["--run-dir", places.run, "--heartbeat-timeout-seconds", String(heartbeatLimit), "--", "--mode", "rpc", "--model", "demo/scripted"],
  {
    cwd: places.project,
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: places.home,
      PI_CODING_AGENT_DIR: places.agent,
      PI_REAL_BIN: resolve(options.pi),
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      PI_SKIP_VERSION_CHECK: "1",
      LANG: "C.UTF-8",
    },
  },
);
let ended;
let complaints = "";
launcher.on("exit", (code, signal) => (ended = { code, signal }));
launcher.on("error", (error) => (ended = { error: error.message }));
launcher.stdout.resume();
launcher.stdin.on("error", () => {});
launcher.stderr.on("data", (data) => (complaints += data));

// -- what pi-resilient does, as its event log tells it ------------------------------------------------

const sentences = {
  "child.started": ({ generation, pid }) => `started Pi, pid ${pid} (generation ${generation.split("-").at(-1)})`,
  hello: ({ session, reason }) => (reason === "startup" ? `is connected to Pi, session ${session.split("/").at(-1)}` : undefined),
  "child.ended": ({ cause, expected }) => (expected ? `saw Pi end as asked (${cause})` : `saw Pi die: ${cause}`),
  "child.frozen": ({ finding }) => `sees that Pi is frozen: ${finding}`,
  "child.signal": ({ signal, pid }) => `sends ${signal} to pid ${pid}`,
  "leftovers.stopped": ({ processes }) => `stopped what the dead Pi had left running: ${processes.join(", ")}`,
};
let told = 0;
const pids = [];

function tellEvents() {
  const file = join(places.run, "events.jsonl");
  if (!existsSync(file)) return;
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  for (const line of lines.slice(told)) {
    const { at, id, facts } = JSON.parse(line);
    if (id === "child.started") pids.push(facts.pid);
    const sentence = sentences[id]?.(facts);
    if (sentence) tell("pi-resilient", sentence, Date.parse(at));
  }
  told = lines.length;
}

async function until(what, condition) {
  while (!condition()) {
    tellEvents();
    if (ended) throw new Error(`the launcher ended (${JSON.stringify(ended)}) before ${what}\n${complaints}`);
    if (Date.now() - begin > deadline) throw new Error(`nothing happened in time: ${what}\n${complaints}`);
    await pause(50);
  }
  tellEvents();
}

const steps = () => (existsSync(progress) ? readFileSync(progress, "utf8").split("\n").length - 1 : 0);
const requests = (pattern) => server.requests.filter(({ view }) => pattern.test(view.last.text)).length;

// -- the job --------------------------------------------------------------------------------------------

let failure;
try {
  await until("Pi said hello", () => told > 0 && /"id":"hello"/.test(readFileSync(join(places.run, "events.jsonl"), "utf8")));
  tell("you", `/goal ${goal}`);
  launcher.stdin.write(`${JSON.stringify({ type: "prompt", message: `/goal ${goal}` })}\n`);
  await until("step 1", () => steps() === 1);
  tell("pi", "did step 1 and is in the middle of a long tool call");
  await pause(500);
  tell("fault", `kill -9 ${pids.at(-1)}: Pi dies in the middle of the tool`);
  process.kill(pids.at(-1), "SIGKILL");
  await until("step 2", () => steps() === 2);
  tell("pi", "is back in the same session, looked at progress.txt and did step 2");
  await until("the goal to go on", () => requests(/not marked complete/) > 0);
  await pause(500);
  tell("fault", `kill -STOP ${pids.at(-1)}: Pi hangs; its heartbeat stops (limit here: ${heartbeatLimit} s, by default 30 s)`);
  process.kill(pids.at(-1), "SIGSTOP");
  await until("step 3", () => steps() === 3);
  tell("pi", "is back once more and did step 3");
  await until("the goal to be complete", () => {
    const runtime = join(places.run, "runtime.json");
    return existsSync(runtime) && JSON.parse(readFileSync(runtime, "utf8")).goal?.state === "complete";
  });
  tell("pi", "called update_goal with complete");
  launcher.stdin.end();
  const end = Date.now() + 20_000;
  while (!ended && Date.now() < end) await pause(50);
  tellEvents();
  const sessions = readdirSync(join(places.agent, "sessions"), { recursive: true }).filter((name) => String(name).endsWith(".jsonl"));
  if (sessions.length !== 1) throw new Error(`there are ${sessions.length} session files instead of one`);
  tell("pi-resilient", `ended with Pi, exit code ${ended?.code}. One session, ${pids.length} generations of Pi, progress.txt: ${readFileSync(progress, "utf8").trim().split("\n").join(", ")}`);
} catch (error) {
  failure = error;
} finally {
  if (!ended) launcher.kill("SIGTERM");
  await server.stop();
}
if (failure) {
  console.error(`The demonstration failed: ${failure.message}\nIts files are in ${folder}`);
  process.exit(1);
}
if (options.keep) console.log(`Files: ${folder}`);
else rmSync(folder, { recursive: true, force: true });
