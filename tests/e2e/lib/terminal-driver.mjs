// Runs a program on a real terminal: tmux, with a server of its own for each run.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { pattern } from "./match.mjs";
import { descendants, killAll } from "./processes.mjs";
import { sleep, until } from "./time.mjs";

const run = promisify(execFile);
const quote = (text) => `'${String(text).replaceAll("'", `'\\''`)}'`;
const modeNames = ["alternate_on", "cursor_flag", "mouse_any_flag", "mouse_sgr_flag", "keypad_flag"];

export class TerminalDriver {
  /**
   * `jobControl` starts the program from an interactive shell, so that Ctrl+Z and `fg` work there. Else
   * a script starts it and records the terminal's settings as they are right after its end, before
   * any shell touches them.
   */
  constructor({ command, args, env, cwd, dir, columns = 110, rows = 36, jobControl = false }) {
    Object.assign(this, { command, args, env, cwd, dir, columns, rows, jobControl });
    this.socket = join(dir, "tmux.sock");
    this.rawFile = join(dir, "terminal.raw");
    this.shellPidFile = join(dir, "shell.pid");
    this.settingsFile = join(dir, "terminal.settings");
    this.exitFile = join(dir, "terminal.exit");
    this.exit = undefined;
  }

  async tmux(...args) {
    const { stdout } = await run("tmux", ["-S", this.socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { ...process.env, TERM: "xterm-256color", LANG: "C.UTF-8" },
    });
    return stdout;
  }

  /** Starts the program, or starts it again in the same terminal once it has ended. */
  async start(args = this.args) {
    this.args = args;
    this.exit = undefined;
    rmSync(this.exitFile, { force: true });
    const script = this.#writeScripts();
    if (!this.isOpen) {
      await this.tmux("new-session", "-d", "-s", "pi", "-x", String(this.columns), "-y", String(this.rows), "sleep 1000");
      await this.tmux("pipe-pane", "-t", "pi", "-o", `cat >> ${quote(this.rawFile)}`);
      this.isOpen = true;
    }
    rmSync(this.shellPidFile, { force: true });
    await this.tmux("respawn-pane", "-k", "-t", "pi", script);
    await until(() => existsSync(this.shellPidFile) && readFileSync(this.shellPidFile, "utf8").trim(), 10_000, "the terminal's shell did not start");
    if (this.jobControl) {
      await this.waitScreen(/^\$/m, 10_000);
      await this.enter(join(this.dir, "start"));
      await until(() => this.pid, 10_000, "the shell did not start the program");
      rmSync(this.exitFile, { force: true }); // of the shell's first prompt
    }
    return this;
  }

  #writeScripts() {
    const environment = Object.entries(this.env).map(([name, value]) => `export ${name}=${quote(value)}`);
    const opening = [...environment, `cd ${quote(this.cwd)}`, `echo $$ > ${quote(this.shellPidFile)}`];
    const command = [this.command, ...this.args].map(quote).join(" ");
    const start = join(this.dir, "start");
    const pane = join(this.dir, "pane");
    writeFileSync(start, `#!/bin/bash\nexec ${command}\n`);
    if (this.jobControl) {
      const prompt = `PS1='$ '; PROMPT_COMMAND='echo $? > ${this.exitFile}'`;
      writeFileSync(`${pane}.rc`, [...opening, prompt, ""].join("\n"));
      writeFileSync(pane, `#!/bin/bash\nexec bash --noprofile --rcfile ${quote(`${pane}.rc`)} -i\n`);
    } else {
      const closing = [
        "status=$?",
        `stty -a > ${quote(this.settingsFile)} 2>&1`,
        `echo $status > ${quote(this.exitFile)}`,
        "exec sleep 1000",
      ];
      writeFileSync(pane, ["#!/bin/bash", ...opening, quote(start), ...closing, ""].join("\n"));
    }
    for (const file of [start, pane]) chmodSync(file, 0o755);
    return pane;
  }

  get shellPid() {
    return Number(readFileSync(this.shellPidFile, "utf8"));
  }

  /** The program that was started. */
  get pid() {
    return descendants(this.shellPid)[0]?.pid;
  }

  /** What the screen shows. */
  screen() {
    return this.tmux("capture-pane", "-p", "-t", "pi");
  }

  /** The screen with what has scrolled away. */
  history() {
    return this.tmux("capture-pane", "-p", "-S", "-2000", "-t", "pi");
  }

  /** Modes as the terminal has them: { alternate, cursor, mouse, mouseSgr, keypad }, 0 or 1 each. */
  async modes() {
    const line = await this.tmux("display-message", "-p", "-t", "pi", modeNames.map((name) => `#{${name}}`).join(" "));
    const [alternate, cursor, mouse, mouseSgr, keypad] = line.trim().split(" ").map(Number);
    return { alternate, cursor, mouse, mouseSgr, keypad };
  }

  /** The line settings of the terminal right now: { icanon: true, echo: false, ... }. */
  async lineSettings() {
    const device = (await this.tmux("display-message", "-p", "-t", "pi", "#{pane_tty}")).trim();
    const { stdout } = await run("stty", ["-a", "-F", device], { encoding: "utf8" });
    return parseLineSettings(stdout);
  }

  /** The line settings as the program left them. */
  lineSettingsAfterExit() {
    return parseLineSettings(readFileSync(this.settingsFile, "utf8"));
  }

  /** Every byte that was written to the terminal, one character for each. */
  rawOutput() {
    return existsSync(this.rawFile) ? readFileSync(this.rawFile, "latin1") : "";
  }

  type(text) {
    return this.tmux("send-keys", "-t", "pi", "-l", text);
  }

  /** Presses keys by their tmux names: "C-c", "Escape", "Enter". */
  key(...names) {
    return this.tmux("send-keys", "-t", "pi", ...names);
  }

  async enter(text) {
    await this.type(text);
    await this.key("Enter");
  }

  resize(columns, rows) {
    return this.tmux("resize-window", "-t", "pi", "-x", String(columns), "-y", String(rows));
  }

  /** Types a line into Pi's editor and sends it, again while Pi says that it is still starting. */
  async submit(text, ms) {
    const end = Date.now() + ms;
    await this.type(text);
    await sleep(250); // the completion of slash commands opens before Enter
    for (;;) {
      await this.key("Enter");
      await sleep(300);
      if (!/Startup is still in progress/.test(await this.screen()) || Date.now() > end) return;
      await sleep(500);
      if (!(await this.screen()).includes(text)) return;
    }
  }

  async waitScreen(text, ms, { gone = false } = {}) {
    let seen = "";
    const look = async () => {
      seen = await this.screen();
      return pattern(text).test(seen) !== gone;
    };
    await until(look, ms, () => `the screen ${gone ? "still shows" : "never showed"} ${text}:\n${seen.trimEnd()}`);
    return seen;
  }

  /** In a shell with job control, an exit is only one when no job is left. */
  async waitExit(ms) {
    const hasEnded = () => existsSync(this.exitFile) && readFileSync(this.exitFile, "utf8").trim() && (!this.jobControl || !this.pid);
    await until(hasEnded, ms, async () => `the program in the terminal did not end; screen:\n${await this.screen()}`);
    this.exit = { code: Number(readFileSync(this.exitFile, "utf8")), signal: null, at: Date.now() };
    return this.exit;
  }

  /** Takes the terminal away, as a closed window does. */
  async close() {
    await this.tmux("kill-server").catch(() => {});
    this.isOpen = false;
  }

  async report() {
    const shown = await this.history().catch(() => "(no terminal)");
    return `screen:\n${shown.trimEnd().slice(-4000)}`;
  }

  async dispose() {
    const left = existsSync(this.shellPidFile) ? descendants(this.shellPid).map(({ pid }) => pid) : [];
    killAll(left);
    await this.close();
  }
}

function parseLineSettings(text) {
  const words = text.replace(/;/g, " ").split(/\s+/).filter((word) => /^-?[a-z]+[0-9]?$/.test(word));
  return Object.fromEntries(words.map((word) => [word.replace(/^-/, ""), !word.startsWith("-")]));
}
