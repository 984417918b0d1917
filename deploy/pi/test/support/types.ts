import type { CommandContext } from "../../src/pi.ts";

export type FakeContext = CommandContext & { signal?: AbortSignal };

export interface Command {
  description: string;
  handler(args: string, context: FakeContext): Promise<void>;
}
