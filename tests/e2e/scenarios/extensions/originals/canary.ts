// Registers what an extension that watches a prefix does, and nothing else.
export default function (pi: any) {
  pi.registerCommand("canary", { description: "another one", handler: async () => {} });
}
