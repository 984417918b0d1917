// What happens in Pi, told to pi-resilient.

import { attemptEnded, settled } from "./boundary.ts";
import { entriesOf, sessionOf } from "./hello.ts";
import { NeedleSearch } from "./needles.ts";
import type { Context, PiEvent } from "./pi.ts";
import type { Session } from "./session.ts";
import { sharedState } from "./shared_state.ts";
import { beforeSettle, turnEnded } from "./turn.ts";
import { bounded, cutBytes, textOf } from "./values.ts";

const switchDeadline = 2000;
const textLimit = 4096;
/** A patch names its later files far behind its beginning. */
const patchLimit = 65_536;
/** Below what is left out to fit a frame. */
const longTouch = 120_000;
const reportedHeaders = /^(?:retry-after.*|x-ratelimit-.*|x-codex-.*|anthropic-ratelimit-.*|cf-ray)$/;

/** What a tool was called with, within what a frame may hold. */
function touched(input: unknown): unknown {
  const whole = bounded(input, patchLimit);
  return JSON.stringify(whole).length <= longTouch ? whole : bounded(input, textLimit);
}

type Handler = (session: Session, event: PiEvent, context: Context) => unknown;

const handlers: Record<string, Handler> = {
  agent_start: (session) => {
    session.sender.runSeen();
    session.event({ type: "agent_start" });
  },
  turn_end: turnEnded,
  message_end: (session, event) => session.tally.message(event.message),
  agent_end: attemptEnded,
  agent_before_settle: beforeSettle,
  agent_settled: settled,
  input: (session, event) => {
    const source = event.source === "interactive" ? "user" : (event.source ?? "user");
    const words = sharedState().set.touch && source !== "extension" ? { text: cutBytes(event.text ?? "", textLimit).text } : {};
    session.event({ type: "input", source, streaming: event.streamingBehavior !== undefined, ...words });
  },
  before_agent_start: (_session, event) => {
    const { systemAppend } = sharedState().set;
    return systemAppend && event.systemPrompt !== undefined ? { systemPrompt: `${event.systemPrompt}\n\n${systemAppend}` } : undefined;
  },
  tool_call: (session, event) => {
    const { gate, touch } = sharedState().set;
    if (gate) return { block: true, reason: gate };
    if (touch) session.event({ type: "touch", ...call(event), input: touched(event.input ?? {}) });
    return undefined;
  },
  tool_execution_end: (session, event) => {
    if (sharedState().set.touch) session.event({ type: "tool_end", ...call(event), is_error: event.isError === true });
  },
  after_provider_response: (session, event) => {
    const status = event.status ?? 0;
    // A good one is told only because it takes back the bad one before it.
    if (status < 400 && !session.responseFailed) return;
    session.responseFailed = status >= 400;
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(event.headers ?? {})) {
      const lower = name.toLowerCase();
      if (reportedHeaders.test(lower)) headers[lower] = String(value).slice(0, 1000);
    }
    session.event({ type: "provider_response", status, headers });
  },
  session_tree: (session, _event, context) =>
    void session.event({ type: "branch", session: sessionOf(context), entries: entriesOf(context) }),
  session_compact: (session, event) => void session.event({ type: "compact", reason: event.reason ?? "", failed: false }),
  session_compact_failed: (session, event) => void session.event({ type: "compact", reason: event.reason ?? "", failed: true }),
  session_before_switch: (session, event) => switched(session, event.reason === "new" ? "new" : "resume", event.targetSessionFile),
  session_before_fork: (session) => switched(session, "fork", undefined),
  session_start: (session, event, context) => session.start(event, context),
  resources_discover: (session) => session.discovered(),
  session_shutdown: (session, event, context) => session.shutdown(event, context),
};

export function registerEvents(session: Session): void {
  const search = new NeedleSearch();
  const all: Record<string, Handler> = {
    ...handlers,
    context: (_session, event) => {
      const { needles } = sharedState().set;
      if (needles.length) session.event({ type: "context", gone: search.gone(event.messages ?? [], needles) });
    },
  };
  for (const [name, handler] of Object.entries(all)) {
    const unsubscribe = session.pi.on(name, (event, context) => {
      if (!session.live(context)) return undefined;
      return handler(session, event, context);
    });
    // Subscriptions that can be taken back came with the drafts at boundaries.
    if (name === "agent_before_settle") session.boundary = typeof unsubscribe === "function";
  }
}

function call(event: PiEvent): { tool: string; call_id: string } {
  return { tool: event.toolName ?? "", call_id: event.toolCallId ?? "" };
}

async function switched(session: Session, reason: "new" | "resume" | "fork", target: string | undefined): Promise<unknown> {
  const reply = await session.request({ type: "switch", reason, ...(target ? { target_file: target } : {}) }, switchDeadline);
  const message = textOf(reply?.message);
  if (message) session.say("warning", message);
  return reply?.cancel === true ? { cancel: true } : undefined;
}
