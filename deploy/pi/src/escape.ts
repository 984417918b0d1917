// Notices the Escape key. Pi's own waiting between two attempts hides that the user aborted it.

import type { Session } from "./session.ts";

/** Escape alone: as one byte, as the kitty keyboard protocol writes it (pressed or repeated), or as modifyOtherKeys does. */
const escapeKey = /^(?:\x1b|\x1b\[27(?:;1(?::[12])?)?u|\x1b\[27;1;27~)$/;

export function isEscape(data: string): boolean {
  return escapeKey.test(data);
}

/** Listens until the answer is called. */
export function watchEscape(session: Session): () => void {
  const context = session.current;
  if (context?.mode !== "tui" || !context.ui.onTerminalInput) return () => {};
  try {
    return context.ui.onTerminalInput((data) => {
      if (isEscape(data)) {
        session.tally.escapeKey();
        session.event({ type: "escape" });
      }
      return undefined;
    });
  } catch {
    return () => {};
  }
}
