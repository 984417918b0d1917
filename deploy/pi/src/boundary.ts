// The end of a run: the one place where pi-resilient may make Pi go on.

import type { PiEvent } from "./pi.ts";
import type { Session } from "./session.ts";
import { isCount, isObject, textOf, type Json } from "./values.ts";

const deadline = 2000;

/** Pi has settled. */
export function settled(session: Session, event: PiEvent): Promise<void> | undefined {
  session.sender.runSeen();
  if ("aborted" in event) session.settledAborted = true;
  if (asksAtAttemptEnd(session)) return undefined;
  const done = boundary(session, "settled", event.aborted === true);
  // Where Pi goes on living nothing waits for the answer, so that the user's next input is free.
  return session.unattended ? done : undefined;
}

/** An attempt has ended: Pi may still retry by itself, or settle. */
export async function attemptEnded(session: Session, event: PiEvent): Promise<void> {
  session.tally.message(event.messages?.findLast((message) => message.role === "assistant"));
  if (!asksAtAttemptEnd(session)) return;
  session.sender.afterAttempt = true;
  try {
    await boundary(session, "agent_end", false);
  } finally {
    session.sender.afterAttempt = false;
  }
}

/** Such a Pi ends as soon as it has settled, whatever is sent then. */
function asksAtAttemptEnd(session: Session): boolean {
  return session.unattended && !session.boundary;
}

async function boundary(session: Session, at: "settled" | "agent_end", aborted: boolean): Promise<void> {
  const context = session.current;
  if (!context) return;
  session.openBoundaries++;
  try {
    const frame = {
      type: "boundary",
      at,
      ...session.tally.take(aborted),
      idle: context.isIdle(),
      pending: context.hasPendingMessages(),
      ...(context.model?.provider ? { provider: context.model.provider } : {}),
    };
    // The end of an aborted run is told too.
    const signal = context.signal?.aborted ? undefined : context.signal;
    const reply = await session.request(frame, deadline, signal);
    if (reply) await act(session, reply);
  } finally {
    session.openBoundaries--;
  }
}

async function act(session: Session, reply: Json): Promise<void> {
  if (isObject(reply.send)) {
    const token = textOf(reply.send.token);
    const failed = session.sender.send(textOf(reply.send.text), token, reply.send.after);
    session.event({
      type: "directive_result",
      token,
      ok: failed === undefined,
      ...(failed === undefined ? {} : { error: failed }),
    });
  } else if (isCount(reply.hold_ms) && session.unattended) {
    await session.hold.wait(reply.hold_ms);
  }
}
