// A message without its prefix is followed by a handover, a summary and a fresh context, all by
// drafts at the boundaries of a turn (Pi 0.87 and later).
const prefix = "chirp: ";
const textOf = (message: any) =>
  (message.content ?? []).filter((part: any) => part.type === "text").map((part: any) => part.text).join("");
const draft = (content: string) => ({ type: "custom_message", customType: "handover", content, display: true });

async function summarise(ctx: any) {
  const history = ctx.sessionManager.buildContextEntries()
    .filter((entry: any) => entry.type === "message")
    .map((entry: any) => `[${entry.message.role}] ${JSON.stringify(entry.message.content)}`);
  const text = `SUMMARISE THIS\n${history.join("\n")}`;
  const messages = [{ role: "user", content: [{ type: "text", text }], timestamp: Date.now() }];
  return ctx.modelRegistry.streamSimple(ctx.model, { systemPrompt: "Summarise.", messages }, { signal: ctx.signal, maxTokens: 500 }).result();
}

export default function (pi: any) {
  let phase: "normal" | "handover" | "restarted" = "normal";

  pi.on("tool_call", () => (phase === "handover" ? { block: true, reason: "handover only" } : undefined));
  pi.on("turn_end", async (event: any, ctx: any) => {
    if (event.message.role !== "assistant") return;
    const text = textOf(event.message);
    const hasCalls = (event.message.content ?? []).some((part: any) => part.type === "toolCall");
    if (phase === "normal" && hasCalls && text && !text.startsWith(prefix)) {
      phase = "handover";
      return { entries: [...event.entries, draft("HAND OVER NOW")], continue: true };
    }
    if (phase === "handover" && !hasCalls && text.startsWith(`${prefix}# Handover\n`)) {
      const summary = await summarise(ctx);
      phase = "restarted";
      const compaction = { type: "compaction", summary: textOf(summary), firstKeptEntryId: null, usage: summary.usage };
      return { entries: [...event.entries, compaction, draft(`Resume from this handover:\n${text}`)], continue: true };
    }
  });
}
