// Drives the built program `canon` (CANON_BIN) in folders of its own.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const binary = process.env.CANON_BIN;
if (!binary) throw new Error("Set CANON_BIN to the program canon.");

export const now = "2026-11-30T17:05:02.875Z";

/** A home and a project of their own, removed after the test. */
export function scratch(t) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "canon-e2e-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const place = { root, home: join(root, "home"), project: join(root, "project") };
  mkdirSync(place.home);
  mkdirSync(place.project);
  return place;
}

export function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** An environment that knows nothing of the one the tests run in. */
export function environment(place, more = {}) {
  return { PATH: process.env.PATH, HOME: place.home, CANON_NOW: now, ...more };
}

/** Runs one command to its end: { status, stdout, stderr }. */
export function run(place, args, { input = "", env = {}, cwd = place.project } = {}) {
  return spawnSync(binary, args, {
    cwd, input, encoding: "utf8", env: environment(place, env), timeout: 60000,
  });
}

/** An MCP server whose lines are read one at a time. */
export class Server {
  constructor(t, place, args = [], { env = {}, cwd = place.project, stdio } = {}) {
    this.child = spawn(binary, ["mcp", ...args], {
      cwd, env: environment(place, env), stdio: stdio ?? ["pipe", "pipe", "pipe"],
    });
    t.after(() => {
      if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    });
    this.ended = new Promise((resolve) =>
      this.child.on("exit", (code, signal) => resolve({ code, signal })));
    this.lines = [];
    this.takers = [];
    this.noise = "";
    this.child.stderr?.setEncoding("utf8").on("data", (data) => { this.noise += data; });
    let rest = "";
    this.child.stdout.setEncoding("utf8").on("data", (data) => {
      rest += data;
      const parts = rest.split("\n");
      rest = parts.pop();
      for (const line of parts) {
        const taker = this.takers.shift();
        if (taker) taker(line);
        else this.lines.push(line);
      }
    });
  }

  send(message) {
    this.child.stdin.write(typeof message === "string" || Buffer.isBuffer(message)
      ? message : `${JSON.stringify(message)}\n`);
  }

  async next() {
    const line = this.lines.length > 0
      ? this.lines.shift()
      : await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("no answer within 20 s")), 20000);
        this.takers.push((text) => { clearTimeout(timer); resolve(text); });
      });
    return JSON.parse(line);
  }

  request(id, method, params) {
    this.send({ jsonrpc: "2.0", id, method, params });
    return this.next();
  }

  /** The result of a call of the tool: { text, isError }. */
  async call(args, meta) {
    const answer = await this.request(1, "tools/call", {
      name: "canon", arguments: args, ...(meta ? { _meta: meta } : {}),
    });
    return { text: answer.result.content[0].text, isError: answer.result.isError };
  }

  end() {
    this.child.stdin.end();
    return this.ended;
  }
}
