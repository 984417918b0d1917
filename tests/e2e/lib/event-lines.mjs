import { existsSync } from "node:fs";
import { join } from "node:path";
import { readJsonLines } from "./sandbox.mjs";

/** What the extension facts/extensions/report-events.ts has written in this run. */
export function eventLines(run) {
  const file = join(run.sandbox.dir, "events.jsonl");
  return existsSync(file) ? readJsonLines(file) : [];
}
