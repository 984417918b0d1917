#!/usr/bin/env node
// A model server that answers from a script, on 127.0.0.1. See README.md for the script.
//
//   node model-server.mjs REPLIES.json [--port N] [--log FILE]
//
// It prints its address once it listens, and ends on SIGTERM or SIGINT.
import { appendFileSync, readFileSync } from "node:fs";
import http from "node:http";
import { pathToFileURL } from "node:url";
import { gunzipSync, zstdDecompressSync } from "node:zlib";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const pattern = (text) => (text instanceof RegExp ? text : new RegExp(text, "s"));

// -- reading requests -----------------------------------------------------------------------------

/** The JSON body of a request, unpacked; { unparsable: text } when it is none. */
async function readBody(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const packed = Buffer.concat(parts);
  const unpack = { zstd: zstdDecompressSync, gzip: gunzipSync }[request.headers["content-encoding"]];
  let text = packed.toString("utf8");
  try {
    if (unpack) text = unpack(packed).toString("utf8");
    return JSON.parse(text);
  } catch {
    return { unparsable: text };
  }
}

/** The text in a message's content, whichever shape its dialect gives it. */
function textOf(content) {
  if (content == null) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((part) => textOf(part.text ?? part.content)).join("\n");
  return JSON.stringify(content);
}

function viewMessage(message) {
  if (/^(function|custom_tool)_call_output$/.test(message.type)) return { role: "tool", text: textOf(message.output) };
  if (/^(function|custom_tool)_call$/.test(message.type)) return { role: "assistant", text: "", toolCalls: [message.name] };
  return {
    role: message.role === "developer" ? "system" : message.role,
    text: textOf(message.content),
    toolCalls: message.tool_calls?.map((call) => call.function?.name),
  };
}

/**
 * The same view of a request in every dialect:
 * { model, system, conversation: [{role, text, toolCalls?}], last, tools: [name], all }.
 */
export function viewRequest(body) {
  const messages = [];
  if (body.instructions) messages.push({ role: "system", text: body.instructions });
  if (body.system) messages.push({ role: "system", text: textOf(body.system) });
  const sent = body.messages ?? (Array.isArray(body.input) ? body.input : []);
  messages.push(...sent.map(viewMessage));
  return {
    model: body.model,
    system: messages.filter((m) => m.role === "system").map((m) => m.text).join("\n"),
    conversation: messages.filter((m) => m.role !== "system"),
    last: messages.at(-1) ?? { role: "none", text: "" },
    tools: (body.tools ?? []).map((tool) => tool.function?.name ?? tool.name).filter(Boolean),
    all: messages.map((m) => `[${m.role}] ${m.text}`).join("\n"),
  };
}

function matches(when, view) {
  if (!when) return true;
  if (when.last && !pattern(when.last).test(view.last.text)) return false;
  if (when.lastRole && when.lastRole !== view.last.role) return false;
  if (when.system && !pattern(when.system).test(view.system)) return false;
  if (when.any && !pattern(when.any).test(view.all)) return false;
  if (when.noTools !== undefined && when.noTools !== (view.tools.length === 0)) return false;
  return true;
}

// -- writing replies ------------------------------------------------------------------------------

/** Cuts a text into at most `count` pieces, never inside a character. */
function pieces(text, count) {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / count));
  const cut = [];
  for (let i = 0; i < characters.length; i += size) cut.push(characters.slice(i, i + size).join(""));
  return cut;
}

/** "$NOW+60" becomes that moment in epoch seconds; "$ISO+60" inside a text becomes an ISO date. */
function fillInTimes(value) {
  if (typeof value === "string") {
    const now = /^\$NOW([+-]\d+)?$/.exec(value);
    if (now) return Math.floor(Date.now() / 1000) + Number(now[1] ?? 0);
    return value.replace(/\$ISO\+(\d+)/g, (_, s) => new Date(Date.now() + s * 1000).toISOString());
  }
  if (Array.isArray(value)) return value.map(fillInTimes);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillInTimes(inner)]));
  }
  return value;
}

const usageOf = (reply) => ({ input: 100, output: 20, ...reply.usage });
const namedEvent = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

// Each dialect turns a reply into server-sent events: `head` is the message, `tail` its proper end.

