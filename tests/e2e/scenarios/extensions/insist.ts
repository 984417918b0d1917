// Makes the agent go on after every answer without a tool call, three times at most.
export default function (pi: any) {
  let left = 3;
  pi.on("turn_end", (event: any) => {
    if (!Array.isArray(event.entries) || event.message?.stopReason !== "stop" || left-- <= 0) return undefined;
    const reminder = { type: "custom_message", customType: "insist", content: "INSIST: go on.", display: true };
    return { entries: [...event.entries, reminder], continue: true };
  });
}
