// A real agent with the plugin installed from this checkout, and a scripted model.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ModelServer } from "../../../deploy/model-server/model-server.mjs";
import { binary, put, scratch } from "../canon/canon.mjs";

export const repository = fileURLToPath(new URL("../../..", import.meta.url));
const modules = join(process.env.HOSTS, "node_modules");
const runTimeLimit = 240_000;

/** What differs between the agents: the program, its settings, how it is installed and asked. */
const kinds = {
  "claude-code": {
    program: join(modules, "@anthropic-ai/claude-code-linux-x64/claude"),
    environment: (place, url) => ({
      CLAUDE_CONFIG_DIR: join(place.home, ".claude"),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "scripted-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    prepare: () => {},
    install: [
      ["plugin", "marketplace", "add", repository, "--scope", "user"],
      ["plugin", "install", "canon@canon", "--scope", "user"],
    ],
    ask: (prompt, session, options) => [
      "-p", ...(session ? ["--resume", session] : []), "--model", "claude-sonnet-4-5", "--output-format", "json",
      "--allowedTools", "Agent,Bash,Edit,Read,Write,mcp__plugin_canon_canon__canon", ...options, "--", prompt,
    ],
    sessionOf: (stdout) => JSON.parse(stdout).session_id,
  },
  codex: {
    program: join(modules, "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"),
    environment: (place) => ({ CODEX_HOME: join(place.home, ".codex"), SCRIPTED_KEY: "scripted-key" }),
    prepare: (place, url) => put(join(place.home, ".codex/config.toml"), `
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`),
    install: [["plugin", "marketplace", "add", repository], ["plugin", "add", "canon@canon"]],
    ask: (prompt, session, options) => [
      "exec", ...(session ? ["resume", session] : []), "--json", "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox", ...options, prompt,
    ],
    sessionOf: (stdout) => stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
      .find((event) => event.type === "thread.started").thread_id,
  },
};

export class Host {
  /** Installs the plugin for the agent `name` in a home and for a project of their own. */
  static async open(t, name) {
    const host = new Host();
    host.kind = kinds[name];
    host.place = scratch(t);
    host.server = await new ModelServer().start();
    t.after(() => host.server.stop());
    const tmp = join(host.place.root, "tmp");
    mkdirSync(tmp);
    host.environment = { // nothing of the one that the tests run in
      PATH: `${dirname(binary)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: host.place.home,
      TMPDIR: tmp,
      TERM: "dumb",
      LANG: "C.UTF-8",
      SHELL: "/bin/bash",
      ...host.kind.environment(host.place, host.server.url),
    };
    host.kind.prepare(host.place, host.server.url);
    for (const args of host.kind.install) await host.run(args);
    return host;
  }

  /** Makes src/<letter>.ts for each letter, governed by the article "Fact of <letter>." */
  govern(letters) {
    for (const letter of letters) {
      put(this.path(`src/${letter}.ts`), `${letter}\n`);
      put(this.path(`.canon/articles/src/${letter}.md`), `---\ncapsule: Fact of ${letter}.\n---\n`);
    }
  }

  /** Makes sixty assets whose lines together are too long for a packet, and returns their paths. */
  governMuch() {
    const names = Array.from({ length: 60 }, (_, index) => `much/${100 + index}`);
    for (const name of names) {
      put(this.path(`${name}.ts`), "\n");
      put(this.path(`.canon/articles/${name}.md`), `---\ncapsule: Fact ${name} ${"long ".repeat(60)}end.\n---\n`);
    }
    return names.map((name) => `${name}.ts`);
  }

  /** The full path of a file of the project. */
  path(name) {
    return join(this.place.project, name);
  }

  read(name) {
    return readFileSync(this.path(name), "utf8");
  }

  /**
   * Gives the agent a prompt and lets the model answer with `replies`, each of which has to be
   * used. Returns what the model was sent for each: [{ view, ... }]. `resume` goes on with the
   * session of the last prompt; `folder` of the project is where the agent is started.
   */
  async ask(prompt, replies, { resume = false, options = [], folder = "" } = {}) {
    const before = this.server.requests.length;
    this.server.replies.length = 0;
    this.server.push(...replies);
    const stdout = await this.run(this.kind.ask(prompt, resume ? this.session : undefined, options), folder);
    this.session = this.kind.sessionOf(stdout);
    const requests = this.server.requests.slice(before);
    const unanswered = requests.filter((request) => request.unmatched).length;
    const unused = this.server.replies.filter((reply) => reply.left > 0).length;
    if (unanswered + unused > 0) throw new Error(`${unanswered} requests too many, ${unused} replies too many`);
    return requests;
  }

  /** Runs the agent to its end and returns what it printed. */
  run(args, folder = "") {
    return new Promise((resolve, reject) => {
      const child = spawn(this.kind.program, args, {
        cwd: this.path(folder), env: this.environment, stdio: ["ignore", "pipe", "pipe"],
      });
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (data) => { stdout += data; });
      child.stderr.setEncoding("utf8").on("data", (data) => { stderr += data; });
      const timer = setTimeout(() => child.kill("SIGKILL"), runTimeLimit);
      child.on("error", reject);
      child.on("close", (status, signal) => {
        clearTimeout(timer);
        if (status === 0) resolve(stdout);
        else reject(new Error(`${args.slice(0, 3).join(" ")}: ended with ${signal ?? status}\n${stdout}\n${stderr}`));
      });
    });
  }
}

/** The packets in a request, oldest first, each as the letters of its lines: ["a", "bc"]. */
export function packets(request) {
  const packet = /\[canon\] (?:This article governs|Each of these articles governs) what this tool(?: batch)? touched\.[^\n]*((?:\nsrc\/\w: Fact of \w\.)+)/g;
  return [...request.view.all.matchAll(packet)].map(([, lines]) => lines.match(/\w(?=\.)/g).join(""));
}

/** What the reminders in a request name, oldest first. */
export function reminders(request) {
  const reminder = /(?:Stop hook feedback:\n|<hook_prompt [^>]*>)\[canon\] Touched but not updated: ([^.]*)\./g;
  return [...request.view.all.matchAll(reminder)].map(([, names]) => names);
}

/** Checks that a host passed on all of the packet about `governMuch`: it is too long, and says so. */
export function checkMuch(packet) {
  const [header, ...lines] = packet.trimEnd().split("\n");
  assert.ok(Buffer.byteLength(packet) > 8000 && Buffer.byteLength(packet) <= 9000, `${packet.length} bytes`);
  assert.deepEqual(lines.map((line) => line.match(/^much\/(\d+)/)?.[1]), Array.from({ length: 60 }, (_, index) => `${100 + index}`));
  const whole = lines.filter((line) => line.endsWith("long end.")).length;
  assert.match(header, new RegExp(`${60 - whole} of 60 only name the article`));
  assert.ok(whole > 10 && lines.slice(-whole).every((line) => line.endsWith("long end.")), "the newest are whole");
}
