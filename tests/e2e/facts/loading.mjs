// When an extension is loaded, how often, and what it is told.
import { eventLines } from "../lib/event-lines.mjs";

const extension = new URL("extensions/report-events.ts", import.meta.url).pathname;
const end = [{ closeStdin: true }, { waitExit: { code: 0 } }];
const ready = { rpc: { type: "get_state" }, expect: { success: true } };

/** Expects this many lines for an event, with these fields. */
const heard = (event, count, fields = {}) => (run) => {
  const lines = eventLines(run).filter((line) => line.event === event && Object.entries(fields).every(([key, value]) => line[key] === value));
  return lines.length === count ? undefined : `${event} ${JSON.stringify(fields)} came ${lines.length} times, wanted ${count}; all: ${JSON.stringify(eventLines(run)).slice(0, 800)}`;
};

export default [
  {
    name: "one path given by -e and by the settings is loaded once",
    extensions: [extension],
    settings: { extensions: [extension] },
    steps: [ready, ...end],
    asserts: [heard("factory", 1), heard("session_start", 1, { reason: "startup" }), heard("session_shutdown", 1, { reason: "quit" })],
  },
  {
    name: "-e is loaded in an untrusted project, whose own extension is not",
    extensions: [extension],
    files: { ".pi/settings.json": {}, ".pi/extensions/own.ts": "export default function () { throw new Error('loaded'); }" },
    steps: [ready, ...end],
    asserts: [heard("session_start", 1, { trusted: false }), { noStderr: "loaded" }],
  },
  {
    name: "a new session runs the factory again, and says so",
    extensions: [extension],
    replies: [{ text: "A1" }],
    steps: [
      { rpc: { type: "prompt", message: "one" } },
      { wait: { type: "agent_settled" } },
      { rpc: { type: "new_session" }, expect: { success: true } },
      { sleep: 500 },
      ...end,
    ],
    asserts: [heard("factory", 2), heard("session_shutdown", 1, { reason: "new" })],
  },
  {
    name: "session_start comes twice after a new session in older versions, once in newer ones",
    extensions: [extension],
    steps: [ready, { rpc: { type: "new_session" }, expect: { success: true } }, { sleep: 500 }, ...end],
    asserts: [(run) => heard("session_start", run.options.pi.version.startsWith("0.") ? 2 : 1, { reason: "new" })(run)],
  },
  {
    name: "an unknown option ends Pi before any event",
    mode: "print",
    firstArgs: ["--no-such-option", "hi"],
    extensions: [extension],
    steps: [{ waitExit: { code: 1 } }],
    asserts: [heard("session_start", 0), { requests: 0 }],
  },
];
