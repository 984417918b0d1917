// Small questions about values that came from outside.

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** The text of whatever was thrown. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Cuts a text at a number of UTF-8 bytes, never inside a character. */
export function cutBytes(text: string, limit: number): { text: string; cut: boolean } {
  // Three bytes are the most that one UTF-16 unit can take.
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return { text, cut: false };
  const bytes = Buffer.from(text);
  let end = limit;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return { text: bytes.toString("utf8", 0, end), cut: true };
}

/** A copy of a tool's input that is small enough for a frame: long texts are cut, deep or wide parts are left out. */
export function bounded(value: unknown, textLimit: number): unknown {
  let budget = 150_000; // six bytes for each character, at worst, still fit a frame
  const walk = (part: unknown, depth: number): unknown => {
    if (budget <= 0 || depth > 8) return null;
    if (typeof part === "string") {
      const { text } = cutBytes(part, Math.min(textLimit, budget));
      budget -= text.length + 8;
      return text;
    }
    budget -= 8;
    if (Array.isArray(part)) return part.slice(0, 1000).map((element) => walk(element, depth + 1));
    if (isObject(part)) {
      const copy: Json = {};
      for (const [key, element] of Object.entries(part).slice(0, 200)) {
        if (budget <= 0) break;
        const { text: name } = cutBytes(key, 200);
        budget -= name.length + 8;
        copy[name] = walk(element, depth + 1);
      }
      return copy;
    }
    return typeof part === "number" || typeof part === "boolean" ? part : null;
  };
  return walk(value, 0);
}
