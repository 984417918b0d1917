// The hook program as its hosts run it: a process for each event, one JSON object on stdin.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { binary, environment, put, run, scratch } from "./canon.mjs";

const recordings = fileURLToPath(new URL("../../core/canon/recorded_hooks/", import.meta.url));

/** What a host sent, as if it had worked in this project. */
function recorded(place, name, more = {}) {
  const text = readFileSync(join(recordings, `${name}.json`), "utf8");
  return { ...JSON.parse(text.replaceAll("/home/user/project", place.project)), ...more };
}

function withStore(t) {
  const place = scratch(t);
  for (const name of ["config", "other"]) {
    put(join(place.project, `src/core/${name}.ts`), "export const a = 1;\n");
    put(join(place.project, `.canon/articles/src/core/${name}.md`),
      `---\ncapsule: Capsule of ${name}.\nupdated: 2026-11-30\n---\n`);
  }
  return place;
}

const states = (place) => {
  const folder = join(place.home, ".cache/canon/sessions");
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** The parsed answer of one event. */
function hook(place, host, event, { env = {}, cwd = place.project } = {}) {
  const done = run(place, ["hook", host], { input: JSON.stringify(event), cwd, env });
  assert.equal(done.status, 0);
  assert.equal(done.stderr, "");
  assert.match(done.stdout, /^\{.*\}\n$/);
  return JSON.parse(done.stdout);
}

const claude = (place, event, { env = {}, cwd } = {}) =>
  hook(place, "claude-code", event, { env: { CLAUDE_PROJECT_DIR: place.project, ...env }, cwd });

const reading = (place, name = "config", more = {}) => recorded(place, "claude-2.1.332-PostToolBatch-1calls", {
  tool_calls: [{ tool_name: "Read", tool_input: { file_path: join(place.project, `src/core/${name}.ts`) }, tool_response: "x" }],
  ...more,
});

const line = (answer) => answer.hookSpecificOutput?.additionalContext.split("\n").slice(1).join("\n") ?? "";
const configLine = "src/core/config (updated 2026-11-30): Capsule of config.";

test("a session of Claude Code: one packet for a batch, one reminder before it stops", (t) => {
  const place = withStore(t);
  assert.deepEqual(claude(place, recorded(place, "claude-2.1.332-SessionStart-startup")), {});
  assert.deepEqual(states(place), []);
  const batch = recorded(place, "claude-2.1.332-PostToolBatch-4calls");
  const answer = claude(place, batch);
  assert.deepEqual(Object.keys(answer), ["hookSpecificOutput"]);
  assert.equal(answer.hookSpecificOutput.hookEventName, "PostToolBatch");
  assert.equal(line(answer), `${configLine}\nsrc/core/other (updated 2026-11-30): Capsule of other.`);
  assert.deepEqual(claude(place, batch), {});
  assert.deepEqual(claude(place, recorded(place, "claude-2.1.332-SessionStart-resume")), {});
  assert.deepEqual(claude(place, batch), {});
  assert.deepEqual(claude(place, recorded(place, "claude-2.1.332-PostToolBatch-1calls")), {});
  const stop = claude(place, recorded(place, "claude-2.1.332-Stop"));
  assert.equal(stop.decision, "block");
  assert.match(stop.reason, /src\/core\/config\./);
  assert.deepEqual(claude(place, recorded(place, "claude-2.1.332-Stop")), {});
  assert.deepEqual(claude(place, recorded(place, "claude-2.1.332-SessionStart-compact")), {});
  assert.notEqual(line(claude(place, batch)), "");
});

test("a session of Codex: a line after the result, a change by a patch, one reminder", (t) => {
  const place = withStore(t);
  const codex = (name) => hook(place, "codex", recorded(place, `codex-0.171.0-${name}`));
  assert.deepEqual(codex("SessionStart-startup"), {});
  const answer = codex("PostToolUse-Bash");
  assert.equal(answer.hookSpecificOutput.hookEventName, "PostToolUse");
  assert.equal(line(answer), configLine);
  assert.deepEqual(codex("PostToolUse-apply_patch"), {});
  assert.equal(codex("Stop").decision, "block");
  assert.deepEqual(codex("Stop"), {});
  assert.deepEqual(codex("SessionEnd"), {});
});

test("without a store nothing is said and nothing is written", (t) => {
  const place = scratch(t);
  put(join(place.project, "src/core/config.ts"), "");
  mkdirSync(join(place.project, ".canon"));
  for (const name of ["SessionStart-startup", "PostToolBatch-4calls", "PostToolBatch-1calls", "Stop"]) {
    assert.deepEqual(claude(place, recorded(place, `claude-2.1.332-${name}`)), {});
  }
  assert.deepEqual(readdirSync(place.home), []);
  assert.deepEqual(readdirSync(join(place.project, ".canon")), []);
});

test("the project is what the host says, wherever the agent has changed to", (t) => {
  const place = withStore(t);
  const below = join(place.project, "src/core");
  const relative = (name) => reading(place, name, {
    cwd: below, tool_calls: [{ tool_name: "Read", tool_input: { file_path: `./${name}.ts` }, tool_response: "x" }],
  });
  assert.equal(line(claude(place, relative("config"), { cwd: below })), configLine);
  assert.deepEqual(claude(place, reading(place), { cwd: "/" }), {}, "the same session");
  assert.notEqual(line(claude(place, reading(place, "other"), { env: { CLAUDE_PROJECT_DIR: below } })), "");
  assert.notEqual(line(hook(place, "codex", reading(place, "other", { hook_event_name: "PostToolUse" }), { cwd: below })), "");
  const link = join(place.root, "link");
  symlinkSync(place.project, link);
  assert.deepEqual(claude(place, reading(place), { env: { CLAUDE_PROJECT_DIR: link } }), {}, "a link to the same project");
});

test("hosts and sessions know nothing of each other", (t) => {
  const place = withStore(t);
  const event = reading(place);
  assert.equal(line(claude(place, event)), configLine);
  assert.equal(line(claude(place, { ...event, session_id: "another" })), configLine);
  assert.equal(line(claude(place, { ...event, agent_id: "a1" })), configLine);
  assert.equal(line(hook(place, "codex", event)), configLine);
  assert.equal(states(place).length, 3);
  // A session may go on in another project.
  const other = { ...place, project: join(place.root, "second") };
  put(join(other.project, "src/core/config.ts"), "");
  put(join(other.project, ".canon/articles/src/core/config.md"), "---\ncapsule: The second one's.\n---\n");
  assert.equal(line(claude(other, { ...reading(other), session_id: event.session_id })), "src/core/config: The second one's.");
  assert.deepEqual(claude(place, event), {});
  assert.equal(states(place).length, 4);
});

test("only what a call is given is a touch, not what it answers", (t) => {
  const place = withStore(t);
  const call = { tool_name: "Bash", tool_input: { command: "git ls-files", description: "Lists" }, tool_response: "src/core/config.ts\nsrc/core/other.ts\n" };
  assert.deepEqual(claude(place, reading(place, "config", { tool_calls: [call] })), {});
  const result = { ...call, hook_event_name: "PostToolUse", turn_id: "t", transcript_path: null };
  assert.deepEqual(hook(place, "codex", recorded(place, "codex-0.171.0-PostToolUse-Bash", result)), {});
});

test("twelve hooks at once print a line exactly once", async (t) => {
  const place = withStore(t);
  for (let round = 0; round < 10; round += 1) {
    const event = JSON.stringify(reading(place, "config", { session_id: `round ${round}` }));
    const children = Array.from({ length: 12 }, () => started(place));
    const outputs = children.map(outputOf);
    await new Promise((resolve) => setTimeout(resolve, 60)); // until all of them wait for the event
    for (const child of children) child.stdin.end(event);
    const texts = await Promise.all(outputs);
    assert.equal(texts.filter((text) => text.includes("Capsule of config.")).length, 1);
    assert.equal(texts.filter((text) => text === "{}\n").length, 11);
  }
});

function started(place) {
  return spawn(binary, ["hook", "claude-code"], {
    cwd: place.project, env: environment(place, { CLAUDE_PROJECT_DIR: place.project }), stdio: ["pipe", "pipe", "inherit"],
  });
}

function outputOf(child) {
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (data) => { text += data; });
  return new Promise((resolve) => child.on("close", () => resolve(text)));
}

