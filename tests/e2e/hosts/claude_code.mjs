// What Claude Code sends its model with the plugin installed.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { put } from "../canon/canon.mjs";
import { Host, checkMuch, packets, reminders, repository } from "./host.mjs";

const canon = (args) => ({ name: "mcp__plugin_canon_canon__canon", args });
const bash = (command) => ({ name: "Bash", args: { command, description: "A command" } });

async function open(t, letters) {
  const host = await Host.open(t, "claude-code");
  host.govern(letters);
  host.reads = (letter) => ({ name: "Read", args: { file_path: host.path(`src/${letter}.ts`) } });
  host.edits = (letter, from, to) => ({
    name: "Edit", args: { file_path: host.path(`src/${letter}.ts`), old_string: from, new_string: to },
  });
  return host;
}

test("Claude Code: a touch brings one line, a batch one packet, and a cd in between changes nothing", async (t) => {
  const host = await open(t, "abcd");
  const requests = await host.ask("go", [
    { tools: [host.reads("a")] },
    { tools: [bash("cd src")] },
    { tools: [bash("cat b.ts"), host.reads("c"), host.reads("a")] },
    { tools: [bash("cat ../src/d.ts b.ts")] },
    { text: "done" },
  ]);
  assert.deepEqual(requests.map(packets), [[], ["a"], ["a"], ["a", "bc"], ["a", "bc", "d"]]);
  assert.match(requests[2].view.last.text, /\/src/, "the agent did change its folder");
  assert.ok(requests[0].view.tools.includes("mcp__plugin_canon_canon__canon"), "the tool is not deferred");
});

test("Claude Code: what the tool showed does not surface", async (t) => {
  const host = await open(t, "ab");
  const requests = await host.ask("go", [
    { tools: [canon({ action: "read", path: "src/a.ts" }), host.reads("a")] },
    { tools: [host.reads("a"), host.reads("b")] },
    { text: "done" },
  ]);
  assert.match(requests[1].view.all, /capsule: Fact of a\./);
  assert.deepEqual(requests.map(packets), [[], [], ["b"]]);
});

test("Claude Code: a subagent has a context of its own", async (t) => {
  const host = await open(t, "ab");
  const isSubagent = { any: "TASK OF THE SUBAGENT\n?$|TASK OF THE SUBAGENT\n\\[assistant\\]" };
  const requests = await host.ask("go", [
    { when: { last: "go$" }, tools: [host.reads("a"), { name: "Agent", args: {
      description: "Looks", prompt: "TASK OF THE SUBAGENT", subagent_type: "general-purpose", run_in_background: false,
    } }] },
    { name: "subagent", when: isSubagent, tools: [host.reads("a"), host.reads("b")] },
    { name: "subagent", when: isSubagent, tools: [host.reads("b"), host.edits("b", "b", "B")] },
    { name: "subagent", when: isSubagent, text: "looked" },
    { tools: [host.reads("b")] },
    { name: "stops", text: "done" },
    { name: "stops", text: "done" },
  ]);
  const [theirs, ours] = [true, false].map((is) => requests.filter(({ reply }) => (reply === "subagent") === is));
  assert.deepEqual(theirs.map(packets), [[], ["ab"], ["ab"]]);
  assert.deepEqual(ours.map(packets), [[], ["a"], ["a", "b"], ["a", "b"]]);
  assert.deepEqual(ours.map(reminders), [[], [], [], ["src/b"]], "what it changed is owed by the main agent");
});

