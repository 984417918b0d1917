// Pi starts and saves its settings while fifty processes of ours save into the same file.
//
// PI_RESILIENT_CONTENTION_SECONDS makes it longer: ./tests/run long settings-contention.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newestBuild } from "../lib/built.mjs";

const seconds = Number(process.env.PI_RESILIENT_CONTENTION_SECONDS || 8);
const seen = fileURLToPath(new URL("extensions/settings-seen.ts", import.meta.url));
const opensSettings = fileURLToPath(new URL("../lib/pi-settings.mjs", import.meta.url));
const writers = 50;

/** Runs a program to its end; resolves to what it printed last, as JSON. */
function run(command, args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [output, complaints] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (complaints += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code) reject(new Error(`${command} ended with ${code}: ${complaints}`));
      else resolve(JSON.parse(output));
    });
  });
}

/** One start of Pi: it must know its settings, and saves one of them. */
async function startPi(test, mode) {
  await test.step({ start: {} });
  const { data } = await test.driver.call({ type: "get_commands" }, 60_000);
  if (!data?.commands.some(({ name }) => name === "settings-seen")) test.fail(`Pi started without its settings: ${test.driver.stderr.slice(-500)}`);
  await test.step({ rpc: { type: "set_steering_mode", mode }, expect: { success: true } });
  await test.step({ closeStdin: true });
  await test.step({ waitExit: { code: 0 } });
}

/**
 * Starts Pi, and opens its settings as a starting Pi does, in turns until the time is over. One at a time: two that run
 * at once can lock each other out for longer than they wait, without anybody else.
 */
async function startPis(test, end) {
  const { agent, project } = test.sandbox;
  const module = join(test.options.pi.folder, "dist/core/settings-manager.js");
  const done = { pis: 0, opened: 0, saved: {} };
  for (; Date.now() < end || done.pis < 2; done.pis += 1) {
    done.saved.steeringMode = done.pis % 2 ? "all" : "one-at-a-time";
    await startPi(test, done.saved.steeringMode);
    const { opened, last, problems } = await run(process.execPath, [opensSettings, module, agent, project, "1"]);
    problems.forEach((problem) => test.fail(`Pi's settings: ${problem}`));
    done.opened += opened;
    done.saved.lastChangelogVersion = last;
  }
  return done;
}

async function contend(test) {
  const { agent } = test.sandbox;
  const file = join(agent, "settings.json");
  const program = newestBuild("tests/core/settings/settings_writers");
  if (!program) throw new Error("needs settings_writers: build it");
  const [ours, pi] = await Promise.all([run(program, [file, writers, seconds]), startPis(test, Date.now() + 1000 * (seconds - 1))]);
  const rounds = Object.values(ours).map((value) => Number(value.slice("round ".length)));
  console.log(`      Pi ${test.options.pi.version}: ${pi.pis} starts of Pi, ${pi.opened} of its settings, ${rounds.reduce((a, b) => a + b, 0)} saves of ours`);
  const settings = JSON.parse(readFileSync(file, "utf8"));
  // On a busy machine a writer may never get the lock in so short a time. It has lost nothing then.
  const saved = Object.fromEntries(Object.entries(ours).filter(([, value]) => value !== ""));
  for (const [member, value] of Object.entries({ keep: 7, ...saved, ...pi.saved })) {
    if (settings[member] !== value) test.fail(`${member} is ${JSON.stringify(settings[member])}, and was saved as ${JSON.stringify(value)}`);
  }
  if (rounds.length !== writers || Object.keys(saved).length < writers / 5) test.fail(`too few of our writers came to save: ${JSON.stringify(ours)}`);
  const left = readdirSync(agent).filter((name) => name.includes("settings.json"));
  if (left.length !== 1) test.fail(`beside the settings is left: ${left}`);
}

export default {
  name: "no Pi starts without its settings, and no key is lost, among fifty writers of ours",
  autoStart: false,
  settings: { keep: 7, extensions: [seen] },
  steps: [contend],
};
