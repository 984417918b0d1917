// What happened since the last boundary.

import { toolCallCount, type Message } from "./pi.ts";
import type { Json } from "./values.ts";

export class Tally {
  private stop = "";
  private error: string | undefined;
  private toolCalls = 0;
  private turns = 0;
  private usage = { input: 0, output: 0, cost: 0 };
  private failed = false;
  private escape = false;

  /** An assistant message is complete. Pi may add one behind the last turn. */
  message(message: Message | undefined): void {
    if (message?.role !== "assistant") return;
    this.stop = message.stopReason ?? "";
    this.error = message.errorMessage;
  }

  turn(message: Message | undefined): void {
    if (message?.role !== "assistant") return;
    this.message(message);
    this.turns++;
    this.toolCalls += toolCallCount(message);
    const usage = usageOf(message);
    this.usage.input += usage.input;
    this.usage.output += usage.output;
    this.usage.cost += usage.cost;
    this.failed = message.stopReason === "error";
    this.escape = false;
  }

  /** An Escape counts as an abort only while an error may be retried: otherwise Pi reports the abort itself. */
  escapeKey(): void {
    if (this.failed) this.escape = true;
  }

  /** The fields of a boundary; counting starts anew. */
  take(aborted: boolean): Json {
    const fields = {
      stop: this.stop,
      ...(this.error !== undefined ? { error: this.error.slice(0, 20_000) } : {}),
      aborted: aborted || this.stop === "aborted",
      escape: this.escape,
      tool_calls: this.toolCalls,
      turns: this.turns,
      usage: this.usage,
    };
    Object.assign(this, new Tally());
    return fields;
  }
}

export function usageOf(message: Message | undefined): { input: number; output: number; cost: number } {
  const usage = message?.usage;
  return { input: count(usage?.input), output: count(usage?.output), cost: amount(usage?.cost?.total) };
}

const amount = (value: unknown) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0);
const count = (value: unknown) => Math.round(amount(value));
