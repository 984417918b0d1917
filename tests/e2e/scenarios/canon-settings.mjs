// What settings say of canon: a mistake is told once, and who decides is told where it is asked.
import { newestBuild } from "../lib/built.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const settled = { wait: { type: "agent_settled" } };
const end = [{ sleep: 800 }, { closeStdin: true }, { waitExit: { code: 0 } }];
const extension = (name) => new URL(`extensions/${name}.ts`, import.meta.url).pathname;
const sidecar = { extension: true, env: { PI_RESILIENT_PROGRAM: newestBuild("launcher/pi-resilient") ?? "" } };

/** Canon's own settings, which stand in the agent's folder here. */
const own = (text) => ({ "$agent/config/canon/settings.json": text });
const env = { XDG_CONFIG_HOME: "${agent}/config" };

const notices = (run) => run.events().filter(({ method }) => method === "notify").map(({ message }) => message);
const told = (pattern, count) => (run) => {
  const found = notices(run).filter((text) => pattern.test(text)).length;
  return found === count ? undefined : `told ${found} times, not ${count}: ${notices(run).join(" // ")}`;
};

const mistakes = [
  ["an unknown key", '{"standuot":2}', /config\/canon\/settings\.json .*standuot.*standout.*Mend it/],
  ["no JSON", '{"surface":', /config\/canon\/settings\.json .*not JSON.*Mend it/],
];
const everything = { replies: [{ text: "one" }, { text: "two" }], extensions: [extension("same-names")] };
const session = [prompt("work"), settled, prompt("/load-again"), { sleep: 1500 }, prompt("more"), { waitRequests: 2 }, { sleep: 500 }, ...end];

export default [
  ...mistakes.map(([what, text, pattern]) => ({
    name: `a mistake in canon's settings is told once in a session: ${what}`,
    launcher: true,
    env,
    files: own(text),
    ...everything,
    steps: session,
    asserts: [{ requests: 2 }, told(pattern, 1)],
  })),
  {
    name: "a mistake in canon's settings is told once in a session, without a launcher",
    ...sidecar,
    env: { ...sidecar.env, ...env },
    files: own(mistakes[0][1]),
    ...everything,
    steps: session,
    asserts: [{ requests: 2 }, told(mistakes[0][2], 1)],
  },
  {
    name: "a mistake in what Pi's settings say of canon is told with its file, and settings without one tell nothing",
    launcher: true,
    env,
    files: own('{"standout":2}'),
    settings: { canon: { retrieval: "bm25" } },
    ...everything,
    steps: session,
    asserts: [told(/agent\/settings\.json .*retrieval must be.*bm25/, 1), told(/canon was not used/, 1)],
  },
  {
    name: "in print mode a mistake in canon's settings is told on stderr",
    mode: "print",
    extension: true,
    env: { ...sidecar.env, ...env },
    firstArgs: ["hi"],
    files: own(mistakes[0][1]),
    replies: [{ text: "an answer" }],
    steps: [{ waitExit: { code: 0 } }],
    asserts: [{ stdout: "^an answer\n$" }, { stderr: "config/canon/settings\\.json .*standuot" }, { requests: 1 }],
  },
  {
    name: "/canon counts as people do, and says which of Pi's files decides an option",
    launcher: true,
    files: { ".canon/articles/src.md": "---\ncapsule: All sources.\n---\n", ".canon/journal/2026-11-30-one.md": "One.\n" },
    settings: { canon: { standout: 2 } },
    steps: [prompt("/canon"), { sleep: 500 }, ...end],
    asserts: [told(/\.canon: 1 article, 1 journal entry\n[^]*standout 2 \(by [^)]*agent\/settings\.json\), mounts none\.$/, 1)],
  },
  {
    name: "/canon-settings without a terminal names the file",
    launcher: true,
    env,
    steps: [prompt("/canon-settings"), { sleep: 500 }, ...end],
    asserts: [told(/needs Pi's terminal.*config\/canon\/settings\.json/, 1)],
  },
  {
    name: "the screen of /canon-settings says which of Pi's files decides, and shows what is in force",
    launcher: true,
    mode: "tui",
    columns: 200,
    env,
    settings: { canon: { surface: false } },
    steps: [
      { screen: "scripted-model" }, { sleep: 1000 },
      { submit: "/canon-settings" },
      { screen: "> surface +off" },
      { screen: "surface is decided by .*agent/settings\\.json" },
      { key: ["Enter"] }, { sleep: 500 },
      { screen: "> surface +off" },
      { key: ["Down"] }, { screen: "> resurface +on" },
      { key: ["Enter"] }, { screen: "> resurface +off" },
      { key: ["Escape"] }, { screen: "Canon settings", gone: true },
      { submit: "/quit" }, { waitExit: { code: 0 } },
    ],
    asserts: [{ file: "${agent}/config/canon/settings.json", has: '"resurface": false' }],
  },
];
