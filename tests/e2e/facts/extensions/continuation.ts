// Continues twice after a finished answer, in the way that CONTINUE_BY names.
const way = process.env.CONTINUE_BY ?? "";
const most = 2;

export default function (pi: any) {
  let count = 0;
  const next = () => `CONTINUE-${++count}`;

  pi.on("agent_before_settle", (event: any) => {
    if (way !== "boundary entry" || count >= most) return;
    const entry = { type: "custom_message", customType: "continuation", content: next(), display: true };
    return { entries: [...event.entries, entry], continue: true };
  });
  pi.on("agent_settled", () => {
    if (way === "user message when settled" && count < most) pi.sendUserMessage(next());
  });
  pi.on("agent_end", () => {
    if (way === "follow-up when the agent ends" && count < most) pi.sendUserMessage(next(), { deliverAs: "followUp" });
  });
}
