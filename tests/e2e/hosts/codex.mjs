// What Codex sends its model with the plugin installed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, checkMuch, packets, reminders } from "./host.mjs";

const runs = (cmd, workdir) => ({ name: "exec_command", args: { cmd, workdir } });
const canon = (args) => ({ namespace: "mcp__canon", name: "canon", args });
const patch = (letter, from, to) => `*** Begin Patch\n*** Update File: src/${letter}.ts\n@@\n-${from}\n+${to}\n*** End Patch\n`;
const edits = (letter, from, to) => ({ name: "apply_patch", input: patch(letter, from, to) });
/** Until the subagent is done, whose last command makes the file. */
const waits = { name: "exec_command", args: { cmd: "until [ -e ready ]; do sleep 0.1; done; sleep 2", yield_time_ms: 30_000 } };
const trusted = "--dangerously-bypass-hook-trust";

async function open(t, letters) {
  const host = await Host.open(t, "codex");
  host.govern(letters);
  return host;
}

const ask = (host, prompt, replies, { options = [], ...more } = {}) =>
  host.ask(prompt, replies, { options: [trusted, ...options], ...more });
const sorted = (list) => [...list].sort();

test("Codex: a touch brings one line, parallel calls one each, and a folder of their own changes nothing", async (t) => {
  const host = await open(t, "abcde");
  const requests = await ask(host, "go", [
    { tools: [runs("cat src/a.ts")] },
    { tools: [runs("cat b.ts", host.path("src")), runs("cat src/c.ts"), runs("cat src/a.ts src/c.ts")] },
    { tools: [runs("cd src && cat d.ts")] },
    { tools: [runs("cat ../src/e.ts d.ts", host.path("src"))] },
    { text: "done" },
  ]);
  assert.deepEqual(requests.map((request) => sorted(packets(request)).join()), ["", "a", "a,b,c", "a,b,c,d", "a,b,c,d,e"]);
});

test("Codex: twelve calls at once bring each line exactly once", async (t) => {
  const host = await open(t, "abcdefghijkl");
  const requests = await ask(host, "go", [
    { tools: Array.from({ length: 12 }, () => runs("cat src/a.ts")) },
    { tools: [..."bcdefghijkl"].map((letter) => runs(`cat src/${letter}.ts src/a.ts src/b.ts`)) },
    { text: "done" },
  ]);
  assert.deepEqual(packets(requests[1]), ["a"]);
  assert.deepEqual(sorted(packets(requests[2]).join("")).join(""), "abcdefghijkl");
});

test("Codex: a patch and what the tool wrote", async (t) => {
  const host = await open(t, "ab");
  const requests = await ask(host, "go", [
    { tools: [edits("a", "a", "changed")] },
    { tools: [canon({ action: "write", path: "src/a.ts", capsule: "The new fact." })] },
    { tools: [canon({ action: "read", path: "src/b.ts" })] },
    { tools: [runs("cat src/a.ts src/b.ts")] },
    { text: "done" },
  ]);
  assert.deepEqual(requests.map(packets), [[], ["a"], ["a"], ["a"], ["a"]]);
  assert.equal(host.read("src/a.ts"), "changed\n");
  assert.match(host.read(".canon/articles/src/a.md"), /The new fact\./);
  assert.deepEqual(reminders(requests[4]), [], "it was written since");
});

test("Codex: tools that a script calls surface as well, each once", async (t) => {
  const host = await open(t, "abc");
  const script = `
    const both = await Promise.all([tools.exec_command({ cmd: "cat src/a.ts" }),
      tools.exec_command({ cmd: "cat b.ts a.ts", workdir: ${JSON.stringify(host.path("src"))} })]);
    text(both);
    text(await tools.apply_patch(${JSON.stringify(patch("c", "c", "changed"))}));`;
  const requests = await ask(host, "go", [
    { tools: [{ namespace: "functions", name: "exec", input: script }] },
    { text: "done" },
    { text: "done again" },
  ], { options: ["--model", "gpt-5.6-luna"] });
  assert.deepEqual(sorted(packets(requests[1]).join("")), ["a", "b", "c"]);
  assert.equal(host.read("src/c.ts"), "changed\n");
  assert.deepEqual(requests.map(reminders), [[], [], ["src/c"]]);
});

test("Codex: a subagent has a context of its own", async (t) => {
  const host = await open(t, "ab");
  const isSubagent = { any: "\\[user\\] TASK OF THE SUBAGENT" };
  const requests = await ask(host, "go", [
    { when: { last: "^go$" }, tools: [runs("cat src/a.ts"), { namespace: "multi_agent_v1", name: "spawn_agent", args: { message: "TASK OF THE SUBAGENT" } }] },
    { name: "subagent", when: isSubagent, tools: [runs("cat src/a.ts src/b.ts")] },
    { name: "subagent", when: isSubagent, tools: [runs("cat src/b.ts; echo changed > src/b.ts; touch ready")] },
    { name: "subagent", when: isSubagent, text: "looked" },
    { tools: [waits] },
    { tools: [runs("cat src/b.ts")] },
    { name: "stops", text: "done" },
    { name: "stops", text: "done again" },
  ]);
  const [theirs, ours] = [true, false].map((is) => requests.filter(({ reply }) => (reply === "subagent") === is));
  assert.deepEqual(theirs.map(packets), [[], ["ab"], ["ab"]]);
  assert.deepEqual(ours.map(packets), [[], ["a"], ["a"], ["a", "b"], ["a", "b"]]);
  assert.deepEqual(ours.map(reminders), [[], [], [], [], ["src/b"]], "what it changed is owed by the main agent");
});

