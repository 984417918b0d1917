// The Pi extension of pi-resilient. It tells the program pi-resilient what happens in Pi, and does what
// that program says. It decides nothing.

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { registerCommands } from "./src/commands.ts";
import { registerEvents } from "./src/events.ts";
import type { Pi } from "./src/pi.ts";
import { Session } from "./src/session.ts";
import { claim, takeCredentials } from "./src/shared_state.ts";
import { registerTools } from "./src/tools.ts";

// As early as can be: no tool may ever see the secret.
takeCredentials();

export default function piResilient(pi: Pi): void {
  const owner = claim(ownPath());
  // Another copy has this Pi. Two would answer everything twice.
  if (!owner) return;
  const session = new Session(pi, owner);
  registerEvents(session);
  registerCommands(session);
  registerTools(session);
}

function ownPath(): string {
  const path = fileURLToPath(import.meta.url);
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