function answerOf(place, event) {
  const child = started(place);
  child.stdin.end(event);
  return outputOf(child);
}

test("a hook that is killed at any moment leaves the next one working", async (t) => {
  const place = withStore(t);
  for (let round = 0; round < 60; round += 1) {
    const session = { session_id: `round ${round}` };
    const child = started(place);
    const closed = new Promise((resolve) => child.on("close", resolve));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(reading(place, "config", session)));
    await new Promise((resolve) => setTimeout(resolve, round / 10));
    child.kill("SIGKILL");
    await closed;
    const both = JSON.parse(await answerOf(place, JSON.stringify(reading(place, "other", session))));
    assert.match(line(both), /Capsule of other\./);
  }
});

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

test("a touch lists no folder and reads only the articles on the way up", { skip: !hasStrace && "needs strace" }, (t) => {
  const place = withStore(t);
  for (let i = 0; i < 50; i += 1) put(join(place.project, `.canon/articles/many/a${i}.md`), "x\n");
  const done = spawnSync("strace", ["-f", "-e", "trace=openat,openat2,getdents64", binary, "hook", "claude-code"], {
    cwd: place.project, encoding: "utf8", input: JSON.stringify(reading(place)),
    env: environment(place, { CLAUDE_PROJECT_DIR: place.project }),
  });
  assert.equal(line(JSON.parse(done.stdout)), configLine);
  const calls = done.stderr.split("\n");
  assert.ok(calls.some((call) => /^openat2?\(.*src\/core\/config\.md/.test(call)), "strace shows the calls");
  assert.deepEqual(calls.filter((call) => call.startsWith("getdents64")), []);
  assert.deepEqual(calls.filter((call) => /many|other|journal/.test(call)), []);
});

test("a stopped hook holds up no other session", async (t) => {
  const place = withStore(t);
  const child = started(place);
  child.kill("SIGSTOP");
  assert.equal(line(claude(place, reading(place))), configLine);
  child.kill("SIGKILL");
});

test("what is no event is told on stderr, and the answer is still an empty object", (t) => {
  const place = withStore(t);
  for (const [args, input] of [
    [["hook", "codex"], ""], [["hook", "codex"], "{"], [["hook", "codex"], "[]"], [["hook", "codex"], "{}"],
    [["hook"], "{}"], [["hook", "other"], "{}"], [["hook", "codex", "--unknown"], "{}"],
  ]) {
    const done = run(place, args, { input });
    assert.deepEqual([done.status, done.stdout], [0, "{}\n"], args.join(" "));
    assert.match(done.stderr, /^canon: .+\n$/);
  }
  const gone = run(place, ["hook", "claude-code"], {
    input: JSON.stringify(reading(place)), env: { CLAUDE_PROJECT_DIR: join(place.root, "gone") },
  });
  assert.deepEqual([gone.status, gone.stdout], [0, "{}\n"]);
  assert.match(gone.stderr, /gone/);
});

test("the user's settings reach the hooks", (t) => {
  const place = withStore(t);
  const settings = join(place.home, ".config/canon/settings.json");
  put(settings, '{"surface": false}');
  assert.deepEqual(claude(place, reading(place)), {});
  assert.deepEqual(claude(place, recorded(place, "claude-2.1.332-PostToolBatch-1calls")), {});
  assert.deepEqual(claude(place, recorded(place, "claude-2.1.332-Stop")), {});
  assert.deepEqual(states(place), []);
  put(settings, '{"surface": true}');
  const lake = join(place.root, "lake");
  put(join(lake, "prices.csv"), "");
  put(join(lake, ".canon/articles/prices.md"), "---\ncapsule: Cents.\n---\n");
  const event = reading(place);
  event.tool_calls[0].tool_input.file_path = join(lake, "prices.csv");
  assert.deepEqual(claude(place, event), {});
  assert.equal(line(claude(place, event, { env: { CANON_MOUNTS: lake } })), "lake:prices: Cents.");
  put(settings, "{bad");
  const wrong = run(place, ["hook", "claude-code"], {
    input: JSON.stringify(reading(place)), env: { CLAUDE_PROJECT_DIR: place.project },
  });
  assert.match(wrong.stdout, /Capsule of config/);
  assert.match(wrong.stderr, /settings\.json/);
});

test("a store elsewhere is found by --root and by the environment", (t) => {
  const place = scratch(t);
  put(join(place.project, "a.ts"), "");
  const root = join(place.root, "elsewhere");
  put(join(root, "articles/a.md"), "---\ncapsule: Far.\n---\n");
  const event = reading(place);
  event.tool_calls[0].tool_input.file_path = join(place.project, "a.ts");
  assert.deepEqual(claude(place, event), {});
  assert.equal(line(claude(place, event, { env: { CANON_ROOT: root } })), "a: Far.");
  const flagged = run(place, ["hook", "codex", "--root", root], { input: JSON.stringify({ ...event, session_id: "2" }) });
  assert.match(flagged.stdout, /a: Far\./);
});

test("state stands where the host keeps a plugin's data, and ages out", (t) => {
  const place = withStore(t);
  const data = join(place.root, "data");
  const env = { PLUGIN_DATA: data, CLAUDE_PLUGIN_DATA: join(place.root, "unused") };
  assert.equal(line(claude(place, reading(place), { env })), configLine);
  assert.deepEqual(states(place), []);
  const [name] = readdirSync(join(data, "sessions"));
  put(join(data, "sessions/old.json.77.new"), "");
  put(join(data, "sessions/kept.txt"), "");
  const days = (count) => new Date(Date.parse("2026-11-30T17:05:02.875Z") - count * 86400000);
  for (const each of [name, "old.json.77.new", "kept.txt"]) {
    utimesSync(join(data, "sessions", each), days(29), days(29));
  }
  claude(place, recorded(place, "claude-2.1.332-SessionStart-startup", { session_id: "new" }), { env });
  assert.equal(readdirSync(join(data, "sessions")).length, 3);
  for (const each of [name, "old.json.77.new", "kept.txt"]) {
    utimesSync(join(data, "sessions", each), days(31), days(31));
  }
  claude(place, recorded(place, "claude-2.1.332-SessionStart-startup", { session_id: "new" }), { env });
  assert.deepEqual(readdirSync(join(data, "sessions")), ["kept.txt"]);
});

test("a damaged or older state file begins anew", (t) => {
  const place = withStore(t);
  assert.equal(line(claude(place, reading(place))), configLine);
  const folder = join(place.home, ".cache/canon/sessions");
  const path = join(folder, states(place)[0]);
  put(path, "{damaged");
  assert.equal(line(claude(place, reading(place))), configLine);
  put(path, '{"version":2,"seen":["src/core/config"],"pending":[]}');
  assert.deepEqual(claude(place, reading(place)), {});
});

test("a plugin's folder that cannot be written to is done without; without any, nothing surfaces", (t) => {
  const place = withStore(t);
  const env = { PLUGIN_DATA: "/proc/nowhere" };
  assert.equal(line(claude(place, reading(place), { env })), configLine);
  assert.deepEqual(claude(place, reading(place), { env }), {});
  assert.equal(states(place).length, 1);
  const refused = run(place, ["hook", "claude-code"], {
    input: JSON.stringify(reading(place)),
    env: { CLAUDE_PROJECT_DIR: place.project, ...env, XDG_CACHE_HOME: "/proc/none" },
  });
  assert.deepEqual([refused.status, refused.stdout], [0, "{}\n"]);
  assert.match(refused.stderr, /\/proc\/none/);
});