test("Claude Code: the compaction of a subagent replays nothing, and is its own", async (t) => {
  const host = await open(t, "ab");
  host.environment.CLAUDE_CODE_AUTO_COMPACT_WINDOW = "100000";
  host.environment.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE = "50";
  const readsMuch = (name) => {
    put(host.path(name), "A line that is long enough to count for something.\n".repeat(600));
    return { name: "Read", args: { file_path: host.path(name) } };
  };
  const isSubagent = { any: "TASK OF THE SUBAGENT\n?$|TASK OF THE SUBAGENT\n\\[assistant\\]" };
  const isCompacted = { any: "All that was done\\." };
  const requests = await host.ask("go", [
    { when: { last: "go$" }, tools: [host.reads("a"), { name: "Agent", args: {
      description: "Looks", prompt: "TASK OF THE SUBAGENT", subagent_type: "general-purpose", run_in_background: false,
    } }] },
    { name: "compaction", when: { last: "Respond with plain text only" }, text: "<summary>All that was done.</summary>" },
    { name: "subagent", when: isSubagent, tools: [host.reads("a"), host.reads("b"), readsMuch("1.txt")], usage: { input: 15_000 } },
    { name: "subagent", when: isSubagent, tools: [readsMuch("2.txt")], usage: { input: 30_000 } },
    { name: "subagent", when: isSubagent, tools: [readsMuch("3.txt")], usage: { input: 90_000 } },
    { name: "compacted", when: isCompacted, tools: [host.reads("b")] },
    { name: "compacted", when: isCompacted, text: "looked" },
    { tools: [host.reads("a")] },
    { text: "done" },
  ]);
  const of = (...names) => requests.filter(({ reply }) => names.includes(reply)).map(packets);
  assert.deepEqual([of("subagent"), of("compacted")], [[[], ["ab"], ["ab"]], [[], ["b"]]]);
  assert.deepEqual(of("tools", "text"), [[], ["a"], ["a"]]);
});

test("Claude Code: a fork is not shown again what it inherits", async (t) => {
  const host = await open(t, "abc");
  const isFork = { any: "TASK OF THE FORK" };
  const requests = await host.ask("go", [
    { when: { last: "go$" }, tools: [host.reads("a")] },
    { name: "spawns", tools: [host.reads("b"), { name: "Agent", args: {
      description: "Looks", prompt: "TASK OF THE FORK", subagent_type: "fork", run_in_background: false,
    } }] },
    { name: "fork", when: isFork, tools: [host.reads("a"), host.reads("b"), host.reads("c")] },
    { name: "fork", when: isFork, text: "looked" },
    { text: "done" },
  ]);
  const [theirs, ours] = [true, false].map((is) => requests.filter(({ reply }) => (reply === "fork") === is));
  assert.deepEqual(theirs.map(packets), [["a"], ["a", "bc"]], "what came after the fork began is its own to see");
  assert.deepEqual(ours.map(packets), [[], ["a"], ["a", "b"]]);
});

test("Claude Code: what a subagent in the background changes is named when its agent stops after it", async (t) => {
  const host = await open(t, "ab");
  const isSubagent = { any: "TASK OF THE SUBAGENT\n?$|TASK OF THE SUBAGENT\n\\[assistant\\]" };
  const requests = await host.ask("go", [
    { when: { last: "go$" }, tools: [host.reads("a"), { name: "Agent", args: {
      description: "Edits", prompt: "TASK OF THE SUBAGENT", subagent_type: "general-purpose", run_in_background: true,
    } }] },
    { name: "subagent", when: isSubagent, delayMs: 3000, tools: [host.reads("b")] },
    { name: "subagent", when: isSubagent, tools: [host.edits("b", "b", "changed")] },
    { name: "subagent", when: isSubagent, text: "edited" },
    { name: "waits", text: "it works" },
    { name: "stops", text: "done" },
    { name: "stops", text: "done again" },
  ]);
  const ours = requests.filter(({ reply }) => reply !== "subagent");
  assert.deepEqual(ours.map(packets), [[], ["a"], ["a"], ["a"]]);
  assert.deepEqual(ours.map(reminders), [[], [], [], ["src/b"]]);
});

test("Claude Code: a resumed session goes on, and a compaction replays nothing", async (t) => {
  const host = await open(t, "abc");
  await host.ask("go", [{ tools: [host.reads("a")] }, { text: "done" }]);
  const resumed = await host.ask("more", [{ tools: [host.reads("a"), host.reads("b")] }, { text: "done" }], { resume: true });
  assert.deepEqual(resumed.map(packets), [["a"], ["a", "b"]]);
  await host.ask("/compact", [{ text: "<summary>All that was done.</summary>" }], { resume: true });
  const compacted = await host.ask("more", [{ tools: [host.reads("b"), host.reads("c")] }, { text: "done" }], { resume: true });
  assert.match(compacted[0].view.all, /All that was done\./);
  assert.doesNotMatch(compacted[0].view.all, /Fact of/);
  assert.deepEqual(compacted.map(packets), [[], ["bc"]]);
});

