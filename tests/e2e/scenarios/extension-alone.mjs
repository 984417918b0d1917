// The extension in a Pi that no launcher owns, on a machine where pi-resilient is not installed.
const alone = { extension: true, env: { PI_RESILIENT_PROGRAM: "/nowhere/pi-resilient" } };
const notice = { type: "extension_ui_request", method: "notify" };

export default [
  {
    ...alone,
    name: "Pi works as ever, and one notice names the missing program",
    smoke: true,
    replies: [{ tools: [{ name: "bash", args: { command: "env" } }] }, { text: "done" }, { text: "again" }],
    steps: [
      { rpc: { type: "prompt", message: "one" } },
      { wait: { type: "agent_settled" } },
      { rpc: { type: "prompt", message: "two" } },
      { wait: { type: "agent_settled" } },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 3 }, { event: { ...notice, message: "/pi-resilient/" }, count: 1 }, { noStderr: "rror" }],
  },
  {
    ...alone,
    name: "its commands are listed",
    steps: [
      { rpc: { type: "get_commands" }, expect: { success: true }, save: "commands" },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [
      ({ notes }) => {
        const listed = notes.commands.data.commands.map(({ name }) => name);
        return ["goal", "canary", "canon", "resilient-stop"].filter((name) => !listed.includes(name)).map((name) => `/${name} is not listed`);
      },
    ],
  },
  {
    ...alone,
    name: "print mode ends with its answer",
    mode: "print",
    firstArgs: ["hi"],
    replies: [{ text: "an answer" }],
    asserts: [{ stdout: "^an answer\n$" }, { requests: 1 }],
  },
];
