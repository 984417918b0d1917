// Throws out of any handler, a moment after the answer to a prompt that says CRASH.
export default function (pi: any) {
  let armed = false;
  pi.on("input", (event: any) => {
    armed = event.text.includes("CRASH");
  });
  pi.on("agent_settled", () => {
    if (armed) setTimeout(() => { throw new Error("planted failure"); }, 300);
  });
}
