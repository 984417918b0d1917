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

/** The text of one message, as long as it stays as it is. Normalised when something may be in it. */
interface Known {
  raw: string;
  text?: string | undefined;
  /** The last request that holds it. */
  request: number;
}

interface Wanted {
  text: string;
  /** The longest run of it without white space, which no normalising changes. */
  word: string;
}

/** How many characters are searched at most for one request, beyond which needles count as there: about 2 ms. */
const mostSearched = 4_194_304;

/**
 * The search over the requests of one session. A request repeats nearly all of the one before: what
 * was found in a message is there while the message stays as it is. What is looked for anew was shown
 * lately, so that the search begins at the end; its longest word is looked for first, since only a
 * message that holds it has to be normalised.
 */
export class NeedleSearch {
  private known: Known[] = [];
  private places = new Map<string, Known>();
  private wanted = new Map<string, Wanted>();
  private request = 0;
  private searched = 0;

  gone(messages: Message[], needles: Needle[]): string[] {
    this.request++;
    this.searched = 0;
    const texts: Known[] = [];
    for (const message of messages) {
      if (message?.role === "system") continue;
      const raw = searchedText(message);
      const before = this.known[texts.length];
      const one = before?.raw === raw ? before : { raw, request: 0 };
      one.request = this.request;
      texts.push(one);
    }
    this.known = texts;
    const [places, wanted] = [this.places, this.wanted];
    this.places = new Map();
    this.wanted = new Map();
    const has = (text: string) => {
      const one = wanted.get(text) ?? want(text);
      this.wanted.set(text, one);
      return this.has(one, places.get(one.text));
    };
    return needles.filter(({ id = "", tail }) => !has(tail) || !has(id)).map(({ key }) => key);
  }

  private has(wanted: Wanted, before: Known | undefined): boolean {
    if (this.places.has(wanted.text)) return true;
    const place = before?.request === this.request ? before : this.find(wanted);
    if (place) this.places.set(wanted.text, place);
    return place !== undefined || this.searched > mostSearched;
  }

  private find(wanted: Wanted): Known | undefined {
    return this.known.findLast((one) => {
      if (this.searched > mostSearched) return false;
      this.searched += one.raw.length;
      if (!one.raw.includes(wanted.word)) return false;
      one.text ??= normalise(one.raw);
      return one.text.includes(wanted.text);
    });
  }
}

function want(text: string): Wanted {
  const normal = normalise(text);
  const word = normal.split(" ").reduce((longest, one) => (one.length > longest.length ? one : longest), "");
  return { text: normal, word };
}
