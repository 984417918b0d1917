// What the model still sees is not shown again: across a kill, /reload, forks, other sessions and the
// tree. What it no longer sees comes back with a fresh touch.
import { newestBuild } from "../lib/built.mjs";
import { until } from "../lib/time.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const settled = { wait: { type: "agent_settled" } };
const end = [{ sleep: 800 }, { closeStdin: true }, { waitExit: { code: 0 } }];
const first = ["--session", "${dir}/first.jsonl"];
const firstFile = (run) => `${run.sandbox.dir}/first.jsonl`;
const extension = (name) => new URL(`extensions/${name}.ts`, import.meta.url).pathname;

const article = (capsule) => `---\ncapsule: ${capsule}\nupdated: 2026-11-30\n---\nThe whole truth about it stands in this body of the article.\n`;
const files = {
  "src/config.ts": "export const layered = true;\n",
  "lib/feed.ts": "export const pages = 5;\n",
  ".canon/articles/src/config.md": article("CONFIG-LINE env beats file."),
  ".canon/articles/lib/feed.md": article("FEED-LINE five pages a minute."),
};
const base = { launcher: true, args: first, files };

const read = (path) => ({ tools: [{ name: "read", args: { path } }] });
const edit = { tools: [{ name: "edit", args: { path: "src/config.ts", edits: [{ oldText: "true", newText: "false" }] } }] };
const complete = { tools: [{ name: "update_goal", args: { status: "complete" } }] };
/** Touches the file, and is done. */
const work = (path, text = "done") => [read(path), { text }];
const config = (text) => work("src/config.ts", text);
const reminder = "Touched but not updated: src/config";

const times = (index, text, count) => ({ server }) => {
  const all = server.requests[index]?.view.all ?? "no such request";
  const found = all.split(text).length - 1;
  return found === count ? undefined : `request ${index} holds ${text} ${found} times, not ${count}: ${all}`;
};
const killPi = [{ supervisor: { state: "running" } }, { signal: "SIGKILL", to: "pi" }, { newPi: true }, { supervisor: { state: "running" } }];
const forkAt = (index) => async (run) => {
  const { data } = await run.driver.call({ type: "get_fork_messages" }, 30_000);
  const answer = await run.driver.call({ type: "fork", entryId: data.messages.at(index).entryId }, 30_000);
  if (!answer.success || answer.data?.cancelled) run.fail(`fork was answered ${JSON.stringify(answer)}`);
};
const otherSession = (run) => until(
  () => run.directory.runtime?.session?.file && run.directory.runtime.session.file !== firstFile(run), 20_000, "Pi told of no other session");