function chatCompletion(reply, model, id) {
  const base = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: Math.floor(Date.now() / 1000), model };
  const event = (fields) => `data: ${JSON.stringify({ ...base, ...fields })}\n\n`;
  const chunk = (delta, finish = null) => event({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const head = [chunk({ role: "assistant", content: "" })];
  if (reply.thinking) head.push(chunk({ reasoning_content: reply.thinking }));
  for (const content of pieces(reply.text ?? "", reply.chunks ?? 4)) head.push(chunk({ content }));
  (reply.tools ?? []).forEach((tool, index) => {
    const call = { index, id: tool.id ?? `call_${id}_${index}`, type: "function", function: { name: tool.name, arguments: "" } };
    head.push(chunk({ tool_calls: [call] }));
    for (const part of pieces(JSON.stringify(tool.args ?? {}), 2)) {
      head.push(chunk({ tool_calls: [{ index, function: { arguments: part } }] }));
    }
  });
  const { input, output } = usageOf(reply);
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const finish = reply.finish ?? (reply.tools?.length ? "tool_calls" : "stop");
  return { head, tail: [chunk({}, finish), event({ choices: [], usage }), "data: [DONE]\n\n"] };
}

function response(reply, model, id) {
  const shell = { id: `resp_${id}`, object: "response", model };
  const head = [namedEvent("response.created", { response: { ...shell, status: "in_progress", output: [] } })];
  const output = [];
  /** One output item: its opening form, the events in between, and its finished form. */
  const add = (opening, between, finished) => {
    const at = { output_index: output.length, item_id: opening.id };
    head.push(namedEvent("response.output_item.added", { output_index: at.output_index, item: opening }));
    for (const [type, data] of between) head.push(namedEvent(type, { ...at, ...data }));
    head.push(namedEvent("response.output_item.done", { output_index: at.output_index, item: finished }));
    output.push(finished);
  };
  if (reply.thinking) {
    const summary = [{ type: "summary_text", text: reply.thinking }];
    const item = { id: `rs_${id}`, type: "reasoning", summary: [] };
    add(item, [
      ["response.reasoning_summary_part.added", { summary_index: 0, part: { type: "summary_text", text: "" } }],
      ["response.reasoning_summary_text.delta", { summary_index: 0, delta: reply.thinking }],
    ], { ...item, summary });
  }
  if (reply.text) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    const item = { id: `msg_${id}`, type: "message", role: "assistant", status: "in_progress", content: [] };
    const deltas = pieces(reply.text, reply.chunks ?? 4).map((delta) => ["response.output_text.delta", { content_index: 0, delta }]);
    const opening = ["response.content_part.added", { content_index: 0, part: { ...content[0], text: "" } }];
    add(item, [opening, ...deltas], { ...item, status: "completed", content });
  }
  (reply.tools ?? []).forEach((tool, index) => {
    const call = { call_id: tool.id ?? `call_${id}_${index}`, name: tool.name, ...(tool.namespace && { namespace: tool.namespace }) };
    if (tool.input !== undefined) {
      const item = { id: `ctc_${id}_${index}`, type: "custom_tool_call", ...call };
      add({ ...item, input: "" }, [
        ["response.custom_tool_call_input.delta", { delta: tool.input }],
        ["response.custom_tool_call_input.done", { input: tool.input }],
      ], { ...item, input: tool.input, status: "completed" });
      return;
    }
    const args = JSON.stringify(tool.args ?? {});
    const item = { id: `fc_${id}_${index}`, type: "function_call", ...call, arguments: "" };
    add(item, [
      ["response.function_call_arguments.delta", { delta: args }],
      ["response.function_call_arguments.done", { arguments: args }],
    ], { ...item, arguments: args, status: "completed" });
  });
  const counted = usageOf(reply);
  const usage = {
    input_tokens: counted.input,
    output_tokens: counted.output,
    total_tokens: counted.input + counted.output,
    input_tokens_details: { cached_tokens: 0 },
  };
  return { head, tail: [namedEvent("response.completed", { response: { ...shell, status: "completed", output, usage } })] };
}

function anthropicMessage(reply, model, id) {
  const { input, output } = usageOf(reply);
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model, content: [], stop_reason: null, usage: { input_tokens: input, output_tokens: 0 } };
  const head = [namedEvent("message_start", { message })];
  let index = 0;
  const addBlock = (content_block, deltas) => {
    head.push(namedEvent("content_block_start", { index, content_block }));
    for (const delta of deltas) head.push(namedEvent("content_block_delta", { index, delta }));
    head.push(namedEvent("content_block_stop", { index }));
    index += 1;
  };
  if (reply.thinking) {
    addBlock({ type: "thinking", thinking: "", signature: "" }, [
      { type: "thinking_delta", thinking: reply.thinking },
      { type: "signature_delta", signature: "scripted" },
    ]);
  }
  if (reply.text) {
    addBlock({ type: "text", text: "" }, pieces(reply.text, reply.chunks ?? 4).map((text) => ({ type: "text_delta", text })));
  }
  (reply.tools ?? []).forEach((tool, n) => {
    const partial_json = JSON.stringify(tool.args ?? {});
    addBlock({ type: "tool_use", id: tool.id ?? `toolu_${id}_${n}`, name: tool.name, input: {} }, [{ type: "input_json_delta", partial_json }]);
  });
  const stop_reason = reply.finish ?? (reply.tools?.length ? "tool_use" : "end_turn");
  return { head, tail: [namedEvent("message_delta", { delta: { stop_reason }, usage: { output_tokens: output } }), namedEvent("message_stop", {})] };
}

function dialectOf(path) {
  if (path.includes("/chat/completions")) return chatCompletion;
  if (path.includes("/responses")) return response;
  return anthropicMessage;
}

/** What the log calls a reply that has no name: the kinds of thing in it. */
function describeReply(reply) {
  if (!reply) return "NONE";
  return reply.name ?? Object.keys(reply).filter((key) => !["left", "when", "repeat"].includes(key)).join("+");
}

