// Gets ready in session_start, as many extensions do: a tool, and with resources_discover a skill.
import { mkdirSync, writeFileSync } from "node:fs";

export default function (pi: any) {
  pi.on("session_start", async () => {
    pi.registerTool({
      name: "brought_tool",
      label: "Brought",
      description: "A tool that is there once the session has started.",
      parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [{ type: "text", text: "used" }], details: {} }),
    });
  });
  pi.on("resources_discover", () => {
    const folder = `${process.env.SANDBOX}/skills/brought-skill`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/SKILL.md`, "---\nname: brought-skill\ndescription: Comes with an extension.\n---\n\nNothing to do.\n");
    return { skillPaths: [`${process.env.SANDBOX}/skills`] };
  });
}
