// The two ways to the other side, as one kind of byte stream.

import { spawn, type ChildProcess } from "node:child_process";
import { connect } from "node:net";

export interface Stream {
  write(bytes: Buffer): void;
  /** Says that nothing more is written, waits at most `patience` ms for the other end, then cuts. */
  end(patience: number): Promise<void>;
  /** Cuts at once. */
  destroy(): void;
  /** Whether this stream alone may keep Pi's process alive. */
  hold(alive: boolean): void;
  /** Bytes that the other side has not taken yet. */
  waiting(): number;
}

export interface StreamEvents {
  open(): void;
  data(bytes: Buffer): void;
  /** Comes once, also when the stream never opened. */
  close(why: Ending): void;
}

export interface Ending {
  /** For people. */
  text: string;
  /** Nobody is there: no such program, no such socket, nobody listens. */
  absent: boolean;
}

export type Open = (events: StreamEvents) => Stream;

/** The launcher's Unix socket. */
export function socketAt(path: string): Open {
  return (events) => {
    let absent = false;
    let text = "the connection was closed";
    const socket = connect({ path });
    socket.unref();
    socket.on("connect", () => events.open());
    socket.on("data", (bytes) => events.data(bytes));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      absent = error.code === "ENOENT" || error.code === "ECONNREFUSED";
      text = error.message;
    });
    socket.on("close", () => events.close({ text, absent }));
    return {
      write: (bytes) => void socket.write(bytes),
      end: (patience) => settled((done) => socket.end(done), patience).then(() => void socket.destroy()),
      destroy: () => void socket.destroy(),
      hold: (alive) => void (alive ? socket.ref() : socket.unref()),
      waiting: () => socket.writableLength,
    };
  };
}

/** Its own process, spoken to over standard input and output. */
export function sidecarOf(program: string, environment: NodeJS.ProcessEnv = process.env): Open {
  return (events) => {
    let complaint = "";
    let closed = false;
    let child: ChildProcess | undefined;
    const close = (ending: Ending) => {
      if (closed) return;
      closed = true;
      events.close(ending);
    };
    const parts = () => [child, child?.stdin, child?.stdout, child?.stderr] as (Holdable | null | undefined)[];
    const hold = (alive: boolean) => parts().forEach((part) => (alive ? part?.ref?.() : part?.unref?.()));
    try {
      child = spawn(program, ["sidecar"], { stdio: ["pipe", "pipe", "pipe"], env: environment });
      child.on("spawn", () => events.open());
      child.on("error", (error: NodeJS.ErrnoException) =>
        close({ text: error.message, absent: error.code === "ENOENT" || error.code === "EACCES" }),
      );
      child.on("close", (code, signal) => {
        const last = complaint.trim().split("\n").at(-1);
        close({ text: `it ended with ${signal ?? `status ${code}`}${last ? `: ${last}` : ""}`, absent: false });
      });
      child.stdout!.on("data", (bytes: Buffer) => events.data(bytes));
      child.stderr!.on("data", (bytes: Buffer) => (complaint = (complaint + bytes.toString("utf8")).slice(-2000)));
      for (const pipe of [child.stdin!, child.stdout!, child.stderr!]) pipe.on("error", () => {});
      hold(false);
    } catch (error) {
      // Told later, so that the caller has the stream before it hears of its end.
      setImmediate(() => close({ text: String(error), absent: false }));
    }
    const gone = (patience: number) =>
      settled((done) => (child?.exitCode === null && child.signalCode === null ? child.once("close", done) : done()), patience);
    return {
      write: (bytes) => void child?.stdin?.write(bytes),
      end: async (patience) => {
        child?.stdin?.end();
        if (child?.pid === undefined) return;
        if (await gone(patience)) return;
        child.kill("SIGTERM");
        if (!(await gone(500))) child.kill("SIGKILL");
      },
      destroy: () => void child?.kill("SIGTERM"),
      hold,
      waiting: () => child?.stdin?.writableLength ?? 0,
    };
  };
}

interface Holdable {
  ref?(): void;
  unref?(): void;
}

/** Waits for `start` to call back, at most `patience` ms. False when it did not. */
function settled(start: (done: () => void) => void, patience: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patience);
    start(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
