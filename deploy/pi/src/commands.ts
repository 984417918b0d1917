// The slash commands. What they mean is decided by pi-resilient; here they are asked and the answer is shown.

import type { CommandContext, Level } from "./pi.ts";
import type { Session } from "./session.ts";
import { openSettingsScreen } from "./settings_screen.ts";
import { isCount, isObject, textOf, type Json } from "./values.ts";

const deadline = 5000;

export const commands: Record<string, string> = {
  goal: "Keep working until a goal is complete: /goal <objective>, or help, pause, resume, edit, extend, complete, clear",
  "resilient-stop": "Pause the goal and end the launcher pi-resilient",
  canary: "Require a keyword before each message: /canary <keyword>, on, off; alone it shows the state",
  canon: "Show what project memory holds and what of it this session has seen",
  "canon-settings": "Change how project memory surfaces",
};

export function registerCommands(session: Session): void {
  for (const [name, description] of Object.entries(commands)) {
    session.pi.registerCommand(name, {
      description,
      handler: async (args, context) => {
        if (!session.live(context)) return;
        if (name === "canon-settings" && session.connected && (await openSettingsScreen(session, context))) return;
        await run(session, name, args ?? "", context);
      },
    });
  }
}

async function run(session: Session, name: string, args: string, context: CommandContext): Promise<void> {
  // /canary alone is a look, which takes back nothing that waits.
  const looks = name === "canary" && args.trim() === "";
  const number = looks ? session.lastTyped(name) : session.commandTyped(name);
  const { signal } = context;
  let reply = await ask(session, name, args, context);
  // Nothing has happened yet: what the user takes back while it waits has no effect.
  while (reply?.wait_idle === true) {
    await context.waitForIdle();
    if (!session.live(context)) return;
    // The one that was typed later counts.
    if (session.lastTyped(name) !== number) return;
    if (signal?.aborted) {
      session.say("warning", `/${name} ${args} was not carried out: what it waited for was cancelled. Type it again if you still want it.`);
      return;
    }
    reply = await ask(session, name, args, context);
  }
  if (!reply) {
    session.say("error", session.inert || `pi-resilient did not answer /${name}. Try again; pi-resilient status tells how it is.`);
    return;
  }
  const notices = Array.isArray(reply.notices) ? reply.notices.filter(isObject) : [];
  for (const { level, text } of notices) session.say(levelOf(level), textOf(text));
  if (session.unattended && isCount(reply.run_ms) && reply.run_ms > 0) await session.untilQuiet(reply.run_ms);
  // Behind this call nothing of the session may be used any more.
  if (reply.reload === true && session.live(context)) await context.reload();
}

async function ask(session: Session, name: string, args: string, context: CommandContext): Promise<Json | undefined> {
  const idle = context.isIdle();
  const answer = session.request({ type: "command", name, args: args.slice(0, 100_000), mode: context.mode ?? "rpc", idle }, deadline);
  if (name !== "goal" && name !== "resilient-stop") return answer;
  const id = session.lastRequest;
  session.lastGoalCommand = id;
  const reply = await answer;
  // Nobody will say that it was carried out: nothing may wait for that.
  if (!reply && session.lastGoalCommand === id) session.lastGoalCommand = 0;
  return reply;
}

function levelOf(value: unknown): Level {
  return value === "warning" || value === "error" ? value : "info";
}
