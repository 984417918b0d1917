// Comparing what happened with what a scenario wants.

/** A text pattern: a RegExp, or its source, where `.` also stands for a line break. */
export const pattern = (text) => (text instanceof RegExp ? text : new RegExp(text, "s"));

/**
 * Whether `got` has everything that `want` names. Objects may have more keys than wanted; a string
 * like "/text/" is a pattern; anything else must be equal.
 */
export function contains(want, got) {
  if (want instanceof RegExp) return want.test(asText(got));
  if (typeof want === "string" && /^\/.+\/$/s.test(want)) return pattern(want.slice(1, -1)).test(asText(got));
  if (want && typeof want === "object") {
    return got != null && typeof got === "object" && Object.entries(want).every(([key, value]) => contains(value, got[key]));
  }
  return want === got;
}

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");

/** Whether a count is the wanted number, or lies in the wanted { min, max }. */
export function isWantedCount(count, want) {
  if (typeof want === "number") return count === want;
  return count >= (want.min ?? 0) && count <= (want.max ?? Infinity);
}
