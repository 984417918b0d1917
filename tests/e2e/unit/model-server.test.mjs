// The model server, by itself.
import assert from "node:assert/strict";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { zstdCompressSync } from "node:zlib";
import { ModelServer } from "../../../deploy/model-server/model-server.mjs";

const open = [];
after(() => Promise.all(open.map((server) => server.stop())));

async function serve(...replies) {
  const server = await new ModelServer(replies).start();
  open.push(server);
  return server;
}

const ask = (server, text = "hi", path = "/v1/chat/completions") =>
  fetch(server.url + path, { method: "POST", body: JSON.stringify({ model: "m", messages: [{ role: "user", content: text }] }) });
const dataOf = (stream) => [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json));

test("a chat completion streams its text, its tool calls and its usage", async () => {
  const server = await serve({ text: "héllo 🌍 wörld", tools: [{ name: "read", args: { path: "a" } }], usage: { input: 7 } });
  const stream = await (await ask(server)).text();
  const chunks = dataOf(stream);
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta));
  assert.equal(deltas.map((delta) => delta.content ?? "").join(""), "héllo 🌍 wörld");
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
  assert.equal(calls[0].function.name, "read");
  assert.equal(calls.map((call) => call.function.arguments).join(""), '{"path":"a"}');
  assert.equal(chunks.at(-1).usage.prompt_tokens, 7);
  assert.match(stream, /data: \[DONE\]\n\n$/);
});

test("the path chooses the dialect", async () => {
  const server = await serve({ text: "a" }, { text: "a" });
  assert.match(await (await ask(server, "hi", "/codex/responses")).text(), /event: response\.completed/);
  assert.match(await (await ask(server, "hi", "/v1/messages")).text(), /event: message_stop/);
});

test("the responses dialect calls tools in a namespace and custom tools, and shows their output", async () => {
  const server = await serve({ tools: [{ namespace: "space", name: "named", args: { a: 1 } }, { name: "custom", input: "some text" }] }, { text: "done" });
  const events = dataOf(await (await ask(server, "hi", "/v1/responses")).text());
  const items = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  assert.deepEqual(items.map(({ type, namespace, name, arguments: args, input }) => [type, namespace, name, args ?? input]), [
    ["function_call", "space", "named", '{"a":1}'],
    ["custom_tool_call", undefined, "custom", "some text"],
  ]);
  assert.deepEqual(events.at(-1).response.output, items);
  const input = [...items, { type: "custom_tool_call_output", call_id: "call_0_1", output: "what it said" }];
  await fetch(`${server.url}/v1/responses`, { method: "POST", body: JSON.stringify({ model: "m", input }) });
  assert.deepEqual(server.requests[1].view.conversation.map(({ role, text, toolCalls }) => [role, text, toolCalls]), [
    ["assistant", "", ["named"]], ["assistant", "", ["custom"]], ["tool", "what it said", undefined],
  ]);
});

test("counting tokens uses no reply and is no request of the model", async () => {
  const server = await serve({ text: "a" });
  const counts = [];
  for (const text of ["x", "x".repeat(401)]) counts.push((await (await ask(server, text, "/v1/messages/count_tokens?beta=true")).json()).input_tokens);
  assert.equal(counts[1] - counts[0], 100);
  assert.deepEqual(server.requests, []);
  assert.match(await (await ask(server, "hi", "/v1/messages?beta=true")).text(), /event: message_stop/);
});

test("each request takes the first unused reply that fits", async () => {
  const server = await serve({ when: { last: "^two" }, text: "for two" }, { text: "once" }, { text: "twice", repeat: 2 });
  const replies = [];
  for (const text of ["one", "two", "three", "four", "five"]) replies.push((await ask(server, text)).status);
  assert.deepEqual(replies, [200, 200, 200, 200, 418]);
  assert.deepEqual(server.requests.map(({ reply, unmatched = false }) => [reply, unmatched]), [
    ["text", false], ["text", false], ["text", false], ["text", false], ["NONE", true],
  ]);
  assert.equal(server.requests[1].view.last.text, "two");
  assert.ok(server.requests[1].at >= server.requests[0].at);
});

test("an error has its status, headers, body and times", async () => {
  const server = await serve({ error: { status: 429, headers: { "retry-after": "9" }, body: { resets_at: "$NOW+60", text: "at $ISO+60" } } });
  const answer = await ask(server);
  assert.equal(answer.status, 429);
  assert.equal(answer.headers.get("retry-after"), "9");
  const { resets_at, text } = await answer.json();
  assert.ok(Math.abs(resets_at - Date.now() / 1000 - 60) < 5);
  assert.match(text, /^at \d{4}-\d\d-\d\dT/);
});

test("a connection may be dropped, a stream torn, or left without its end", async () => {
  const server = await serve({ drop: true }, { text: "some text", cut: true }, { text: "abcd", cutAfter: 2 }, { text: "some text", noFinish: true });
  await assert.rejects(ask(server));
  await assert.rejects(async () => (await ask(server)).text());
  await assert.rejects(async () => (await ask(server)).text());
  assert.doesNotMatch(await (await ask(server)).text(), /finish_reason":"stop"/);
});

test("a stalled stream stays open and silent, and the record says when the client leaves", async () => {
  const server = await serve({ text: "abcd", stallAfter: 2 });
  const leave = new AbortController();
  const answer = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: "{}", signal: leave.signal });
  const reader = answer.body.getReader();
  assert.equal((await reader.read()).done, false);
  const more = await Promise.race([reader.read().then(({ value }) => String(value)), new Promise((resolve) => setTimeout(resolve, 200, "silent"))]);
  assert.ok(more === "silent" || !more.includes("stop"));
  leave.abort();
  while (!server.requests[0].clientClosed) await new Promise((resolve) => setTimeout(resolve, 10));
});

test("it can go away and come back on the same port", async () => {
  const server = await serve({ text: "a" });
  const { port } = server;
  await server.stop();
  await assert.rejects(ask(server));
  await server.start(port);
  assert.equal((await ask(server)).status, 200);
});

test("a compressed body is read", async () => {
  const server = await serve({ when: { last: "packed" }, text: "a" });
  const body = zstdCompressSync(Buffer.from(JSON.stringify({ input: [{ role: "user", content: "packed" }] })));
  const answer = await fetch(`${server.url}/responses`, { method: "POST", body, headers: { "content-encoding": "zstd" } });
  assert.equal(answer.status, 200);
});

test("the program serves a file and logs requests without their headers", async () => {
  const folder = mkdtempSync(join(tmpdir(), "model-server-"));
  const [script, log] = ["replies.json", "requests.jsonl"].map((name) => join(folder, name));
  writeFileSync(script, JSON.stringify({ replies: [{ text: "hello", name: "greeting" }] }));
  const file = fileURLToPath(new URL("../../../deploy/model-server/model-server.mjs", import.meta.url));
  const program = spawn(process.execPath, [file, script, "--log", log], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(program.stdout, "data");
  const url = String(line).trim();
  await (await fetch(`${url}/v1/chat/completions`, { method: "POST", body: "{}", headers: { authorization: "Bearer secret" } })).text();
  program.kill("SIGTERM");
  const [code] = await once(program, "exit");
  const logged = readFileSync(log, "utf8");
  rmSync(folder, { recursive: true });
  assert.equal(code, 0);
  assert.equal(JSON.parse(logged).reply, "greeting");
  assert.doesNotMatch(logged, /secret/);
});
