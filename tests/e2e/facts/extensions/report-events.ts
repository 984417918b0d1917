// Writes what happens to $SANDBOX/events.jsonl: one line for each event, with the fields that a
// supervisor uses. REPORT_AS names this copy in each line.
import { appendFileSync } from "node:fs";

const write = (line: object) => appendFileSync(`${process.env.SANDBOX}/events.jsonl`, `${JSON.stringify(line)}\n`);
const names = [
  "session_start", "session_shutdown", "input", "before_agent_start", "agent_start", "agent_end",
  "agent_before_settle", "agent_settled", "turn_end", "tool_call", "after_provider_response",
];
const fields = ["reason", "outcome", "aborted", "source", "text", "status", "previousSessionFile", "streamingBehavior"];

export default function (pi: any) {
  write({ event: "factory" });
  for (const name of names) {
    pi.on(name, (event: any, ctx: any) => {
      const line: any = { event: name };
      for (const field of fields) if (event[field] !== undefined) line[field] = event[field];
      if (event.message) line.stopReason = event.message.stopReason;
      if (name === "session_start") {
        line.trusted = ctx.isProjectTrusted();
        line.file = ctx.sessionManager.getSessionFile();
        if (ctx.hasUI) ctx.ui.onTerminalInput?.((data: string) => write({ event: "key", data }));
      }
      write(line);
    });
  }
}
