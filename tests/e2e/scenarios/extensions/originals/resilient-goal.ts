// Registers what an extension that keeps goals going does, and nothing else.
export default function (pi: any) {
  for (const name of ["goal", "resilient-stop"]) pi.registerCommand(name, { description: "another one", handler: async () => {} });
}
