// Another extension that continues by itself: twice, whenever Pi has settled.
export default function (pi: any) {
  let count = 0;
  pi.on("agent_settled", () => {
    if (count < 2) pi.sendUserMessage(`OTHER-CONTINUES-${++count}`);
  });
}