test("Claude Code: one reminder before it stops, and no loop", async (t) => {
  const host = await open(t, "ab");
  const requests = await host.ask("go", [
    { tools: [host.reads("a"), host.reads("b")] },
    { tools: [host.edits("a", "a", "changed"), host.edits("b", "not in it", "changed")] },
    { text: "done" },
    { text: "done again" },
  ]);
  assert.deepEqual([host.read("src/a.ts"), host.read("src/b.ts")], ["changed\n", "b\n"]);
  assert.deepEqual(requests.map(reminders), [[], [], [], ["src/a"]], "a failed edit owes nothing");
  const later = await host.ask("more", [{ text: "nothing to do" }], { resume: true });
  assert.deepEqual(later.map(reminders), [["src/a"]], "only the old one is there");
  const again = await host.ask("more", [
    { tools: [host.edits("a", "changed", "changed again")] }, { text: "done" }, { text: "done again" },
  ], { resume: true });
  assert.deepEqual(again.map(reminders), [["src/a"], ["src/a"], ["src/a", "src/a"]]);
});

test("Claude Code: what is changed after the reminder is named when the agent stops again later", async (t) => {
  const host = await open(t, "ab");
  const requests = await host.ask("go", [
    { tools: [bash("echo changed > src/a.ts")] }, { text: "done" }, { tools: [bash("echo changed > src/b.ts")] }, { text: "done again" },
  ]);
  assert.deepEqual(requests.map(reminders), [[], [], ["src/a"], ["src/a"]]);
  const later = await host.ask("more", [{ text: "done" }, { text: "done again" }], { resume: true });
  assert.deepEqual(later.map(reminders), [["src/a"], ["src/a", "src/b"]]);
});

test("Claude Code: an article that was written since its asset changed is not named", async (t) => {
  const host = await open(t, "a");
  const requests = await host.ask("go", [
    { tools: [host.reads("a")] },
    { tools: [host.edits("a", "a", "changed")] },
    { tools: [canon({ action: "write", path: "src/a.ts", capsule: "The new fact." })] },
    { text: "done" },
  ]);
  assert.match(requests[3].view.last.text, /Wrote src\/a\./);
  assert.match(host.read(".canon/articles/src/a.md"), /The new fact\./);
  assert.deepEqual(requests.map(reminders), [[], [], [], []]);
});

test("Claude Code: a packet that would be too long arrives whole, in its short form", async (t) => {
  const host = await open(t, "");
  const files = host.governMuch();
  const requests = await host.ask("go", [{ tools: [bash(`cat ${files.join(" ")}`)] }, { text: "done" }]);
  checkMuch(requests[1].view.last.text.match(/additional context: (\[canon\] .*?)\n<\/system-reminder>/s)[1]);
});

test("Claude Code: a session that begins in a folder below the store", async (t) => {
  const host = await open(t, "ab");
  const requests = await host.ask("go", [{ tools: [bash("cat a.ts")] }, { tools: [bash("cd .."), host.reads("b")] }, { text: "done" }], { folder: "src" });
  assert.deepEqual(requests.map(packets), [[], ["a"], ["a", "b"]]);
});

test("Claude Code: without a store nothing is said and nothing is made", async (t) => {
  const host = await open(t, "");
  const requests = await host.ask("go", [{ tools: [bash("mkdir src; echo 1 > src/a.ts")] }, { text: "done" }]);
  assert.doesNotMatch(requests[1].view.last.text, /\[canon\]/);
  assert.throws(() => host.read(".canon/.gitignore"), { code: "ENOENT" });
});

test("Claude Code: its check of the plugin and of the marketplace warns of nothing", async (t) => {
  const host = await open(t, "");
  for (const folder of ["deploy/plugins/canon", ""]) {
    const told = await host.run(["plugin", "validate", join(repository, folder)]);
    assert.match(told, /Validation passed/);
    assert.doesNotMatch(told, /warning|error/i);
  }
});