// -- the server -----------------------------------------------------------------------------------

export class ModelServer {
  /**
   * @param replies the script, see README.md
   * @param options.onRequest called with the record of each request when it arrives
   */
  constructor(replies = [], { onRequest = () => {} } = {}) {
    this.replies = [];
    /** One record a request: { n, at, path, headers, body, view, reply, unmatched?, clientClosed? }. */
    this.requests = [];
    this.onRequest = onRequest;
    this.sockets = new Set();
    this.push(...replies);
  }

  /** Adds replies to the end of the script. */
  push(...replies) {
    for (const reply of replies) {
      this.replies.push({ ...reply, left: reply.repeat === "forever" ? Infinity : (reply.repeat ?? 1) });
    }
  }

  /** Listens on 127.0.0.1; port 0 takes any free one. Sets `port` and `url`. */
  async start(port = 0) {
    this.server = http.createServer((request, result) => {
      this.#serve(request, result).catch((error) => {
        console.error(`model server: ${error.stack}`);
        result.destroy();
      });
    });
    this.server.keepAliveTimeout = 1000;
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(port, "127.0.0.1", resolve);
    });
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
    return this;
  }

  /** Stops listening and drops every connection; `start(port)` brings the server back. */
  async stop() {
    if (!this.server) return;
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    this.server = undefined;
  }

  /** Waits until `count` requests have arrived. */
  async waitRequests(count, ms = 20_000) {
    const end = Date.now() + ms;
    while (this.requests.length < count) {
      if (Date.now() > end) throw new Error(`the model server saw ${this.requests.length} requests in ${ms} ms, wanted ${count}`);
      await sleep(20);
    }
    return this.requests[count - 1];
  }

  async #serve(request, result) {
    if (request.method === "GET") {
      result.writeHead(200, { "content-type": "application/json" });
      result.end(JSON.stringify({ object: "list", data: [{ id: "scripted-model", object: "model" }] }));
      return;
    }
    const body = await readBody(request);
    if (request.url.includes("/messages/count_tokens")) {
      result.writeHead(200, { "content-type": "application/json" });
      result.end(JSON.stringify({ input_tokens: Math.ceil(JSON.stringify(body).length / 4) }));
      return;
    }
    const view = viewRequest(body);
    const reply = this.replies.find((candidate) => candidate.left > 0 && matches(candidate.when, view));
    const record = { n: this.requests.length, at: Date.now(), path: request.url, headers: request.headers, body, view, reply: describeReply(reply) };
    this.requests.push(record);
    result.on("close", () => {
      if (!result.writableEnded) record.clientClosed = true;
    });
    if (!reply) record.unmatched = true;
    else reply.left -= 1;
    this.onRequest(record);
    if (!reply) {
      result.writeHead(418, { "content-type": "application/json" });
      result.end(JSON.stringify({ error: { message: "model server: no scripted reply left", type: "script_exhausted" } }));
      return;
    }
    await this.#answer(reply, record, request, result);
  }

  async #answer(reply, record, request, result) {
    if (reply.delayMs) await sleep(reply.delayMs);
    if (reply.drop) return request.socket.destroy();
    if (reply.hang) {
      if (reply.hang === true) return;
      await sleep(reply.hang);
      return request.socket.destroy();
    }
    if (reply.error) {
      const { status = 500, headers = {}, body = { error: { message: "scripted failure" } } } = reply.error;
      const isText = typeof body === "string";
      result.writeHead(status, { "content-type": isText ? "text/plain" : "application/json", ...fillInTimes(headers) });
      return result.end(isText ? body : JSON.stringify(fillInTimes(body)));
    }
    const { head, tail } = dialectOf(record.path)(reply, record.body.model, record.n);
    result.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...fillInTimes(reply.headers ?? {}) });
    for (const [sent, event] of head.entries()) {
      if (sent === reply.cutAfter) return result.destroy();
      if (sent === reply.stallAfter) return; // the stream stays open and silent
      result.write(event);
      if (reply.chunkDelayMs) await sleep(reply.chunkDelayMs);
      if (record.clientClosed) return;
    }
    if (reply.cut) {
      await sleep(20); // lets what was written reach the client first
      return result.destroy();
    }
    if (reply.streamError) result.write(`data: ${JSON.stringify(fillInTimes(reply.streamError))}\n\n`);
    else if (!reply.noFinish) for (const event of tail) result.write(event);
    result.end();
  }
}

// -- the program ----------------------------------------------------------------------------------

async function main(args) {
  const valueOf = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  if (!args[0] || args[0].startsWith("-")) {
    console.error("usage: model-server.mjs REPLIES.json [--port N] [--log FILE]");
    process.exit(64);
  }
  const script = JSON.parse(readFileSync(args[0], "utf8"));
  const log = valueOf("--log");
  const onRequest = ({ headers: _, ...record }) => {
    if (log) appendFileSync(log, `${JSON.stringify(record)}\n`);
  };
  const server = await new ModelServer(script.replies ?? script, { onRequest }).start(Number(valueOf("--port") ?? 0));
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(0));
  console.log(server.url);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
