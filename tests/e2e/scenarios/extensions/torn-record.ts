// Writes the beginning of a record to stdout after the first answer, and never its end.
import { writeSync } from "node:fs";

export default function (pi: any) {
  let answers = 0;
  pi.on("agent_settled", (event: any, context: any) => {
    const isFirst = answers++ === 0 && context.sessionManager.getEntries().filter(({ message }: any) => message?.role === "user").length === 1;
    if (isFirst) setTimeout(() => writeSync(1, '{"torn'), 500);
  });
}
