// Sends a message when a session is opened again (CONTINUE=yes), and then keeps session_start waiting
// for HOLD_MS.
export default function (pi: any) {
  pi.on("session_start", async () => {
    if (process.env.CONTINUE === "yes") pi.sendUserMessage("CONTINUE");
    if (process.env.HOLD_MS) await new Promise((resolve) => setTimeout(resolve, Number(process.env.HOLD_MS)));
  });
}
