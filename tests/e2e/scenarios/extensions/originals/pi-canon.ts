// Registers what an extension with a project memory does, and nothing else.
export default function (pi: any) {
  for (const name of ["canon", "canon-settings"]) pi.registerCommand(name, { description: "another one", handler: async () => {} });
}
