// What the launcher knows of Pi's command line, against Pi's own help and parser.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { newestBuild } from "../lib/built.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Runs the program that prints our table and our reading of each argument list. */
function ourReading(version, lists) {
  const program = newestBuild("tests/core/process/print_pi_command_line");
  if (!program) throw new Error("print_pi_command_line is not built: build the dev or release preset first");
  return jsonLines(program, [version], lists);
}

function piReading(run, lists) {
  return jsonLines(run.options.node, [join(here, "../lib/parse-with-pi.mjs"), run.options.pi.folder], lists);
}

function jsonLines(program, args, lists) {
  const input = lists.map((list) => `${JSON.stringify(list)}\n`).join("");
  return execFileSync(program, args, { input, encoding: "utf8", maxBuffer: 1 << 28 }).trim().split("\n").map((line) => JSON.parse(line));
}

// -- the help -------------------------------------------------------------------------------------

/** The options of a help text, as lines "--name -alias value", and its subcommands. */
function readHelp(text) {
  const section = (title) => new RegExp(`^${title}:\n((?:  .*\n|\n(?=  ))+)`, "m").exec(text)?.[1] ?? "";
  const options = [...section("Options").matchAll(/^ {2}(-\S*?)(?:, (-\S+))?( <\S+>| \[\S+\])?(?: \[output\])?(?: {2}|$)/gm)];
  const commands = [...section("Commands").matchAll(/^ {2}pi ([a-z]+)/gm)];
  return {
    options: options.filter(([, name]) => name !== "--").map(([, name, alias = "", value]) => `${name} ${alias} ${value ? "value" : ""}`).sort(),
    commands: [...new Set(commands.map(([, name]) => name))].sort(),
    endOfOptions: /^ {2}-- {2}/m.test(text),
  };
}

function compareWithHelp(run) {
  const help = readHelp(run.driver.stdout);
  if (help.options.length < 30) return `the help shows only ${help.options.length} options: has its form changed?`;
  const [table] = ourReading(run.options.pi.version, []);
  // The help shows the prompt of --print as a message, not as the value that the parser takes.
  const takesValue = ({ name, takesValue: takes }) => (takes && name !== "--print" ? "value" : "");
  const ours = table.options.map((option) => `${option.name} ${option.alias} ${takesValue(option)}`).sort();
  const missing = help.options.filter((option) => !ours.includes(option));
  const excess = ours.filter((option) => !help.options.includes(option));
  return [
    ...missing.map((option) => `the table lacks ${option}`),
    ...excess.map((option) => `the help lacks ${option}`),
    !isDeepStrictEqual(table.subcommands.sort(), help.commands) && `subcommands: ours ${table.subcommands}, Pi's ${help.commands}`,
    table.endOfOptions !== help.endOfOptions && `"--": we say ${table.endOfOptions}, Pi says ${help.endOfOptions}`,
  ];
}

// -- the parser -----------------------------------------------------------------------------------

/** The same argument lists in every run: each of 1 to 7 words. */
function argumentLists(words, count) {
  let seed = 20_260_801;
  const random = (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () => Array.from({ length: 1 + random(7) }, () => words[random(words.length)]));
}

function sessionOf({ fork, session, resume, continue: latest, sessionId }) {
  if (fork) return ["fork", fork];
  if (session) return [/[/\\]|\.jsonl$/.test(session) ? "file" : "id_start", session];
  if (resume) return ["pick", ""];
  if (latest) return ["latest", ""];
  return sessionId ? ["exact_id", sessionId] : ["fresh", ""];
}

/** What Pi's parser says, in our terms. */
function inOurTerms(parsed) {
  const [session, sessionValue] = sessionOf(parsed);
  return {
    isSession: !(parsed.help || parsed.version || parsed.export || parsed.listModels !== undefined),
    mode: ["rpc", "json"].includes(parsed.mode) ? parsed.mode : parsed.print ? "print" : "terminal",
    session,
    sessionValue,
    noSession: parsed.noSession === true,
    prompts: parsed.messages,
    files: parsed.fileArgs,
  };
}

/** What a restart must keep: everything but prompts, files, the choice of a session, and its name. */
function kept(parsed) {
  const { messages, fileArgs, session, sessionId, fork, continue: latest, resume, name, diagnostics, ...rest } = parsed;
  return rest;
}

function compareWithParser(run) {
  const { folder, version } = run.options.pi;
  if (!folder || !existsSync(join(folder, "dist/cli/args.js"))) return [];
  const [table] = ourReading(version, []);
  const names = table.options.flatMap(({ name, alias }) => [name, alias]).filter(Boolean);
  const words = [...names, ...names, "--", "--plan", "--plan=x", "--session=x", "-q", "go", "@file", "rpc", "json", "text", "a/b", "s.jsonl", ""];
  const subcommands = new Set(table.subcommands);
  const lists = argumentLists(words, 4000).filter(([first]) => !subcommands.has(first));
  const ours = ourReading(version, lists).slice(1);
  const read = lists.map((list, index) => ({ list, our: ours[index] })).filter(({ our }) => !our.error);
  const first = piReading(run, read.map(({ our }) => our.firstStart));
  const restart = piReading(run, read.map(({ our }) => our.restart));
  const problems = [];
  read.forEach(({ list, our }, index) => {
    const { firstStart: _first, restart: _restart, ...ourTerms } = our;
    const pis = inOurTerms(first[index]);
    if (!isDeepStrictEqual(ourTerms, pis)) problems.push(`${JSON.stringify(list)}: we read ${JSON.stringify(ourTerms)}, Pi reads ${JSON.stringify(pis)}`);
    const again = inOurTerms(restart[index]);
    if (again.prompts.length || again.files.length || again.session !== "fresh") problems.push(`${JSON.stringify(list)}: the restart ${JSON.stringify(our.restart)} repeats something`);
    if (!isDeepStrictEqual(kept(first[index]), kept(restart[index]))) problems.push(`${JSON.stringify(list)}: the restart ${JSON.stringify(our.restart)} changes an option`);
  });
  if (read.length < 2000) problems.push(`only ${read.length} argument lists could be compared`);
  return problems.slice(0, 10);
}

export default {
  name: "the table agrees with the help and the parser of this Pi",
  smoke: true,
  mode: "plain",
  model: null,
  args: ["--help"],
  asserts: [compareWithHelp, compareWithParser],
};
