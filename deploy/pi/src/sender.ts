// Sends a text to the model as if the user had typed it: only when Pi has nothing else to do, never twice.

import type { Session } from "./session.ts";
import { sharedState } from "./shared_state.ts";
import { errorText, isCount } from "./values.ts";

const rememberedTokens = 256;

export class Sender {
  /** How many texts were sent in this session. */
  count = 0;
  /** Pi has not settled yet and waits for a handler of agent_end: a text goes behind the attempt that ends. */
  afterAttempt = false;
  private readonly session: Session;

  constructor(session: Session) {
    this.session = session;
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
    if (context.hasPendingMessages() || (!context.isIdle() && !this.afterAttempt)) return "busy";
    try {
      if (this.afterAttempt) this.session.pi.sendUserMessage(text, { deliverAs: "followUp" });
      else this.session.pi.sendUserMessage(text);
    } catch (error) {
      return errorText(error);
    }
    this.afterAttempt = false;
    this.count++;
    if (token && sentTokens.push(token) > rememberedTokens) sentTokens.shift();
    return undefined;
  }
}
