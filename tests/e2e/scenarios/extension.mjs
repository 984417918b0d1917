// The extension on the real Pi, with a stand-in for the launcher or with none.
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { withStandIn } from "../lib/launcher-stand-in.mjs";

const here = new URL(".", import.meta.url).pathname;
const end = [{ closeStdin: true }, { waitExit: { code: 0 } }];
const call = (command) => ({ tools: [{ name: "bash", args: { command } }] });

/** Continues so many times after a run, by the answer to the boundary. */
const continuing = (times) => () => {
  let sent = 0;
  return ({ type }) => (type === "boundary" && sent < times ? { send: { text: `CONTINUE-${++sent}`, token: `${sent}` } } : undefined);
};

const goalReplies = [
  { when: { last: "start" }, ...call("env") },
  { when: { last: "PI_CODING_AGENT_DIR" }, text: "looked around" },
  { when: { last: "CONTINUE-1" }, text: "second" },
  { when: { last: "CONTINUE-2" }, text: "third" },
];

const noSecret = (run) => {
  const seen = JSON.stringify(run.server.requests.map(({ body }) => body));
  return /5ec2e7|PI_RESILIENT_(SOCKET|SECRET|GENERATION)/.test(seen) ? "a tool saw the launcher's variables" : undefined;
};
const sentOnce = (run) => {
  const results = run.notes.launcher.of("directive_result").map(({ token, ok }) => `${token}:${ok}`).join();
  return results === "1:true,2:true" ? undefined : `directive results ${results}`;
};
const hellos = (reasons) => (run) => {
  const got = run.notes.launcher.of("hello").map(({ reason }) => reason).join();
  return got === reasons ? undefined : `hello for ${got}, wanted ${reasons}; ${run.notes.launcher.story()}`;
};

/** Puts a copy of the extension where Pi looks for extensions, or anywhere else. */
const copyTo = (place) => (run) => {
  const notShipped = /\/(node_modules|test)$/;
  cpSync(run.options.extension, run.fillIn(place), { recursive: true, filter: (path) => !notShipped.test(path) });
};

