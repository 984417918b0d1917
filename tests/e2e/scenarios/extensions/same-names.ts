// Registers commands that ours has too, as the extensions that ours replaces do, and one to reload.
export default function (pi: any) {
  for (const name of ["canary", "goal"]) pi.registerCommand(name, { description: "another one", handler: async () => {} });
  pi.registerCommand("load-again", { description: "reload", handler: async (_args: string, context: any) => context.reload() });
}
