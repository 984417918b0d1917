// Sends a text to the model as if the user had typed it: only when Pi has nothing else to do, never twice.

import type { Session } from "./session.ts";
import { sharedState } from "./shared_state.ts";
import { errorText, isCount } from "./values.ts";

const rememberedTokens = 256;
/** By then a run has started, or something has kept the text from Pi. */
const startOfRun = 2000;

export class Sender {
  /** How many texts were sent in this session. */
  count = 0;
  /** Pi has not settled yet and waits for a handler of agent_end: a text goes behind the attempt that ends. */
  afterAttempt = false;
  /** Not before every extension knows the session: what they bring would be missing in the run. */
  private ready = false;
  private waiting: (() => void)[] = [];
  /** Pi calls itself idle until the run that a text begins has started: a second one would run beside it. */
  private underWayUntil = 0;
  private readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  /** The run has started, or is over: from now on Pi says whether it is busy. */
  runSeen(): void {
    this.underWayUntil = 0;
    this.becomeReady();
  }

  /** Every extension has been told of the session. */
  becomeReady(): void {
    this.ready = true;
    for (const send of this.waiting.splice(0)) send();
  }

  /** Like `send`, as soon as the session is ready for it. */
  sendWhenReady(text: string, token: string, after: unknown): Promise<string | undefined> | string | undefined {
    if (this.ready) return this.send(text, token, after);
    return new Promise((resolve) => this.waiting.push(() => resolve(this.send(text, token, after))));
  }

  /**
   * Nothing when it was sent, or had been sent before; else why not. `after` is the last command on the goal
   * that the other side had carried out when it wanted this.
   */
  send(text: string, token: string, after: unknown): string | undefined {
    const context = this.session.current;
    if (!context) return "no session";
    const { sentTokens } = sharedState();
    if (token && sentTokens.includes(token)) return undefined;
    if (isCount(after) && after < this.session.lastGoalCommand) return "a command came in between";
    const busy = !context.isIdle() || Date.now() < this.underWayUntil;
    if (context.hasPendingMessages() || (busy && !this.afterAttempt)) return "busy";
    try {
      if (this.afterAttempt) this.session.pi.sendUserMessage(text, { deliverAs: "followUp" });
      else this.session.pi.sendUserMessage(text);
    } catch (error) {
      return errorText(error);
    }
    if (!this.afterAttempt) this.underWayUntil = Date.now() + startOfRun;
    this.afterAttempt = false;
    this.session.hold.release();
    this.count++;
    if (token && sentTokens.push(token) > rememberedTokens) sentTokens.shift();
    return undefined;
  }
}
