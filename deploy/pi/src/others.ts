// Finds extensions beside ours that do the same work.

import { realpathSync } from "node:fs";
import { basename } from "node:path";
import type { Pi, SourceInfo } from "./pi.ts";

const commands = ["goal", "resilient-stop", "canary", "canon", "canon-settings", "pi-canon"];
const tools = ["create_goal", "update_goal", "get_goal", "canon", "pi_canon"];

/** One readable line for each command or tool of our names that somebody else registered. */
export function findOthers(pi: Pi, ownPath: string): string[] {
  const found = new Set<string>();
  const look = (
    list: (() => { name: string; sourceInfo?: SourceInfo }[]) | undefined,
    names: string[],
    sign: string,
  ) => {
    try {
      for (const { name, sourceInfo } of list?.() ?? []) {
        // Pi tells two commands of one name apart by a number behind it.
        const plain = name.replace(/:\d+$/, "");
        const path = sourceInfo?.path ?? "";
        if (!names.includes(plain) || path === "" || samePath(path, ownPath)) continue;
        found.add(`${sign}${plain} of ${basename(path) === "index.ts" ? path : basename(path)}`);
      }
    } catch {
      // This Pi does not tell; then nobody is found.
    }
  };
  look(pi.getCommands?.bind(pi), commands, "/");
  look(pi.getAllTools?.bind(pi), tools, "tool ");
  return [...found].slice(0, 20);
}

function samePath(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