test("Codex: the compaction of a subagent replays nothing, and is its own", async (t) => {
  const host = await open(t, "ab");
  const isSubagent = { any: "\\[user\\] (?:TASK OF THE SUBAGENT|Another language model)" };
  const requests = await ask(host, "go", [
    { when: { last: "^go$" }, tools: [runs("cat src/a.ts"), { namespace: "multi_agent_v1", name: "spawn_agent", args: { message: "TASK OF THE SUBAGENT" } }] },
    { name: "compaction", when: { last: "COMPACTION" }, text: "All that was done." },
    { name: "subagent", when: isSubagent, tools: [runs("cat src/a.ts src/b.ts")], usage: { input: 90_000 } },
    { name: "subagent", when: isSubagent, tools: [runs("cat src/b.ts; touch ready")] },
    { name: "subagent", when: isSubagent, text: "looked" },
    { tools: [waits] },
    { tools: [runs("cat src/a.ts")] },
    { text: "done" },
  ], { options: ["--config", "model_auto_compact_token_limit=50000"] });
  const theirs = requests.filter(({ reply }) => reply === "subagent");
  const ours = requests.filter(({ reply }) => reply !== "subagent" && reply !== "compaction");
  assert.deepEqual(theirs.map(packets), [[], [], ["b"]]);
  assert.deepEqual(ours.map(packets), [[], ["a"], ["a"], ["a"]]);
});

test("Codex: a resumed session goes on, and a compaction replays nothing", async (t) => {
  const host = await open(t, "abc");
  await ask(host, "go", [{ tools: [runs("cat src/a.ts")] }, { text: "done" }]);
  const resumed = await ask(host, "more", [
    { tools: [runs("cat src/a.ts src/b.ts")], usage: { input: 90_000 } },
    { name: "compaction", when: { last: "COMPACTION" }, text: "All that was done." },
    { tools: [runs("cat src/b.ts src/c.ts")] },
    { text: "done" },
  ], { resume: true, options: ["--config", "model_auto_compact_token_limit=50000"] });
  assert.equal(resumed[1].reply, "compaction");
  assert.match(resumed[2].view.all, /All that was done\./);
  assert.doesNotMatch(resumed[2].view.all, /Fact of/);
  assert.deepEqual(resumed.map(packets), [["a"], ["a", "b"], [], ["bc"]]);
});

test("Codex: one reminder before it stops, and no loop", async (t) => {
  const host = await open(t, "ab");
  const requests = await ask(host, "go", [
    { tools: [edits("a", "a", "changed"), edits("b", "not in it", "changed")] },
    { text: "done" },
    { text: "done again" },
  ]);
  assert.deepEqual([host.read("src/a.ts"), host.read("src/b.ts")], ["changed\n", "b\n"]);
  assert.deepEqual(requests.map(reminders), [[], [], ["src/a"]], "a failed patch owes nothing");
  const later = await ask(host, "more", [{ text: "nothing to do" }], { resume: true });
  assert.deepEqual(later.map(reminders), [["src/a"]], "only the old one is there");
  const again = await ask(host, "more", [
    { tools: [runs("echo again > src/a.ts")] }, { text: "done" }, { text: "done again" },
  ], { resume: true });
  assert.deepEqual(again.map(reminders), [["src/a"], ["src/a"], ["src/a", "src/a"]]);
});

test("Codex: a command that failed owes nothing, though its file was changed a moment ago", async (t) => {
  const host = await open(t, "abc");
  const requests = await ask(host, "go", [
    { tools: [runs("sed -i s/none/x/ src/a.ts && false"), runs("grep none src/b.ts && sed -i s/b/x/ src/b.ts")] },
    { tools: [runs("sed -i s/c/x/ src/c.ts"), runs("sed -i s/x/y/ src/c.ts && false")] },
    { text: "done" },
    { text: "done again" },
  ]);
  assert.deepEqual(requests.map(reminders), [[], [], [], ["src/c"]]);
});

test("Codex: what is changed after the reminder is named when the agent stops again later", async (t) => {
  const host = await open(t, "ab");
  const requests = await ask(host, "go", [
    { tools: [edits("a", "a", "changed")] }, { text: "done" }, { tools: [edits("b", "b", "changed")] }, { text: "done again" },
  ]);
  assert.deepEqual(requests.map(reminders), [[], [], ["src/a"], ["src/a"]]);
  const later = await ask(host, "more", [{ text: "done" }, { text: "done again" }], { resume: true });
  assert.deepEqual(later.map(reminders), [["src/a"], ["src/a", "src/b"]]);
});

test("Codex: a packet that would be too long arrives whole, in its short form", async (t) => {
  const host = await open(t, "");
  const files = host.governMuch();
  const requests = await ask(host, "go", [{ tools: [runs(`cat ${files.join(" ")}`)] }, { text: "done" }]);
  const texts = requests[1].body.input.flatMap(({ content }) => content ?? []).map(({ text }) => text);
  checkMuch(texts.find((text) => text.startsWith("[canon]")));
});

test("Codex: a session that begins in a folder below the store", async (t) => {
  const host = await open(t, "ab");
  const requests = await ask(host, "go", [{ tools: [runs("cat a.ts")] }, { tools: [runs("cat src/b.ts", host.place.project)] }, { text: "done" }], { folder: "src" });
  assert.deepEqual(requests.map(packets), [[], ["a"], ["a", "b"]]);
});

test("Codex: without a store nothing is said and nothing is made", async (t) => {
  const host = await open(t, "");
  const requests = await ask(host, "go", [{ tools: [runs("mkdir src; echo 1 > src/a.ts")] }, { text: "done" }]);
  assert.doesNotMatch(requests[1].view.all, /\[canon\]/);
  assert.throws(() => host.read(".canon/.gitignore"), { code: "ENOENT" });
});
