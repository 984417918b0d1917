import type { CommandContext } from "./pi.ts";
import type { Session } from "./session.ts";
export async function openSettingsScreen(_session: Session, _context: CommandContext): Promise<boolean> {
  return false;
}
