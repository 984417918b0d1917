// One throw-away home for each run: nothing outside it is touched.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A token that looks like a ChatGPT login, for the codex dialect. */
function codexToken() {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { "https://api.openai.com/auth": { chatgpt_account_id: "account" }, exp: 4102444800 };
  return `${part({ alg: "none" })}.${part(claims)}.x`;
}

/** The models.json that points Pi at the model server. */
function modelsFile(scenario, serverUrl) {
  const api = scenario.api ?? "openai-completions";
  const isCodex = api === "openai-codex-responses";
  const model = {
    id: "scripted-model",
    name: "Scripted",
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 8192,
    ...scenario.model,
  };
  const baseUrl = isCodex || api === "anthropic-messages" ? serverUrl : `${serverUrl}/v1`;
  return { providers: { scripted: { baseUrl, api, apiKey: isCodex ? codexToken() : "scripted-key", models: [model] } } };
}

/** Puts ${name} texts in place, in every string of a value. */
export function fillIn(value, names) {
  if (typeof value === "string") return value.replace(/\$\{(\w+)\}/g, (whole, name) => names[name] ?? whole);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, names));
  if (value?.constructor === Object) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, names)]));
  }
  return value;
}

/**
 * Makes the folders and files of a run below `root` and returns their paths, the environment of the
 * run, and `names`: what ${...} in a scenario stands for.
 */
export function makeSandbox(root, scenario, { pi, node, serverUrl, serverPort }) {
  mkdirSync(root, { recursive: true });
  const dir = mkdtempSync(join(root, `${scenario.name.replace(/[^\w-]+/g, "_").slice(0, 24)}-`));
  const folders = Object.fromEntries(["home", "agent", "project", "tmp", "bin", "run"].map((name) => [name, join(dir, name)]));
  for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o700 });
  const { home, agent, project, tmp, bin, run } = folders;
  const piProgram = join(bin, "pi");
  symlinkSync(pi.program, piProgram); // as npm installs it
  const names = { dir, home, agent, project, tmp, run, pi: piProgram, serverPort: String(serverPort) };

  const write = (file, content) => {
    mkdirSync(dirname(file), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
    writeFileSync(file, fillIn(text, names));
  };
  write(join(agent, "models.json"), modelsFile(scenario, serverUrl));
  write(join(agent, "settings.json"), {
    defaultProvider: "scripted",
    defaultModel: "scripted-model",
    quietStartup: true,
    enableInstallTelemetry: false,
    retry: { enabled: true, maxRetries: 2, baseDelayMs: 100 },
    ...scenario.settings,
  });
  if (scenario.trust) write(join(agent, "trust.json"), { [project]: true });
  for (const [path, content] of Object.entries(scenario.files ?? {})) {
    write(path.startsWith("$agent/") ? join(agent, path.slice("$agent/".length)) : join(project, path), content);
  }

  const env = {
    PATH: `${bin}:${dirname(node)}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: tmp,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    PI_CODING_AGENT_DIR: agent,
    PI_REAL_BIN: piProgram,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
    SANDBOX: dir,
    ...fillIn(scenario.env ?? {}, names),
  };
  return { dir, ...folders, env, names, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** The lines of a JSONL file; a line that does not parse becomes { type: "__unparsable__", raw }. */
export function readJsonLines(file) {
  return readFileSync(file, "utf8").split("\n").filter((line) => line.trim()).map((raw) => {
    try {
      return JSON.parse(raw);
    } catch {
      return { type: "__unparsable__", raw };
    }
  });
}

/** Every session file below the given folders, oldest name first. */
export function findSessions(folders) {
  const found = folders.filter(existsSync).flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)));
  return found.filter((file) => file.endsWith(".jsonl")).sort();
}
