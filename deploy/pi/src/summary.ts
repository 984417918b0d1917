// Asks the current model for a summary of the branch. Credentials stay in Pi.

import { visibleText, type Block, type Context, type Entry, type Message, type Usage } from "./pi.ts";
import { cutBytes, errorText, isCount, textOf, type Json } from "./values.ts";

export interface Summary {
  stop: string;
  text: string;
  error?: string;
  usage?: Usage;
}

const textLimit = 524_288;
/** Of a tool's input or result so much is shown to the summariser. */
const toolTextLimit = 2000;
const defaultDeadline = 120_000;

/** `unwanted` fires when nobody wants the summary any more. */
export async function summarise(context: Context, wish: Json, unwanted: AbortSignal): Promise<Summary> {
  const registry = context.modelRegistry;
  if (!registry?.streamSimple || !context.model) return { stop: "error", text: "", error: "this Pi cannot ask its model from an extension" };
  const length = isCount(wish.deadline_ms) && wish.deadline_ms > 0 ? wish.deadline_ms : defaultDeadline;
  const late = AbortSignal.timeout(Math.min(length, 2_147_483_647));
  const signal = AbortSignal.any([late, unwanted, ...(context.signal ? [context.signal] : [])]);
  try {
    const text = `${textOf(wish.instruction)}\n\n<conversation>\n${history(context)}\n</conversation>`;
    const stream = registry.streamSimple(
      context.model,
      {
        systemPrompt: textOf(wish.system),
        messages: [{ role: "user", content: [{ type: "text", text }], timestamp: Date.now() }],
      },
      { signal, maxTokens: isCount(wish.max_tokens) && wish.max_tokens > 0 ? wish.max_tokens : 4096 },
    );
    const message = await orAborted(stream.result(), signal);
    const { text: summary, cut } = cutBytes(visibleText(message), textLimit);
    return {
      stop: cut ? "length" : (message.stopReason ?? ""),
      text: summary,
      ...(message.errorMessage ? { error: message.errorMessage.slice(0, 20_000) } : {}),
      ...(message.usage ? { usage: message.usage } : {}),
    };
  } catch (error) {
    const what = late.aborted ? `no summary came within ${length} ms` : errorText(error);
    return { stop: context.signal?.aborted || unwanted.aborted ? "aborted" : "error", text: "", error: what };
  }
}

/** A provider that does not notice the signal must not hold Pi. */
function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error("aborted"));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** What the model has seen, as text: without thinking, tools only by name, input and the beginning of their results. */
export function history(context: Context): string {
  const manager = context.sessionManager;
  const entries = manager.buildContextEntries?.() ?? manager.getBranch();
  return entries.map(entryText).filter((part) => part !== "").join("\n\n");
}

function entryText(entry: Entry): string {
  if (entry.type === "message") return messageText(entry.message);
  if (entry.type === "custom_message") return labelled("note", visibleText({ content: entry.content ?? "" }));
  if (entry.type === "compaction" || entry.type === "branch_summary") return labelled("summary", entry.summary ?? "");
  return "";
}

function messageText(message: Message | undefined): string {
  if (!message || message.role === "system") return "";
  const text = visibleText(message);
  if (message.role === "toolResult") return labelled(`result of ${message.toolName ?? "a tool"}`, shortened(text));
  const calls = Array.isArray(message.content) ? message.content.filter((block) => block?.type === "toolCall") : [];
  return [labelled(message.role ?? "message", text), ...calls.map(callText)].filter((part) => part !== "").join("\n");
}

function callText(call: Block): string {
  return labelled(`call of ${call.name ?? "a tool"}`, shortened(JSON.stringify(call.arguments ?? {})));
}

function labelled(label: string, text: string): string {
  return text.trim() === "" ? "" : `[${label}] ${text}`;
}

function shortened(text: string): string {
  const { text: start, cut } = cutBytes(text, toolTextLimit);
  return cut ? `${start} […]` : start;
}
