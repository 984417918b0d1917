// The end of a turn, and the moment before Pi settles: where entries can be added to the conversation.

import { toolCallCount, visibleText, type Context, type Draft, type PiEvent, type Usage } from "./pi.ts";
import type { Session } from "./session.ts";
import { sharedState } from "./shared_state.ts";
import { summarise, type Summary } from "./summary.ts";
import { usageOf } from "./tally.ts";
import { cutBytes, isObject, textOf, type Json } from "./values.ts";

const deadline = 2000;
const textLimit = 524_288;
const longestTimer = 2_147_483_647;

export interface BoundaryAnswer {
  entries?: unknown[];
  continue?: boolean;
}

export async function turnEnded(session: Session, event: PiEvent, context: Context): Promise<BoundaryAnswer | undefined> {
  const message = event.message;
  session.tally.turn(message);
  if (message?.role !== "assistant") return undefined;
  const usage = usageOf(message);
  const stop = message.stopReason ?? "";
  const error = message.errorMessage === undefined ? {} : { error: message.errorMessage.slice(0, 20_000) };
  // Behind an abort nothing can be added any more.
  if (!sharedState().set.askTurn || context.signal?.aborted) {
    session.event({ type: "turn_end", stop, ...error, tool_calls: toolCallCount(message), usage });
    return undefined;
  }
  const { text, cut } = cutBytes(visibleText(message), textLimit);
  const frame = {
    type: "turn",
    stop,
    ...error,
    text,
    text_truncated: cut,
    has_tool_calls: toolCallCount(message) > 0,
    pending: context.hasPendingMessages(),
    continuing: event.continue === true,
    usage,
  };
  const reply = await session.request(frame, deadline, context.signal);
  if (!reply) return undefined;
  if (!isObject(reply.summarise)) return answer(event, reply, undefined);
  const re = reply.re as number;
  // The wait begins before the summary, so that no answer can overtake it. One that comes while the
  // summary is still being made says that it is not wanted any more.
  const late = new AbortController();
  const second = session.secondReply(re, longestTimer, anyOf(context.signal, late.signal));
  const unwanted = new AbortController();
  void second.then(() => unwanted.abort());
  const summary = await summarise(context, reply.summarise, unwanted.signal);
  session.event({ type: "summary", re, stop: summary.stop, text: summary.text, ...(summary.error ? { error: summary.error } : {}) });
  const timer = setTimeout(() => late.abort(), deadline);
  const last = await second;
  clearTimeout(timer);
  return last ? answer(event, last, summary) : undefined;
}

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

export async function beforeSettle(session: Session, event: PiEvent, context: Context): Promise<BoundaryAnswer | undefined> {
  if (!sharedState().set.askTurn) return undefined;
  const frame = { type: "before_settle", outcome: event.outcome ?? "", pending: context.hasPendingMessages() };
  const reply = await session.request(frame, deadline, context.signal);
  return reply ? answer(event, reply, undefined) : undefined;
}

/** Our drafts go behind those that other extensions have proposed; nothing where this Pi takes none. */
function answer(event: PiEvent, reply: Json, summary: Summary | undefined): BoundaryAnswer | undefined {
  if (!Array.isArray(event.entries)) return undefined;
  const drafts = Array.isArray(reply.entries) ? reply.entries.map((entry) => draft(entry, summary?.usage)) : [];
  // Half of what was meant to go together is worse than none of it.
  if (drafts.includes(undefined)) return undefined;
  const goOn = reply.continue === true;
  if (!drafts.length && !goOn) return undefined;
  return { entries: [...event.entries, ...drafts], ...(goOn ? { continue: true } : {}) };
}

function draft(entry: unknown, usage: Usage | undefined): Draft | undefined {
  if (!isObject(entry)) return undefined;
  if (entry.kind === "custom_message" && typeof entry.custom_type === "string" && typeof entry.content === "string") {
    return { type: "custom_message", customType: entry.custom_type, content: entry.content, display: entry.display !== false };
  }
  if (entry.kind === "custom" && typeof entry.custom_type === "string") {
    return { type: "custom", customType: entry.custom_type, data: entry.data ?? null };
  }
  if (entry.kind === "compaction" && textOf(entry.summary).trim() !== "") {
    return {
      type: "compaction",
      summary: textOf(entry.summary),
      firstKeptEntryId: null,
      ...("details" in entry ? { details: entry.details } : {}),
      ...(usage ? { usage } : {}),
    };
  }
  return undefined;
}
