// The terminal is the user's: after every death and every wait it is as it was.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../lib/processes.mjs";
import { TerminalDriver } from "../lib/terminal-driver.mjs";
import { until } from "../lib/time.mjs";

const restored = "\x1b[?2026l\x1b[?1006l\x1b[?1004l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?2031l\x1b[?7h\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b]8;;\x07\x1b[0m\x1b[?25h\x1b7\x1b[?1049l\r\x1b[J";
const sane = { alternate: 0, cursor: 1, mouse: 0 };
const opened = [{ screen: "scripted-model" }, { sleep: 1000 }];
const usedUp = { error: { status: 429, body: { error: { type: "usage_limit_reached", message: "used up", resets_at: "$NOW+3600" } } } };

/** Notes the line settings of a terminal in which nothing but a shell has run. */
async function noteUntouched(run) {
  const dir = join(run.sandbox.dir, "untouched");
  mkdirSync(dir);
  const terminal = await new TerminalDriver({ command: "/bin/true", args: [], env: run.sandbox.env, cwd: run.cwd, dir }).start();
  await terminal.waitExit(20_000);
  run.notes.untouched = terminal.lineSettingsAfterExit();
  await terminal.dispose();
}
const settingsAreExact = (run) => {
  const after = run.driver.lineSettingsAfterExit();
  const names = Object.keys(run.notes.untouched);
  if (names.length < 20) return `only ${names} were read`;
  return names.filter((name) => after[name] !== run.notes.untouched[name]).map((name) => `${name} is ${after[name]} afterwards`);
};
const restorations = (count) => ({ driver }) => {
  const found = driver.rawOutput().split(restored).length - 1;
  return found === count ? undefined : `the terminal was restored ${found} times, wanted ${count}`;
};
const nothingAfter = ({ driver }) => {
  const rest = driver.rawOutput().split(restored).at(-1);
  return rest.includes("\x1b[?") ? `modes were changed after the end: ${JSON.stringify(rest)}` : undefined;
};
/** The columns that Pi draws its lines over. */
const drawnWidth = async ({ driver }) => Math.max(0, ...(await driver.screen()).split("\n").map((line) => /─+/.exec(line)?.[0].length ?? 0));
const everyModeOn = (run) => until(async () => {
  const { alternate, cursor, mouse } = await run.driver.modes();
  const times = run.driver.rawOutput().split("http://127.0.0.1/\x07\x1b[31m").length - 1;
  return times === run.directory.supervisor.generation_number && alternate && mouse && !cursor;
}, 20_000, "the modes were not turned on");
const killPi = [{ supervisor: { state: "running" } }, { signal: "SIGKILL", to: "pi" }];

export default [
  {
    name: "a kill with every mode on is undone to the byte, before a restart and at the end, which is 130 after a SIGINT",
    mode: "tui",
    launcher: true,
    extensions: [new URL("extensions/all-modes.ts", import.meta.url).pathname],
    autoStart: false,
    steps: [
      noteUntouched,
      { start: {} },
      ...opened,
      { submit: "/modes" },
      everyModeOn,
      ...killPi,
      { newPi: true },
      ...opened,
      { submit: "/modes" },
      everyModeOn,
      { signal: "SIGINT", to: "launcher" },
      { sleep: 300 },
      ...killPi,
      { waitExit: { code: 130 } },
      { modes: sane },
    ],
    asserts: [settingsAreExact, restorations(2), nothingAfter, { supervisor: { state: "ended", generation_number: 2 } }],
  },
  {
    name: "Ctrl+Z for longer than the heartbeat's limit, then fg: nobody is replaced",
    mode: "tui",
    launcher: true,
    launcherArgs: ["--heartbeat-timeout-seconds", "8"],
    jobControl: true,
    replies: [{ text: "STILL-HERE" }],
    steps: [
      ...opened,
      { supervisor: { state: "running" } },
      { key: "C-z" },
      { screen: "Stopped" },
      { lineSettings: { isig: true } },
      { modes: sane },
      { sleep: 14_000 },
      { type: "fg" },
      { key: "Enter" },
      { screen: "scripted-model" },
      { sleep: 10_000 },
      { submit: "hello" },
      { screen: "STILL-HERE" },
      { sleep: 300 },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 1 }, { supervisor: { state: "ended", generation_number: 1 } }],
  },
  {
    name: "between generations: a resize, Enter starts Pi in the new size, Ctrl+C ends once with 130",
    mode: "tui",
    launcher: true,
    settings: { retry: { enabled: false } },
    replies: [usedUp, usedUp],
    autoStart: false,
    steps: [
      noteUntouched,
      { start: {} },
      ...opened,
      { submit: "/goal build the OBJECTIVE" },
      { waitRequests: 1 },
      { waitFor: (run) => run.directory.runtime?.wait?.kind === "reset" },
      ...killPi,
      { screen: "pi-resilient waits.*usage limit" },
      { supervisor: { state: "waiting" } },
      { modes: sane },
      { lineSettings: { icanon: true, echo: true, isig: true } },
      { resize: [80, 30] },
      { sleep: 300 },
      { key: "Enter" },
      { newPi: true },
      ...opened,
      async (run) => (await drawnWidth(run)) === 80 || run.fail(`Pi draws over ${await drawnWidth(run)} columns`),
      { waitRequests: 2 },
      { waitFor: (run) => run.directory.runtime?.wait?.kind === "reset" },
      { sleep: 500 },
      ...killPi,
      { supervisor: { state: "waiting" } },
      { screen: "pi-resilient waits" },
      { key: "C-c" },
      { waitExit: { code: 130 } },
      { modes: sane },
    ],
    asserts: [settingsAreExact, { requests: 2 }, { supervisor: { state: "ended", generation_number: 2, exit_code: 130 } }],
  },
  {
    name: "a terminal that is closed ends both, without a spin",
    mode: "tui",
    launcher: true,
    replies: [{ text: "a long answer", stallAfter: 2 }],
    steps: [
      ...opened,
      { submit: "/goal build the OBJECTIVE" },
      { waitRequests: 1 },
      async (run) => {
        const launcher = run.driver.pid;
        const pi = run.piPid();
        const ticks = () => {
          const fields = readFileSync(`/proc/${launcher}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
          return Number(fields[11]) + Number(fields[12]);
        };
        const before = ticks();
        let last = before;
        await run.driver.close();
        const ended = () => {
          if (!isAlive(launcher)) return !isAlive(pi);
          last = ticks();
          return false;
        };
        await until(ended, 30_000, `launcher ${launcher} or Pi ${pi} still runs, the launcher used ${last - before} ticks`);
        if (last - before > 50) run.fail(`the launcher used ${last - before} ticks to end`);
      },
    ],
    asserts: [{ supervisor: { state: "ended", exit_code: 129 } }, { requests: 1 }],
  },
];
