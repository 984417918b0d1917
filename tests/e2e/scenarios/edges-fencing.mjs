// Nobody but the living Pi speaks for it: not a Pi inside Pi, not what is left of an older one.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const bash = (command) => ({ tools: [{ name: "bash", args: { command } }] });
const secretNames = /PI_RESILIENT_(SOCKET|SECRET|GENERATION)/;

/** Installs the extension as a package beside the one that the launcher loads, and the program on PATH. */
function installPackage(run) {
  const file = join(run.sandbox.agent, "settings.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), packages: [run.options.extension] }));
  symlinkSync(run.options.launcher, join(run.sandbox.bin, "pi-resilient"));
}

/** What the launcher gave to the Pi that runs now. */
function credentials(run) {
  const variables = readFileSync(`/proc/${run.piPid()}/environ`, "utf8").split("\0").map((line) => line.split(/=(.*)/s));
  const { PI_RESILIENT_SOCKET: socket, PI_RESILIENT_GENERATION: generation, PI_RESILIENT_SECRET: secret } = Object.fromEntries(variables);
  return { socket, generation, secret };
}

/** Says hello in another's name and returns the answer. */
function greet({ socket, generation, secret }, run) {
  const hello = {
    v: 1, type: "hello", id: 1, extension_version: "0.1.0", generation, secret, pid: process.pid, pi_version: run.options.pi.version,
    mode: "rpc", has_ui: false, cwd: run.cwd, agent_folder: run.sandbox.agent, trusted: false, reason: "startup",
    session: { file: join(run.sandbox.dir, "stolen.jsonl"), id: "stolen" }, capabilities: [], entries: {}, idle: true, pending: false, others: [],
  };
  return new Promise((resolve) => {
    let text = "";
    const connection = createConnection(socket, () => connection.write(`${JSON.stringify(hello)}\n`));
    connection.setTimeout(10_000, () => connection.destroy());
    connection.on("data", (bytes) => (text += bytes)).on("error", () => {});
    connection.on("close", () => resolve(text.includes("\n") ? JSON.parse(text.split("\n")[0]) : {}));
  });
}
const refusedAs = (code) => async (run) => {
  const answer = await greet(run.notes.credentials, run);
  if (answer.ok !== false || answer.code !== code) run.fail(`the hello was answered ${JSON.stringify(answer)}, wanted ${code}`);
};

const noSecret = (run) => {
  const bodies = JSON.stringify(run.server.requests.map(({ body }) => body));
  const places = { "a model": bodies, "a session": JSON.stringify(run.session()), ...run.directory.texts() };
  const { secret } = run.notes.credentials;
  if (!secret || secret.length < 32) return `the launcher gave no secret: ${secret}`;
  const seen = Object.entries(places).filter(([, text]) => text.includes(secret)).map(([name]) => `${name} saw the secret`);
  return secretNames.test(bodies) ? [...seen, "a tool saw the launcher's variables"] : seen;
};
const onlyPiSaidHello = (run) => {
  const hellos = run.directory.texts()["events.jsonl"].split("\n").filter((line) => line.includes('"id":"hello"')).map((line) => JSON.parse(line).facts.pid);
  return hellos.length === 2 && hellos[0] === run.notes.first && hellos[1] === run.knownPi ? undefined : `hello came from ${hellos}`;
};

export default [
  {
    name: "a Pi inside Pi, a stolen name and an older generation take over nothing, and no tool sees a secret",
    launcher: true,
    autoStart: false,
    replies: [
      { when: { last: "nested-hello" }, text: "NESTED-ANSWER" },
      { when: { last: "OBJECTIVE" }, ...bash("env; pi -p --model scripted/scripted-model nested-hello 2>&1") },
      { when: { last: "NESTED-ANSWER" }, tools: [{ name: "update_goal", args: { status: "complete" } }] },
      { when: { lastRole: "tool" }, text: "T4" },
    ],
    steps: [
      installPackage,
      { start: {} },
      prompt("/goal build the OBJECTIVE"),
      { waitRequests: 1 },
      (run) => {
        run.notes.credentials = credentials(run);
        run.notes.first = run.knownPi;
      },
      { waitRequests: 4, ms: 120_000 },
      { waitFor: (run) => run.directory.runtime.goal?.state === "complete" },
      refusedAs("second_client"),
      { signal: "SIGKILL", to: "pi" },
      { newPi: true },
      { waitFor: (run) => run.directory.runtime.pi?.pid === run.knownPi },
      refusedAs("generation"),
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 4 }, { request: 2, last: "PI_RESILIENT_MARK" }, noSecret, onlyPiSaidHello],
  },
];
