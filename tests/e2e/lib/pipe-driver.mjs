// Runs a program on pipes: print, JSON and RPC mode.
import { spawn } from "node:child_process";
import { contains } from "./match.mjs";
import { descendants, killAll } from "./processes.mjs";
import { sleep, until } from "./time.mjs";

export class PipeDriver {
  /** `keepStdin` leaves stdin open, as an RPC client does. */
  constructor({ command, args, env, cwd, keepStdin }) {
    Object.assign(this, { command, args, env, cwd, keepStdin });
    this.stdout = "";
    this.stderr = "";
    /** JSON objects that came on stdout, each with the time `__at`. */
    this.events = [];
    this.exit = undefined;
    this.unread = 0; // index of the first event that no wait has passed
    this.sent = 0;
  }

  async start() {
    this.child = spawn(this.command, this.args, { env: this.env, cwd: this.cwd, stdio: ["pipe", "pipe", "pipe"] });
    this.pid = this.child.pid;
    let partial = "";
    this.child.stdout.setEncoding("utf8").on("data", (text) => {
      this.stdout += text;
      const lines = (partial + text).split("\n");
      partial = lines.pop();
      lines.forEach((line) => this.#readLine(line));
    });
    this.child.stderr.setEncoding("utf8").on("data", (text) => {
      this.stderr += text;
    });
    this.child.on("exit", (code, signal) => {
      this.exit = { code, signal, at: Date.now() };
    });
    this.child.on("error", (error) => {
      this.exit = { code: null, signal: null, error: String(error), at: Date.now() };
    });
    this.child.stdin.on("error", () => {}); // the program may end before it has read everything
    if (!this.keepStdin) this.child.stdin.end();
    return this;
  }

  #readLine(line) {
    if (!line.startsWith("{")) return;
    try {
      this.events.push({ ...JSON.parse(line), __at: Date.now() });
    } catch {
      // a torn record of a process that was killed
    }
  }

  /** Sends an RPC command and returns its id. */
  send(command) {
    const id = command.id ?? `request-${(this.sent += 1)}`;
    this.child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    return id;
  }

  /** Sends an RPC command and waits for its response. */
  async call(command, ms) {
    const id = this.send(command);
    const answer = () => this.events.find((event) => event.type === "response" && event.id === id);
    return until(() => answer() ?? (this.exit && { error: `process ended: ${JSON.stringify(this.exit)}` }), ms, `no response to ${command.type}`);
  }

  /** Waits for an event after the last one waited for. */
  async waitEvent(want, ms) {
    const look = async () => {
      while (this.unread < this.events.length) {
        const event = this.events[this.unread++];
        if (contains(want, event)) return event;
      }
      if (this.exit) {
        await sleep(50); // stdout may still hold something
        if (this.unread >= this.events.length) throw new Error(`the process ended (${JSON.stringify(this.exit)}) before event ${JSON.stringify(want)}`);
      }
      return undefined;
    };
    const lastOnes = () => this.events.slice(-6).map((event) => event.type).join(", ");
    return until(look, ms, () => `no event ${JSON.stringify(want)}; the last ones: ${lastOnes()}`);
  }

  closeStdin() {
    this.child.stdin.end();
  }

  async waitExit(ms) {
    return until(() => this.exit, ms, "the process did not end");
  }

  /** What a person would want to see of a failed run. */
  async report() {
    return `stdout: ${this.stdout.slice(-1500)}\nstderr: ${this.stderr.slice(-3000)}`;
  }

  async dispose() {
    if (!this.pid) return;
    const left = descendants(this.pid).map(({ pid }) => pid);
    killAll(this.exit ? left : [this.pid, ...left]);
  }
}
