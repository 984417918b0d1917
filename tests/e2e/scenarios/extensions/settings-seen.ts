// Stands in the settings, so that its command is there only if Pi has read them.
export default function (pi: any) {
  pi.registerCommand("settings-seen", { handler: async () => {} });
}
