// Which of the lines that pi-resilient looks for are still in what the model gets to see.

import type { Block, Message } from "./pi.ts";
import { isObject } from "./values.ts";

export interface Needle {
  key: string;
  /** Must be in the request too, in any message. */
  id?: string | undefined;
  tail: string;
}

const space = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
/** White space that normalising changes: all but a single plain space between other characters. */
const changes = new RegExp(`[${space.replace(" ", "")}]| {2}`);
const runs = new RegExp(`[${space}]+`, "g");

/** Each run of white space becomes one space; none is left at the ends. */
export function normalise(text: string): string {
  const folded = changes.test(text) ? text.replace(runs, " ") : text;
  return folded.startsWith(" ") || folded.endsWith(" ") ? folded.replace(/^ | $/g, "") : folded;
}

/** The text of a message in which needles are looked for. */
export function searchedText(message: Message): string {
  const parts: string[] = [];
  const content = message.content;
  if (typeof content === "string") parts.push(content);
  else if (Array.isArray(content)) for (const block of content) blockTexts(block, parts);
  for (const other of [message.summary, message.command, message.output]) {
    if (typeof other === "string") parts.push(other);
  }
  return parts.join("\n");
}

function blockTexts(block: Block, parts: string[]): void {
  if (block?.type === "text" && typeof block.text === "string") parts.push(block.text);
  else if (block?.type === "toolCall") inner(block.arguments, parts, 0);
}

function inner(value: unknown, parts: string[], depth: number): void {
  if (typeof value === "string") parts.push(value);
  else if (depth > 16) return;
  else if (Array.isArray(value)) for (const element of value) inner(element, parts, depth + 1);
  else if (isObject(value)) for (const element of Object.values(value)) inner(element, parts, depth + 1);
}

/** Keys of the needles that are in no message. */
export function goneNeedles(messages: Message[], needles: Needle[]): string[] {
  return new NeedleSearch().gone(messages, needles);
}

interface Known {
  raw: string;
  text: string;
}

/**
 * The search over the requests of one session. A request repeats nearly all of the one before, so
 * the normalised text of a message is kept while the message stays as it is, and a text is looked
 * for first in the message that had it last.
 */
export class NeedleSearch {
  private known: Known[] = [];
  private places = new Map<string, number>();

  gone(messages: Message[], needles: Needle[]): string[] {
    const texts: Known[] = [];
    for (const message of messages) {
      if (message?.role === "system") continue;
      const raw = searchedText(message);
      const before = this.known[texts.length];
      texts.push(before?.raw === raw ? before : { raw, text: normalise(raw) });
    }
    this.known = texts;
    const before = this.places;
    this.places = new Map();
    return needles.filter(({ id = "", tail }) => !this.has(tail, before) || !this.has(id, before)).map(({ key }) => key);
  }

  private has(text: string, before: Map<string, number>): boolean {
    const wanted = normalise(text);
    if (this.places.has(wanted)) return true;
    const last = before.get(wanted);
    // What is looked for anew was shown lately.
    const place =
      last !== undefined && this.known[last]?.text.includes(wanted) ? last : this.known.findLastIndex((one) => one.text.includes(wanted));
    if (place < 0) return false;
    this.places.set(wanted, place);
    return true;
  }
}
