// Plays the launcher's side of the bridge, so that the extension can be tried on the real Pi alone.
import { createServer } from "node:net";
import { join } from "node:path";
import { until } from "./time.mjs";

export const credentials = {
  PI_RESILIENT_SOCKET: "${dir}/s",
  PI_RESILIENT_GENERATION: "generation-1",
  PI_RESILIENT_SECRET: "5ec2e7".padEnd(64, "0"),
};

export class LauncherStandIn {
  /** Everything that the extension has sent. */
  frames = [];
  #answer;
  #sockets = new Set();
  #did = 0;
  #server;
  #path;

  /** `answer(frame, standIn)` gives the fields of a reply, or nothing for an empty one. */
  constructor(answer) {
    this.#answer = answer;
  }

  async listen(run) {
    this.#path = join(run.sandbox.dir, "s");
    this.#server = createServer((socket) => this.#take(socket));
    await new Promise((resolve) => this.#server.listen(this.#path, resolve));
  }

  /** As when the launcher dies: connections are cut and nobody listens any more. */
  async die() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  of(type) {
    return this.frames.filter((frame) => frame.type === type);
  }

  async frame(type, count = 1, ms = 10_000) {
    await until(() => this.of(type).length >= count, ms, `no ${type} number ${count}; there were: ${this.story()}`);
    return this.of(type)[count - 1];
  }

  /** What was sent, in short. */
  story() {
    return this.frames.map(({ type }) => type).join(" ");
  }

  part(fields) {
    return { did: ++this.#did, ...fields };
  }

  direct(fields) {
    this.#write(this.part(fields));
  }

  #write(frame) {
    for (const socket of this.#sockets) socket.write(`${JSON.stringify({ v: 1, ...frame })}\n`);
  }

  #take(socket) {
    this.#sockets.add(socket);
    let text = "";
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (chunk) => {
      text += chunk;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const frame = JSON.parse(text.slice(0, end));
        text = text.slice(end + 1);
        this.frames.push(frame);
        const fields = this.#answer(frame, this) ?? {};
        if (frame.id) this.#write({ type: "reply", re: frame.id, ...(frame.type === "hello" ? { ok: true, role: "supervised" } : {}), ...fields });
        else if (fields.re) this.#write({ type: "reply", ...fields });
      }
    });
  }
}

/** A scenario with the extension and a stand-in that answers; `run.notes.launcher` is the stand-in. */
export function withStandIn({ answer = () => () => undefined, steps, env, ...rest }) {
  return {
    extension: true,
    autoStart: false,
    env: { ...credentials, ...env },
    ...rest,
    steps: [
      async (run) => {
        run.notes.launcher = new LauncherStandIn(answer(run));
        await run.notes.launcher.listen(run);
      },
      ...steps,
    ],
  };
}
