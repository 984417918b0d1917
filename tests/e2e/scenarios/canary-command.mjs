// /canary typed while the agent works: it waits, and what a person does meanwhile counts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { end, prompt, says, saysNot, settled } from "../lib/canary-words.mjs";

const typed = (message) => ({ send: { type: "prompt", message } });
const slow = (text, delayMs = 2500) => ({ text, delayMs });
const busy = [typed("read-the-plan"), { waitRequests: 1 }];
const settings = (run) => readFileSync(join(run.sandbox.agent, "settings.json"), "utf8");
const noKeyword = (run) => (settings(run).includes("canary") ? `the settings are now ${settings(run)}` : undefined);
const off = [{ request: 1, noSystem: "chirp: " }, noKeyword, saysNot("Canary is on")];

/** As people's editors and other programs leave it. */
const weird = `\ufeff{\r\n\t"defaultProvider":"scripted",\r\n\t"big": 123456789012345678901234567890,\r\n\t"one": 1.0, "exp": 1E+2,\r\n\t"canary": "first",\r
\t"nest": ${"[".repeat(150)}${"]".repeat(150)},\r\n\t"u": "\\u00e9\\/",\r\n\t"canary": true\r\n}\r\n\r\n`;

export default [
  {
    name: "it waits for the end of the run and is in force with the next prompt",
    launcher: true,
    replies: [slow("one"), { text: "chirp: two" }],
    steps: [
      ...busy,
      typed("/canary chirp"),
      { sleep: 700 },
      (run) => {
        if (settings(run).includes("chirp")) run.fail("the settings were changed in the middle of the run");
      },
      settled,
      { sleep: 1500 },
      prompt("second"),
      settled,
      ...end,
    ],
    asserts: [{ request: 0, noSystem: "chirp: " }, { request: 1, system: "chirp: " }, says("Canary is on"), saysNot("did not begin")],
  },
  {
    name: "of two words that wait the later one counts",
    launcher: true,
    replies: [slow("one"), { text: "Blue Canary: two" }],
    steps: [...busy, typed("/canary chirp"), { sleep: 200 }, typed("/canary Blue Canary"), settled, { sleep: 2500 }, prompt("second"), settled, ...end],
    asserts: [
      { request: 1, system: "Blue Canary: ", noSystem: "chirp: " },
      { file: "${agent}/settings.json", has: '"canary": "Blue Canary"' },
      saysNot("did not begin"),
    ],
  },
  {
    name: "alone it says how things are, at once, and takes back no word that waits",
    launcher: true,
    replies: [slow("one"), { text: "chirp: two" }],
    steps: [
      ...busy,
      typed("/canary chirp"),
      { sleep: 200 },
      typed("/canary"),
      { wait: { type: "extension_ui_request", method: "notify", message: "/Canary is off in this session. The settings have no keyword/" } },
      (run) => run.events().some(({ type }) => type === "agent_end") && run.fail("the look waited for the end of the run"),
      settled,
      { sleep: 2500 },
      typed("/canary  "),
      { wait: { type: "extension_ui_request", method: "notify", message: '/begin with "chirp: ".*agent.settings.json is "chirp". .canary off turns it off/' } },
      prompt("second"),
      settled,
      ...end,
    ],
    asserts: [{ request: 1, system: "chirp: " }, { file: "${agent}/settings.json", has: '"canary": "chirp"' }, saysNot("canary keyword is empty")],
  },
  {
    name: "off takes back a word that waits",
    launcher: true,
    replies: [slow("one"), { text: "two" }],
    steps: [...busy, typed("/canary chirp"), { sleep: 200 }, typed("/canary off"), settled, { sleep: 1500 }, prompt("second"), settled, ...end],
    asserts: off,
  },
  {
    name: "an abort takes back a word that waits",
    launcher: true,
    replies: [slow("one", 20_000), { text: "two" }],
    steps: [...busy, typed("/canary chirp"), { sleep: 200 }, { rpc: { type: "abort" } }, { sleep: 2500 }, prompt("second"), settled, ...end],
    asserts: [...off, says("/canary chirp was not carried out.*cancelled")],
  },
  {
    name: "with a goal that goes on it takes effect between two runs, and the goal goes on under the rule",
    launcher: true,
    replies: [slow("one"), slow("chirp: two"), { text: "chirp: three", tools: [{ name: "update_goal", args: { status: "complete" } }] }, { text: "chirp: done" }],
    steps: [
      typed("/goal build the OBJECTIVE"),
      { waitRequests: 1 },
      typed("/canary chirp"),
      { waitRequests: 4, ms: 40_000 },
      { runtime: { goal: { state: "complete" } } },
      { sleep: 500 },
      ...end,
    ],
    asserts: [{ requests: 4 }, { request: 0, noSystem: "chirp: " }, { request: 3, system: "chirp: " }, says("Canary is on"), { file: "${agent}/settings.json", has: '"canary": "chirp"' }],
  },
  {
    name: "only the value changes in a settings file with a BOM, CR LF, a doubled key, deep lists and numbers of every kind",
    since: "0.87.0",
    launcher: true,
    replies: [{ text: "W\u00f6rd: one" }],
    steps: [
      (run) => writeFileSync(join(run.sandbox.agent, "settings.json"), weird),
      prompt("/canary W\u00f6rd"),
      { sleep: 1500 },
      (run) => {
        if (settings(run) !== weird.replace('"canary": true', '"canary": "W\u00f6rd"')) run.fail(`the settings are now ${JSON.stringify(settings(run))}`);
      },
      prompt("first"),
      settled,
      ...end,
    ],
    asserts: [{ request: 0, system: "W\u00f6rd: " }, saysNot("did not begin")],
  },
];