export default [
  {
    ...base,
    name: "a line that is still in the context does not come again after a kill of Pi",
    replies: [...config(), ...config("again"), ...work("lib/feed.ts", "other")],
    steps: [prompt("work"), settled, ...killPi, prompt("more"), { waitRequests: 4 }, settled, prompt("and more"), { waitRequests: 6 }, ...end],
    asserts: [{ requests: 6 }, times(2, "CONFIG-LINE", 1), times(3, "CONFIG-LINE", 1), times(5, "CONFIG-LINE", 1), times(5, "FEED-LINE", 1)],
  },
  {
    ...base,
    name: "what was changed before a kill of Pi is still reminded of, once",
    replies: [edit, { text: "a long answer", stallAfter: 2 }, { text: "second" }, { text: "third" }, { text: "fourth" }],
    steps: [
      prompt("work"), { waitRequests: 2 }, { sleep: 300 }, ...killPi,
      prompt("more"), { waitRequests: 3 }, settled, { sleep: 500 }, prompt("and more"), { waitRequests: 4 }, settled, { sleep: 500 },
      prompt("at last"), { waitRequests: 5 }, ...end,
    ],
    asserts: [{ requests: 5 }, times(2, reminder, 0), times(3, reminder, 1), times(4, reminder, 1)],
  },
  {
    ...base,
    name: "a line that is still in the context does not come again after /reload",
    extensions: [extension("same-names")],
    replies: [...config(), ...config("again")],
    steps: [prompt("work"), settled, prompt("/load-again"), { sleep: 1500 }, prompt("more"), { waitRequests: 4 }, ...end],
    asserts: [{ requests: 4 }, times(2, "CONFIG-LINE", 1), times(3, "CONFIG-LINE", 1)],
  },
  {
    ...base,
    name: "a fork is not shown again what it holds, and is shown what it lost",
    replies: [...config("T2"), ...work("lib/feed.ts", "T4"), ...config("T6"), ...work("lib/feed.ts", "T8")],
    steps: [
      prompt("one"), settled, prompt("two"), settled, { sleep: 300 },
      forkAt(-1), otherSession, { sleep: 500 },
      prompt("three"), { waitRequests: 6 }, settled, prompt("four"), { waitRequests: 8 }, ...end,
    ],
    asserts: [
      { requests: 8 },
      { request: 4, all: "T2", noAll: "T4" },
      times(4, "CONFIG-LINE", 1), times(5, "CONFIG-LINE", 1), times(5, "FEED-LINE", 0), times(7, "FEED-LINE", 1), times(7, "CONFIG-LINE", 1),
    ],
  },
  {
    ...base,
    name: "a new session is shown everything anew, and the old one nothing that it holds",
    replies: [{ tools: [...read("src/config.ts").tools, ...read("lib/feed.ts").tools] }, { text: "done" }, ...config("in the new one"), ...work("lib/feed.ts", "back")],
    steps: [
      prompt("one"), settled,
      { rpc: { type: "new_session" }, expect: { success: true } }, otherSession, { sleep: 500 },
      prompt("two"), { waitRequests: 4 }, settled,
      async (run) => run.driver.call({ type: "switch_session", sessionPath: firstFile(run) }, 30_000), { sleep: 1000 },
      prompt("three"), { waitRequests: 6 }, ...end,
    ],
    asserts: [{ requests: 6 }, times(2, "CONFIG-LINE", 0), times(3, "CONFIG-LINE", 1), times(3, "FEED-LINE", 0), times(4, "FEED-LINE", 1), times(5, "FEED-LINE", 1)],
  },
  {
    ...base,
    name: "a branch of the tree without the line gets it with a touch, and nothing before",
    extensions: [extension("visit")],
    replies: [{ text: "BEFORE" }, ...config("WORKED"), { text: "looked" }, ...config("again")],
    steps: [
      prompt("one"), settled, prompt("two"), settled,
      prompt("/visit BEFORE"), { sleep: 500 },
      prompt("three"), { waitRequests: 4 }, settled, prompt("four"), { waitRequests: 6 }, ...end,
    ],
    asserts: [{ requests: 6 }, times(2, "CONFIG-LINE", 1), times(3, "CONFIG-LINE", 0), times(4, "CONFIG-LINE", 0), times(5, "CONFIG-LINE", 1)],
  },
  {
    ...base,
    name: "another launcher goes on with the session: what is still in the context does not come again",
    replies: [...config(), { text: "looked" }, ...config("again")],
    steps: [
      prompt("one"), settled, { sleep: 500 }, { closeStdin: true }, { waitExit: { code: 0 } },
      { start: {} }, prompt("two"), { waitRequests: 3 }, settled, prompt("three"), { waitRequests: 5 }, ...end,
    ],
    asserts: [{ requests: 5 }, times(2, "CONFIG-LINE", 1), times(3, "CONFIG-LINE", 1), times(4, "CONFIG-LINE", 1)],
  },
  {
    ...base,
    name: "another launcher goes on after a compaction: what is gone comes with a touch, and nothing before",
    settings: { compaction: { keepRecentTokens: 1 } },
    replies: [
      ...config(),
      { when: { any: "summar" }, repeat: 2, text: "SUMMED-UP" },
      { text: "looked" },
      ...config("again"),
    ],
    steps: [
      prompt("one"), settled, { rpc: { type: "compact" }, ms: 30_000 }, { sleep: 500 }, { closeStdin: true }, { waitExit: { code: 0 } },
      { start: {} }, prompt("two"), settled, prompt("three"), settled, ...end,
    ],
    asserts: [
      ({ server }) => {
        const [looked, , again] = server.requests.slice(-3).map(({ view }) => view.all);
        if (!looked.includes("SUMMED-UP")) return "nothing was compacted";
        if (looked.includes("CONFIG-LINE")) return `something greets the session: ${looked}`;
        return again.split("CONFIG-LINE").length === 2 ? undefined : `the last request is ${again}`;
      },
    ],
  },
  {
    ...base,
    name: "another launcher knows what the agent has read through the tool",
    replies: [
      { tools: [{ name: "canon", args: { action: "read", path: "src/config.ts" } }] }, { text: "done" },
      ...config("again"),
    ],
    steps: [
      prompt("one"), settled, { sleep: 500 }, { closeStdin: true }, { waitExit: { code: 0 } },
      { start: {} }, prompt("two"), { waitRequests: 4 }, ...end,
    ],
    asserts: [{ requests: 4 }, times(2, "CONFIG-LINE", 1), times(3, "CONFIG-LINE", 1)],
  },
  {
    args: first,
    files,
    extension: true,
    env: { PI_RESILIENT_PROGRAM: newestBuild("launcher/pi-resilient") ?? "" },
    name: "without a launcher a line that is still in the context does not come again after /reload",
    extensions: [extension("same-names")],
    replies: [...config(), ...config("again")],
    steps: [prompt("work"), settled, prompt("/load-again"), { sleep: 1500 }, prompt("more"), { waitRequests: 4 }, ...end],
    asserts: [{ requests: 4 }, times(2, "CONFIG-LINE", 1), times(3, "CONFIG-LINE", 1)],
  },
  {
    ...base,
    name: "in the terminal a touch brings the line to the model, and nothing to the screen",
    mode: "tui",
    replies: [read("src/config.ts"), read("src/config.ts"), { text: "ALL-DONE" }],
    steps: [
      { screen: "scripted-model" }, { sleep: 1000 }, { submit: "work" }, { screen: "ALL-DONE" }, { sleep: 500 },
      { submit: "/quit" }, { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 3 }, times(0, "CONFIG-LINE", 0), times(1, "CONFIG-LINE", 1), times(2, "CONFIG-LINE", 1), { noRaw: "CONFIG-LINE" }],
  },
  {
    ...base,
    name: "a goal that goes on after a wait carries the reminder in its continuation",
    settings: { retry: { enabled: false } },
    replies: [
      edit,
      { error: { status: 429, body: { error: { message: "Rate limit reached. Please try again in 4s." } } } },
      complete,
      { text: "over" },
    ],
    steps: [prompt("/goal build the OBJECTIVE"), { waitRequests: 4, ms: 60_000 }, ...end],
    asserts: [{ requests: 4 }, { request: 2, last: `OBJECTIVE.*${reminder}` }, times(2, reminder, 1)],
  },
  {
    ...base,
    name: "a goal that is paused in its wait leaves the reminder to the next prompt",
    settings: { retry: { enabled: false } },
    replies: [
      edit,
      { error: { status: 429, body: { error: { message: "Rate limit reached. Please try again in 600s." } } } },
      { text: "third" },
    ],
    steps: [
      prompt("/goal build the OBJECTIVE"), { waitRequests: 2 }, { runtime: { wait: { kind: "backoff" } } },
      prompt("/goal pause"), { sleep: 500 }, prompt("more"), { waitRequests: 3 }, ...end,
    ],
    asserts: [{ requests: 3 }, times(2, reminder, 1)],
  },
];
