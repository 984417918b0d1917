// Sends a message when a session is opened again (CONTINUE=yes): in session_start, or in the event that
// SEND_IN names. Then it keeps that event waiting for HOLD_MS.
export default function (pi: any) {
  pi.on(process.env.SEND_IN ?? "session_start", async () => {
    if (process.env.CONTINUE === "yes") pi.sendUserMessage("CONTINUE");
    if (process.env.HOLD_MS) await new Promise((resolve) => setTimeout(resolve, Number(process.env.HOLD_MS)));
  });
}
