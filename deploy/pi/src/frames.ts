// Frames as bytes: one JSON object a line, within the size that both sides agreed on.

import { isObject, type Json } from "./values.ts";

export const protocolVersion = 1;
/** The most bytes of a line, its `\n` included. */
export const lineLimit = 1_048_576;
/** So many lines that are no JSON object end a connection. */
export const garbageLimit = 10;

/** A frame of ours without `v`, which `encode` adds. */
export type Frame = Json & { type: string };

/** The half of a character, as JSON.stringify writes it; an escaped backslash in front of it is passed over. */
const halfCharacter = /(\\\\)|\\ud[89a-f][0-9a-f]{2}/g;

/**
 * The line for a frame, or nothing when it would be longer than a line may be. Half characters, which a model or a person
 * may write, are no UTF-8: each becomes a replacement character.
 */
export function encode(frame: Frame): Buffer | undefined {
  const text = JSON.stringify({ v: protocolVersion, ...frame });
  const line = Buffer.from(`${text.includes("\\ud") ? text.replace(halfCharacter, (_, escaped) => escaped ?? "\ufffd") : text}\n`);
  return line.length <= lineLimit ? line : undefined;
}

export interface LineEvents {
  frame(frame: Json): void;
  /** The connection is of no use any more; nothing is read after this. */
  broken(why: string): void;
}

/** Cuts a stream of bytes into frames. Never throws, never keeps more than one line. */
export class LineReader {
  private parts: Buffer[] = [];
  private size = 0;
  private garbage = 0;
  private ended = false;
  private readonly events: LineEvents;

  constructor(events: LineEvents) {
    this.events = events;
  }

  push(bytes: Buffer): void {
    let from = 0;
    while (!this.ended && from < bytes.length) {
      const end = bytes.indexOf(10, from);
      const part = bytes.subarray(from, end < 0 ? bytes.length : end);
      this.size += part.length;
      if (this.size + 1 > lineLimit) {
        this.end(`a line was longer than ${lineLimit} bytes`);
        return;
      }
      this.parts.push(part);
      if (end < 0) return;
      from = end + 1;
      this.line(this.take());
    }
  }

  private take(): string {
    const line = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    return line.toString("utf8");
  }

  private line(raw: string): void {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (line.trim() === "") return;
    let frame: unknown;
    try {
      frame = JSON.parse(line);
    } catch {
      frame = undefined;
    }
    if (isObject(frame)) this.events.frame(frame);
    else if (++this.garbage >= garbageLimit) this.end(`${garbageLimit} lines were no JSON objects`);
  }

  private end(why: string): void {
    this.ended = true;
    this.parts = [];
    this.events.broken(why);
  }
}
