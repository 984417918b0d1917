// How an Escape of the user looks to an extension, and that it can be told from a failure.
import { eventLines } from "../lib/event-lines.mjs";

const start = [{ screen: "scripted-model" }, { sleep: 500 }, { submit: "go" }];
const end = [{ sleep: 700 }, { submit: "/quit" }, { waitExit: { code: 0 } }];
const base = { mode: "tui", extensions: [new URL("extensions/report-events.ts", import.meta.url).pathname] };

const lastStop = (run) => eventLines(run).filter(({ event }) => event === "turn_end").at(-1)?.stopReason;
const sawEscape = (run) => (eventLines(run).some(({ event, data }) => event === "key" && /^\x1b(\[27.*u)?$/.test(data)) ? undefined : "the key was not seen");
const settledOnce = (run) => {
  const count = eventLines(run).filter(({ event }) => event === "agent_settled").length;
  return count === 1 ? undefined : `settled ${count} times`;
};
const stopped = (want) => (run) => (lastStop(run) === want ? undefined : `the last turn stopped by ${lastStop(run)}, wanted ${want}`);

const duringTool = (name, stop, versions) => ({
  ...base,
  ...versions,
  name: `while a tool runs it ${name}`,
  replies: [{ tools: [{ name: "bash", args: { command: "sleep 300" } }] }],
  steps: [...start, { waitRequests: 1 }, { sleep: 1500 }, { key: "Escape" }, ...end],
  asserts: [stopped(stop), sawEscape, settledOnce, { requests: 1 }],
});

export default [
  {
    ...base,
    name: "while the answer streams it aborts the turn",
    replies: [{ text: "a long answer that never ends", stallAfter: 3 }],
    steps: [...start, { waitRequests: 1 }, { sleep: 700 }, { key: "Escape" }, ...end],
    asserts: [stopped("aborted"), sawEscape, settledOnce, { requests: 1 }],
  },
  duringTool("aborts the turn before 0.87", "aborted", { until: "0.87.0" }),
  duringTool("looks like an error in 0.87", "error", { since: "0.87.0", until: "1.0.0" }),
  duringTool("aborts the turn again in 1.x", "aborted", { since: "1.0.0" }),
  {
    ...base,
    name: "while Pi waits to try again it looks like the error, and only the key tells",
    settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 60_000 } },
    replies: [{ repeat: "forever", error: { status: 503, body: { error: { message: "overloaded" } } } }],
    steps: [...start, { waitRequests: 1 }, { sleep: 1500 }, { key: "Escape" }, ...end],
    asserts: [stopped("error"), sawEscape, settledOnce, { requests: 1 }],
  },
];
