// The screen of /canon-settings: four rows, changed with the keyboard, each change saved at once.

import type { CommandContext, Component } from "./pi.ts";
import type { Session } from "./session.ts";
import { isObject, textOf, type Json } from "./values.ts";

const deadline = 5000;
const steps = [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3];

interface Row {
  key: "surface" | "resurface" | "retrieval" | "standout";
  about: string;
}

const rows: Row[] = [
  { key: "surface", about: "show the governing article's line when its asset is touched" },
  { key: "resurface", about: "show it again once it has left the model's context" },
  { key: "retrieval", about: "also rank articles that govern no asset" },
  { key: "standout", about: "how far a ranked article must stand out from the others" },
];

/** Asks for the value to be saved; the answer is an error text, or the settings as they are now. */
export type Save = (key: string, value: string) => Promise<string | Json>;

export class SettingsScreen implements Component {
  private selected = 0;
  /** The text being typed for an exact value, while there is one. */
  private typed: { text: string; cursor: number } | undefined;
  private problem = "";
  private saving = false;
  private settings: Json;
  private readonly save: Save;
  private readonly done: () => void;
  private readonly redraw: () => void;

  constructor(settings: Json, save: Save, done: () => void, redraw: () => void) {
    this.settings = settings;
    this.save = save;
    this.done = done;
    this.redraw = redraw;
  }

  invalidate(): void {
    // Nothing is kept between two drawings.
  }

  render(width: number): string[] {
    const lines = ["Canon settings", "Up and down choose, Enter changes, left and right step standout, Esc closes", ""];
    rows.forEach(({ key, about }, index) => {
      const mark = index === this.selected ? ">" : " ";
      lines.push(`${mark} ${key.padEnd(10)} ${this.shown(key).padEnd(14)} ${about}`);
    });
    if (this.typed) {
      const { text, cursor } = this.typed;
      lines.push("", `standout: ${text.slice(0, cursor)}|${text.slice(cursor)}`);
    }
    const told = [...this.decidedElsewhere(), this.problem.replace(/\s+/g, " ")].filter((text) => text !== "");
    const cut = Math.max(width, 1);
    return [...lines.map((line) => line.slice(0, cut)), ...told.flatMap((text) => ["", ...wrapped(text, cut)])];
  }

  /** What is saved here does not count where a file that comes later says something too. */
  private decidedElsewhere(): string[] {
    const { elsewhere } = this.settings;
    if (!isObject(elsewhere)) return [];
    return rows
      .filter(({ key }) => textOf(elsewhere[key]) !== "")
      .map(({ key }) => `${key} is decided by ${textOf(elsewhere[key])}, which wins over what is saved here.`);
  }

  handleInput(data: string): void {
    const key = keyName(data);
    if (this.typed) this.typing(this.typed, key, data);
    else this.choosing(key);
    this.redraw();
  }

  private choosing(key: string): void {
    const row = rows[this.selected]!;
    if (key === "up") this.selected = (this.selected + rows.length - 1) % rows.length;
    else if (key === "down") this.selected = (this.selected + 1) % rows.length;
    else if (key === "escape") this.done();
    else if (row.key === "standout") {
      if (this.unused) return;
      if (key === "enter") this.typed = { text: this.shown("standout"), cursor: this.shown("standout").length };
      else if (key === "left" || key === "right") this.change("standout", String(stepped(this.standout, key)));
    } else if (key === "enter") {
      if (row.key === "retrieval") this.change("retrieval", this.settings.retrieval === "none" ? "lexical" : "none");
      else this.change(row.key, this.settings[row.key] === false ? "on" : "off");
    }
  }

  private typing(typed: { text: string; cursor: number }, key: string, data: string): void {
    const { text, cursor } = typed;
    if (key === "escape") {
      this.typed = undefined;
      this.problem = "";
    } else if (key === "enter") this.change("standout", text.trim());
    else if (key === "left") typed.cursor = Math.max(0, cursor - 1);
    else if (key === "right") typed.cursor = Math.min(text.length, cursor + 1);
    else if (key === "backspace") {
      if (cursor > 0) this.typed = { text: text.slice(0, cursor - 1) + text.slice(cursor), cursor: cursor - 1 };
    } else if (/^[\x20-\x7e]+$/.test(data)) {
      this.typed = { text: text.slice(0, cursor) + data + text.slice(cursor), cursor: cursor + data.length };
    }
  }

  private change(key: string, value: string): void {
    if (this.saving) return;
    this.saving = true;
    void this.save(key, value).then((result) => {
      this.saving = false;
      if (typeof result === "string") this.problem = result;
      else {
        this.settings = result;
        this.problem = "";
        this.typed = undefined;
      }
      this.redraw();
    });
  }

  private get standout(): number {
    return typeof this.settings.standout === "number" ? this.settings.standout : 1.4;
  }

  private get unused(): boolean {
    return this.settings.retrieval === "none";
  }

  private shown(key: Row["key"]): string {
    if (key === "standout") return `${this.standout}${this.unused ? " (unused)" : ""}`;
    const value = this.settings[key];
    return typeof value === "boolean" ? (value ? "on" : "off") : textOf(value, "?");
  }
}

/** In lines of at most that many characters, parted at blanks where there are any. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(...(word.match(new RegExp(`.{1,${width}}`, "g")) ?? []));
  }
  return lines;
}

/** The next step in that direction; the ends hold. */
export function stepped(value: number, direction: "left" | "right"): number {
  if (direction === "right") return steps.find((step) => step > value) ?? Math.max(value, steps.at(-1)!);
  return steps.findLast((step) => step < value) ?? Math.min(value, steps[0]!);
}

/** Keys as terminals write them: plain, in application mode, and by the kitty keyboard protocol. */
export function keyName(data: string): string {
  const arrow = /^\x1b(?:O|\[(?:1;1(?::[12])?)?)([ABCD])$/.exec(data);
  if (arrow) return { A: "up", B: "down", C: "right", D: "left" }[arrow[1]!]!;
  const coded = /^\x1b\[(13|27|127)(?:;1(?::[12])?)?u$/.exec(data);
  if (data === "\r" || data === "\n" || coded?.[1] === "13") return "enter";
  if (data === "\x1b" || coded?.[1] === "27") return "escape";
  if (data === "\x7f" || data === "\b" || coded?.[1] === "127") return "backspace";
  return "";
}

/** Opens the screen and waits until it is closed. False where there is no terminal to draw on. */
export async function openSettingsScreen(session: Session, context: CommandContext): Promise<boolean> {
  const custom = context.ui.custom;
  if (context.mode !== "tui" || !custom) return false;
  const ask = async (fields: Json): Promise<string | Json> => {
    const reply = await session.request({ type: "canon", body: fields }, deadline);
    if (!reply) return "pi-resilient did not answer; nothing is known to have changed.";
    return reply.ok === true && isObject(reply.settings) ? { ...reply.settings, elsewhere: reply.elsewhere } : textOf(reply.message, "failed");
  };
  const settings = await ask({ action: "get" });
  if (typeof settings === "string") {
    session.say("error", settings);
    return true;
  }
  const save: Save = (key, value) => ask({ action: "set", key, value });
  await custom.call(context.ui, (screen, _theme, _keybindings, done: (result: undefined) => void) =>
    new SettingsScreen(settings, save, () => done(undefined), () => screen.requestRender?.()),
  );
  return true;
}
