// The plugin folders as hosts read them, and what they start.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Server, binary, environment, put, scratch } from "./canon.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path) => readFileSync(join(root, path), "utf8");
const json = (path) => JSON.parse(read(path));
const plugin = "deploy/plugins/canon";
const claude = json(`${plugin}/.claude-plugin/plugin.json`);
const codex = json(`${plugin}/.codex-plugin/plugin.json`);
const bundle = json("deploy/plugins/dsh-canon/package.json");
const version = read("CMakeLists.txt").match(/project\(pi-resilient VERSION (\S+)/)[1];

test("both marketplaces at the root name the one plugin folder", () => {
  const ours = json(".claude-plugin/marketplace.json");
  const theirs = json(".agents/plugins/marketplace.json");
  assert.deepEqual([ours.name, theirs.name], ["canon", "canon"]);
  assert.deepEqual([ours.plugins.length, theirs.plugins.length], [1, 1]);
  assert.deepEqual([ours.plugins[0].name, theirs.plugins[0].name], ["canon", "canon"]);
  assert.equal(ours.plugins[0].source, `./${plugin}`);
  assert.deepEqual(theirs.plugins[0].source, { source: "local", path: `./${plugin}` });
  assert.equal(ours.plugins[0].version, version);
});

test("names and versions are equal everywhere", () => {
  assert.deepEqual([claude.name, codex.name], ["canon", "canon"]);
  assert.deepEqual([claude.version, codex.version, bundle.version], [version, version, version]);
});

test("no host runs the hooks of the other", () => {
  assert.equal(claude.hooks, undefined, "Claude Code adds what is named to hooks/hooks.json");
  assert.equal(claude.mcpServers, undefined, "Claude Code finds .mcp.json by itself");
  assert.equal(codex.hooks, "./hooks/codex.json");
  const events = (path) => Object.keys(json(path).hooks);
  assert.deepEqual(events(`${plugin}/hooks/hooks.json`), ["SessionStart", "SubagentStart", "PostToolBatch", "Stop"]);
  assert.deepEqual(events(`${plugin}/hooks/codex.json`), ["SessionStart", "PostToolUse", "PostCompact", "Stop"]);
  assert.deepEqual(events("deploy/plugins/dsh-canon/hooks.json"), ["SessionStart", "PostToolUse", "Stop"]);
});

test("the plugin folder holds no program, whose update would cost the user's trust", () => {
  const names = readdirSync(join(root, plugin), { recursive: true }).sort();
  assert.deepEqual(names.filter((name) => !/\.(json|md)$/.test(name) && name.includes(".")),
    [".claude-plugin", ".claude-plugin/icon.png", ".codex-plugin"]);
  assert.match(read(`${plugin}/LICENSE`), /MIT License/);
});

test("the icon is what Claude Code's plugin directory asks for: a square PNG from 512 to 2048 pixels", () => {
  const icon = readFileSync(join(root, plugin, ".claude-plugin/icon.png"));
  assert.equal(icon.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
  const [width, height] = [icon.readUInt32BE(16), icon.readUInt32BE(20)];
  assert.ok(width === height && width >= 512 && width <= 2048 && icon.length < 2_000_000, `${width} x ${height}, ${icon.length} bytes`);
});

for (const [name, host] of [[`${plugin}/hooks/hooks.json`, "claude-code"], [`${plugin}/hooks/codex.json`, "codex"],
  ["deploy/plugins/dsh-canon/hooks.json", "claude-code"]]) {
  test(`the commands of ${name} answer`, (t) => {
    const place = scratch(t);
    put(join(place.project, "a.ts"), "");
    put(join(place.project, ".canon/articles/a.md"), "---\ncapsule: C.\n---\n");
    for (const [event, groups] of Object.entries(json(name).hooks)) {
      const [{ hooks: [hook] }] = groups;
      assert.deepEqual([groups.length, groups[0].hooks.length], [1, 1]);
      assert.deepEqual([hook.type, hook.timeout, hook.command], ["command", 5, `canon hook ${host}`]);
      const call = { tool_name: "Read", tool_input: { file_path: join(place.project, "a.ts") } };
      const done = spawnSync("sh", ["-c", hook.command], {
        cwd: place.project, encoding: "utf8",
        env: environment(place, { PATH: `${dirname(binary)}:${process.env.PATH}` }),
        input: JSON.stringify({ session_id: "s", cwd: place.project, hook_event_name: event, ...call, tool_calls: [call] }),
      });
      assert.deepEqual([done.status, done.stderr], [0, ""]);
      const said = JSON.parse(done.stdout).hookSpecificOutput;
      assert.equal(said?.hookEventName, event.startsWith("PostTool") ? event : undefined);
    }
  });
}

test("all hosts start the same server with the same tool", async (t) => {
  const place = scratch(t);
  const patch = read("deploy/plugins/dsh-canon/cordis.patch.yml");
  const starts = [
    json(`${plugin}/.mcp.json`).mcpServers.canon,
    codex.mcpServers.canon,
    { command: patch.match(/command: (.+)/)[1], args: patch.match(/args: \[(.+)\]/)[1].split(", ") },
  ];
  const tools = [];
  for (const { command, args } of starts) {
    assert.equal(command, "canon");
    assert.equal(args[0], "mcp");
    const server = new Server(t, place, args.slice(1));
    tools.push((await server.request(1, "tools/list")).result);
    await server.end();
  }
  assert.equal(tools[0].tools[0].name, "canon");
  assert.deepEqual(tools[1], tools[0]);
  assert.deepEqual(tools[2], tools[0]);
});

test("the bundle for the DeepSeek Harness has neither retriever nor settings screen", () => {
  const patch = read("deploy/plugins/dsh-canon/cordis.patch.yml");
  assert.match(patch, /args: \[mcp, --retrieval, none\]/);
  assert.deepEqual(patch.match(/name: '.+'/g), ["name: '@deepseek-ai/dsh-mcp-client'", "name: '@deepseek-ai/dsh-hooks-claude-code'"]);
  assert.equal(bundle.dsh.bundle.patch, "./cordis.patch.yml");
  for (const file of bundle.files) assert.ok(existsSync(join(root, "deploy/plugins/dsh-canon", file)), file);
  assert.match(read("deploy/plugins/dsh-canon/README.md"), /\*\*Untested\.\*\*/);
});

test("the skill has a name and a description, and stays short", () => {
  const skill = read(`${plugin}/skills/canon/SKILL.md`);
  assert.match(skill, /^---\nname: canon\ndescription: .{40,1000}\n---\n/);
  assert.ok(skill.length < 4000);
});

test("the snippets for other hosts are JSON and start the server, and say that nobody ran them", async (t) => {
  const text = read("deploy/plugins/README.md").split("## Other hosts")[1];
  const snippets = [...text.matchAll(/```json\n(.+?)\n```/gs)].map(([, snippet]) => JSON.parse(snippet));
  const starts = snippets.map(({ mcp, mcpServers }) => {
    const { command, args = [] } = mcp?.canon ?? mcpServers.canon;
    return [command, args].flat();
  });
  assert.deepEqual(starts, [["canon", "mcp"], ["canon", "mcp"]]);
  for (const host of ["opencode", "Gemini CLI", "Cursor", "Copilot CLI"]) assert.ok(text.includes(host), host);
  assert.match(text, /\*\*None of them was run here\*\*/);
  const server = new Server(t, scratch(t), starts[0].slice(2));
  assert.equal((await server.request(1, "tools/list")).result.tools[0].name, "canon");
  await server.end();
});

test("users are asked to review the hooks, and told what a store is", () => {
  for (const path of ["README.md", "deploy/plugins/README.md", `${plugin}/README.md`]) {
    const text = read(path).replace(/\s+/g, " ");
    assert.match(text, /[Rr]eview (?:and (?:approve|trust) the (?:plugin's )?hooks|the hooks)/, path);
    assert.match(text, /store is text from the repository.{0,120}reach(?:es)? the model/, path);
    assert.match(text, /canon settings set surface off/, path);
  }
  for (const path of ["README.md", "deploy/plugins/README.md"]) assert.match(read(path), /Start a new (?:session|thread)/, path);
});
