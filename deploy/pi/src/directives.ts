// What pi-resilient tells us to do, as calls of Pi.

import type { Level } from "./pi.ts";
import type { Session } from "./session.ts";
import { applySet } from "./shared_state.ts";
import { describeTools } from "./tools.ts";
import { errorText, isCount, textOf, type Json } from "./values.ts";

/** Done, or why not. */
type Outcome = string | undefined;
/** The same, now or later. */
type Ending = Outcome | Promise<Outcome>;

interface Directive {
  /** The fields that must be texts. */
  texts: string[];
  /** The other side hears how it went, also when it went well. */
  reported?: boolean;
  apply(session: Session, fields: Json): Ending;
}

const levels: string[] = ["info", "warning", "error"] satisfies Level[];

const directives: Record<string, Directive> = {
  send: {
    texts: ["text", "token"],
    reported: true,
    apply: (session, { text, token, after }) => session.sender.sendWhenReady(textOf(text), textOf(token), after),
  },
  append: {
    texts: ["custom_type"],
    reported: true,
    apply: (session, { custom_type, data }) => void session.pi.appendEntry(textOf(custom_type), data ?? null),
  },
  status: { texts: ["text"], apply: (session, { text }) => session.status(textOf(text)) as undefined },
  notify: {
    texts: ["level", "text"],
    apply: (session, { level, text }) =>
      session.say(levels.includes(textOf(level)) ? (level as Level) : "info", textOf(text)) as undefined,
  },
  set: {
    texts: [],
    apply: (session, fields) => {
      const wrong = [applySet(fields), "tools" in fields ? describeTools(session, fields.tools) : undefined];
      return wrong.filter((one) => one !== undefined).join("; ") || undefined;
    },
  },
  steer: {
    texts: ["custom_type", "text"],
    apply: (session, fields) => {
      const later = fields.when === "next_prompt";
      if (!later && session.current?.isIdle()) return "no run to steer";
      session.pi.sendMessage(
        { customType: textOf(fields.custom_type), content: textOf(fields.text), display: fields.display === true },
        { deliverAs: later ? "nextTurn" : "steer" },
      );
      return undefined;
    },
  },
  release: { texts: [], apply: (session) => session.hold.release() as undefined },
  abort: { texts: [], apply: (session) => session.current?.abort() as undefined },
  shutdown: {
    texts: [],
    reported: true,
    apply: (session) => {
      session.hold.release();
      session.current?.shutdown();
      return session.unattended ? "this mode of Pi ends only by itself" : undefined;
    },
  },
  resync: { texts: [], apply: (session) => session.resync() as undefined },
  inert: { texts: ["message"], apply: (session, { message }) => session.becomeInert(textOf(message)) as undefined },
};

export function applyDirective(session: Session, fields: Json): void {
  const directive = directives[textOf(fields.type)];
  if (!session.current || (!directive && !isCount(fields.did))) return;
  const report = (outcome: Outcome): void => {
    if (!isCount(fields.did) || (outcome === undefined && !directive?.reported)) return;
    session.event({
      type: "directive_result",
      did: fields.did,
      ok: outcome === undefined,
      ...(outcome === undefined ? {} : { error: outcome }),
    });
  };
  const ending = directive ? apply(session, directive, fields) : `unknown directive ${textOf(fields.type).slice(0, 100)}`;
  if (ending instanceof Promise) void ending.then(report);
  else report(ending);
}

function apply(session: Session, directive: Directive, fields: Json): Ending {
  const missing = directive.texts.filter((name) => typeof fields[name] !== "string");
  if (missing.length) return `missing text: ${missing.join(", ")}`;
  try {
    return directive.apply(session, fields);
  } catch (error) {
    return errorText(error);
  }
}
