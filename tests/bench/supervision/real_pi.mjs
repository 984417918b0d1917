// What a restart costs with the real Pi: from kill -9 to the next request of the goal, and, in turns
// with it, from a bare start of Pi on a copy of the same session to the request of its prompt.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { ModelServer } from "../../../deploy/model-server/model-server.mjs";
import { PipeDriver } from "../../e2e/lib/pipe-driver.mjs";
import { findNode, resolvePi } from "../../e2e/lib/pi.mjs";
import { findPi } from "../../e2e/lib/processes.mjs";
import { findSessions, makeSandbox } from "../../e2e/lib/sandbox.mjs";
import { sleep, until } from "../../e2e/lib/time.mjs";

const patience = 60_000;
const model = ["--model", "scripted/scripted-model"];

/** [{ ours, bare }] in ms. */
export async function realPi({ launcher, pi, pairs, root }) {
  const stalled = { text: "an answer that is never finished", stallAfter: 2 };
  const server = await new ModelServer(Array(2 * pairs + 2).fill(stalled)).start();
  const sandbox = makeSandbox(root, { name: "real-pi" }, { pi: resolvePi(pi), node: findNode(), serverUrl: server.url, serverPort: server.port });
  const start = async (command, ...args) => {
    const driver = new PipeDriver({ command, args, env: sandbox.env, cwd: sandbox.project, keepStdin: true });
    return driver.start();
  };
  const nextRequest = async (count) => {
    await until(() => server.requests.length > count, patience, "no request came");
    return server.requests[count].at;
  };
  const run = await start(launcher, "--run-dir", sandbox.run, "--healthy-seconds", "0", "--", "--mode", "rpc", ...model);
  run.send({ type: "prompt", message: "/goal build it" });
  await nextRequest(0);
  const [session] = findSessions([join(sandbox.agent, "sessions")]);
  const found = [];
  for (let pair = 0; pair < pairs; ++pair) {
    await sleep(500);
    let count = server.requests.length;
    const victim = findPi(run.pid).pid;
    let began = Date.now();
    process.kill(victim, "SIGKILL");
    const ours = (await nextRequest(count)) - began;

    await sleep(500);
    count = server.requests.length;
    const copy = join(sandbox.tmp, `${pair}.jsonl`);
    copyFileSync(session, copy);
    began = Date.now();
    const bare = await start(sandbox.names.pi, "--mode", "rpc", ...model, "--session", copy);
    bare.send({ type: "prompt", message: "go on" });
    found.push({ ours, bare: (await nextRequest(count)) - began });
    await bare.dispose();
  }
  await run.dispose();
  await server.stop();
  return found;
}
