// `/visit TEXT` goes to the first answer in the session, on any branch, that holds the text.
export default function (pi: any) {
  pi.registerCommand("visit", {
    description: "Go to the answer that holds a text",
    handler: async (text: string, context: any) => {
      const holds = ({ type, message }: any) =>
        type === "message" && message.role === "assistant" && JSON.stringify(message.content).includes(text.trim());
      const found = context.sessionManager.getEntries().find(holds);
      if (!found) throw new Error(`no answer holds ${text}`);
      await context.navigateTree(found.id, { summarize: false });
    },
  });
}