export default [
  withStandIn({
    name: "a goal goes on in RPC mode, and no tool sees the launcher's variables",
    smoke: true,
    answer: continuing(2),
    replies: goalReplies,
    steps: [{ start: {} }, { rpc: { type: "prompt", message: "start" } }, { waitRequests: 4 }, (run) => run.notes.launcher.frame("boundary", 3), ...end],
    asserts: [{ requests: 4 }, noSecret, sentOnce, hellos("startup")],
  }),
  withStandIn({
    name: "a goal goes on in print mode",
    smoke: true,
    mode: "print",
    firstArgs: ["start"],
    answer: continuing(2),
    replies: goalReplies,
    steps: [{ start: {} }, { waitExit: { code: 0 } }],
    asserts: [{ requests: 4 }, { stdout: "third" }, noSecret, sentOnce],
  }),
  withStandIn({
    name: "a hold keeps print mode open until the text comes",
    mode: "print",
    firstArgs: ["start"],
    answer: () => {
      let asked = 0;
      return ({ type }, launcher) => {
        if (type !== "boundary" || ++asked > 1) return undefined;
        setTimeout(() => launcher.direct({ type: "send", text: "CONTINUE-1", token: "1" }), 3000);
        return { hold_ms: 60_000 };
      };
    },
    replies: [{ when: { last: "start" }, text: "first" }, { when: { last: "CONTINUE-1" }, text: "second" }],
    steps: [{ start: {} }, { waitExit: { code: 0 } }],
    asserts: [{ requests: 2 }, { stdout: "second" }],
  }),
  ...[[], ["and this"]].map((prompt) =>
    withStandIn({
      name: `a text sent in answer to hello runs in print mode ${prompt.length ? "before the prompt" : "without a prompt"}`,
      mode: "print",
      args: ["--session", "${dir}/pinned.jsonl", ...prompt],
      answer: (run) => ({ type }, launcher) =>
        type === "hello" ? { directives: [launcher.part({ type: "send", text: "RESUME", token: "r" })] } : undefined,
      replies: [{ when: { last: "RESUME" }, text: "resumed" }, { when: { last: "and this" }, text: "done too" }],
      steps: [{ start: {} }, { waitExit: { code: 0 } }],
      asserts: [{ requests: 1 + prompt.length }, { request: 0, last: "RESUME" }],
    }),
  ),
  withStandIn({
    name: "commands are answered",
    answer: () => ({ type, name }) => (type === "command" ? { notices: [{ level: "info", text: `about ${name}` }] } : undefined),
    steps: [
      { start: {} },
      { rpc: { type: "prompt", message: "/goal pause" } },
      { wait: { type: "extension_ui_request", method: "notify", message: "about goal" } },
      { rpc: { type: "prompt", message: "/canon-settings" } },
      { wait: { type: "extension_ui_request", method: "notify", message: "about canon-settings" } },
      ...end,
    ],
    asserts: [(run) => (run.notes.launcher.of("command")[0].args === "pause" ? undefined : "wrong arguments")],
  }),
  withStandIn({
    name: "a tool's text and its errors reach the model",
    answer: () => ({ type, tool }, launcher) => {
      if (type === "hello") return { directives: [launcher.part({ type: "set", tools: [{ name: "get_goal", description: "WORDED ANEW" }] })] };
      return type === "tool" ? { text: `${tool} says no`, is_error: tool === "update_goal" } : undefined;
    },
    replies: [
      { when: { last: "start" }, tools: [{ name: "get_goal", args: {} }] },
      { when: { last: "get_goal says no" }, tools: [{ name: "update_goal", args: { status: "complete" } }] },
      { when: { last: "update_goal says no" }, text: "done" },
    ],
    steps: [{ start: {} }, { rpc: { type: "prompt", message: "start" } }, { waitRequests: 3 }, { wait: { type: "agent_settled" } }, ...end],
    asserts: [
      { request: 0, tools: ["create_goal", "update_goal", "get_goal", "canon"] },
      (run) => (JSON.stringify(run.server.requests[0].body).includes("WORDED ANEW") ? undefined : "the tool has its old words"),
      { session: { type: "message", message: { role: "toolResult", toolName: "update_goal", isError: true } } },
      { session: { type: "message", message: { role: "toolResult", toolName: "get_goal", isError: false } } },
    ],
  }),
  withStandIn({
    name: "entries, status, a touched file and a steered line",
    answer: () => ({ type }, launcher) => {
      if (type === "hello") return { directives: [launcher.part({ type: "set", touch: true, ask_turn: true })] };
      if (type !== "turn" || launcher.of("touch").length !== 1 || launcher.steered) return undefined;
      launcher.steered = true;
      launcher.direct({ type: "append", custom_type: "resilient-goal", data: { state: "active" } });
      launcher.direct({ type: "status", text: "goal active" });
      return { directives: [launcher.part({ type: "steer", custom_type: "canon", text: "[canon] src/a: a line" })] };
    },
    replies: [{ when: { last: "start" }, ...call("echo a") }, { when: { last: "a line" }, text: "read it" }],
    steps: [{ start: {} }, { rpc: { type: "prompt", message: "start" } }, { waitRequests: 2 }, { wait: { type: "agent_settled" } }, ...end],
    asserts: [
      { requests: 2 },
      { session: { type: "custom", customType: "resilient-goal", data: { state: "active" } }, count: 1 },
      { event: { type: "extension_ui_request", method: "setStatus", statusText: "goal active" } },
      (run) => (run.notes.launcher.of("tool_end").length === 1 ? undefined : run.notes.launcher.story()),
    ],
  }),
  withStandIn({
    name: "a new session has its own connection",
    steps: [{ start: {} }, { rpc: { type: "new_session" } }, (run) => run.notes.launcher.frame("hello", 2), { sleep: 300 }, ...end],
    asserts: [hellos("startup,new"), (run) => (run.notes.launcher.of("switch").length === 1 ? undefined : "no switch")],
  }),
  withStandIn({
    name: "a switch that is refused does not happen",
    answer: () => ({ type }) => (type === "switch" ? { cancel: true, message: "held by 4711" } : undefined),
    steps: [{ start: {} }, { rpc: { type: "new_session" }, expect: { data: { cancelled: true } } }, ...end],
    asserts: [hellos("startup"), { event: { type: "extension_ui_request", method: "notify", message: "held by 4711" } }],
  }),
  withStandIn({
    name: "a reload has one connection, and finds other extensions of our names",
    extensions: [join(here, "extensions/same-names.ts")],
    steps: [
      { start: {} },
      { rpc: { type: "prompt", message: "/load-again" } },
      (run) => run.notes.launcher.frame("hello", 2),
      { rpc: { type: "prompt", message: "/resilient-stop" } },
      (run) => run.notes.launcher.frame("command"),
      ...end,
    ],
    asserts: [
      hellos("startup,reload"),
      (run) => {
        const { others } = run.notes.launcher.of("hello")[0];
        return others.join() === "/canary of same-names.ts,/goal of same-names.ts" ? undefined : `others: ${others}`;
      },
    ],
  }),
  withStandIn({
    name: "a second copy does nothing",
    extensions: ["${dir}/copy"],
    steps: [copyTo("${dir}/copy"), { start: {} }, { rpc: { type: "prompt", message: "/goal" } }, (run) => run.notes.launcher.frame("command"), { sleep: 200 }, ...end],
    asserts: [hellos("startup"), (run) => (run.notes.launcher.of("command").length === 1 ? undefined : "asked twice")],
  }),
  withStandIn({
    name: "a copy in the extensions folder is loaded",
    extension: false,
    steps: [copyTo("${agent}/extensions/pi-resilient"), { start: {} }, { rpc: { type: "get_state" } }, (run) => run.notes.launcher.frame("hello"), ...end],
    asserts: [hellos("startup")],
  }),
  withStandIn({
    name: "pi install loads it",
    extension: false,
    steps: [
      copyTo("${dir}/package"),
      async (run) => {
        // Not as a step "exec", which would stop the stand-in too.
        const { PI_RESILIENT_SOCKET: _socket, ...env } = run.sandbox.env;
        await promisify(execFile)(run.sandbox.names.pi, ["install", run.fillIn("${dir}/package")], { env, cwd: run.cwd });
      },
      { start: {} },
      { rpc: { type: "get_state" } },
      (run) => run.notes.launcher.frame("hello"),
      ...end,
    ],
    asserts: [hellos("startup")],
  }),
  withStandIn({
    name: "a launcher that is gone for five seconds takes Pi with it",
    steps: [
      { start: {} },
      { rpc: { type: "get_state" } },
      (run) => run.notes.launcher.frame("hello"),
      (run) => run.notes.launcher.die(),
      { waitExit: true, ms: 15_000 },
    ],
    asserts: [{ event: { type: "extension_ui_request", method: "notify", message: "/launcher pi-resilient has ended/" } }],
  }),
  withStandIn({
    name: "an Escape in the terminal is told, also while Pi waits before its own retry",
    mode: "tui",
    settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 4000 } },
    replies: [{ error: { status: 503, body: { error: { message: "overloaded" } } }, repeat: "forever" }],
    steps: [
      { start: {} },
      (run) => run.notes.launcher.frame("hello"),
      { sleep: 500 },
      { submit: "start" },
      { waitRequests: 1 },
      { sleep: 700 },
      { key: ["Escape"] },
      (run) => run.notes.launcher.frame("boundary"),
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [
      (run) => (run.notes.launcher.of("escape").length ? undefined : "no escape"),
      (run) => {
        const { escape, stop } = run.notes.launcher.of("boundary")[0];
        return escape && stop === "error" ? undefined : `boundary with stop ${stop}, escape ${escape}`;
      },
    ],
  }),
  withStandIn({
    name: "a recovery: gate, handover, summary and compaction in one turn",
    since: "0.87.0",
    answer: () => (frame, launcher) => {
      const set = (fields) => launcher.part({ type: "set", ...fields });
      const entry = (content) => ({ kind: "custom_message", custom_type: "resilient-canary", content, display: true });
      if (frame.type === "hello") return { directives: [set({ ask_turn: true, system_append: "Begin with chirp." })] };
      if (frame.type === "turn" && frame.text === "no prefix") return { directives: [set({ gate: "handover first" })], entries: [entry("FLAG")], continue: true };
      if (frame.type === "turn" && frame.text.startsWith("chirp: # Canary handover\n")) return { summarise: { system: "SUMMARISE", instruction: "Sum up.", max_tokens: 100, deadline_ms: 5000 } };
      if (frame.type !== "summary") return undefined;
      return { re: frame.re, directives: [set({ gate: "" })], entries: [{ kind: "compaction", summary: frame.text, details: { by: "canary" } }, entry("HANDOVER")], continue: true };
    },
    replies: [
      { when: { last: "start" }, text: "no prefix", ...call("echo hi") },
      { when: { last: "FLAG" }, ...call("echo blocked") },
      { when: { last: "handover first" }, text: "chirp: # Canary handover\nrest" },
      { when: { system: "SUMMARISE" }, text: "the summary" },
      { when: { last: "HANDOVER" }, text: "chirp: done" },
    ],
    steps: [{ start: {} }, { rpc: { type: "prompt", message: "start" } }, { waitRequests: 5 }, { wait: { type: "agent_settled" } }, ...end],
    asserts: [
      { request: 0, system: "Begin with chirp" },
      { request: 3, tools: false, all: "echo hi" },
      { request: 4, last: "HANDOVER", all: "the summary", noAll: "no prefix" },
      { session: { type: "compaction", summary: "the summary", details: { by: "canary" } }, count: 1 },
      (run) => (run.session().find(({ type }) => type === "compaction")?.usage?.input > 0 ? undefined : "the compaction lacks the usage of its summary"),
    ],
  }),
  withStandIn({
    name: "the settings screen of canon is drawn, saves at once and closes",
    mode: "tui",
    answer: () => ({ type, body }) => {
      if (type !== "canon") return undefined;
      const settings = { surface: body.action === "get", resurface: true, retrieval: "none", standout: 1.4 };
      return { ok: true, settings, file: "/settings.json" };
    },
    steps: [
      { start: {} },
      (run) => run.notes.launcher.frame("hello"),
      { sleep: 500 },
      { submit: "/canon-settings" },
      { screen: "> surface +on" },
      { key: ["Enter"] },
      { screen: "> surface +off" },
      { key: ["Down"] },
      { screen: "> resurface" },
      { key: ["Escape"] },
      { screen: "Canon settings", gone: true },
      { submit: "/quit" },
      { waitExit: { code: 0 } },
    ],
    asserts: [
      (run) => {
        const { action, key, value } = run.notes.launcher.of("canon")[1].body;
        return `${action} ${key} ${value}` === "set surface off" ? undefined : `saved ${action} ${key} ${value}`;
      },
    ],
  }),
  {
    name: "without a launcher the sidecar serves the session",
    extension: true,
    autoStart: false,
    env: { PI_RESILIENT_PROGRAM: "${dir}/pi-resilient" },
    replies: [{ text: "hello" }],
    steps: [
      (run) => {
        const program = join(run.sandbox.dir, "pi-resilient");
        copyFileSync(join(here, "extensions/small-sidecar.cjs"), program);
        chmodSync(program, 0o755);
      },
      { start: {} },
      { rpc: { type: "prompt", message: "/goal" } },
      { wait: { type: "extension_ui_request", method: "notify", message: "sidecar here" } },
      { rpc: { type: "new_session" } },
      { rpc: { type: "prompt", message: "/goal" } },
      { wait: { type: "extension_ui_request", method: "notify", message: "sidecar here" } },
      ...end,
    ],
    asserts: [{ file: "${project}/sidecar.txt", has: "^start\nhello\ncommand\n(switch\n)?goodbye\nend\nstart\nhello\ncommand\ngoodbye\nend\n$" }],
  },
  {
    name: "a missing program leaves Pi alone, says so once and offers no tools",
    extension: true,
    env: { PI_RESILIENT_PROGRAM: "/nowhere/pi-resilient" },
    replies: [{ text: "hello" }],
    steps: [{ rpc: { type: "prompt", message: "hi" } }, { waitRequests: 1 }, { wait: { type: "agent_settled" } }, ...end],
    asserts: [
      { event: { type: "extension_ui_request", method: "notify", message: "/PI_RESILIENT_PROGRAM/" }, count: 1 },
      (run) => (run.server.requests[0].view.tools.includes("canon") ? "tools are offered" : undefined),
    ],
  },
];
