// The connection: requests with deadlines, events, directives, and coming back after a loss.
//
// Knows frames and time, nothing of Pi.

import { encode, LineReader, protocolVersion, type Frame } from "./frames.ts";
import type { Ending, Open, Stream } from "./transport.ts";
import { isCount, textOf, type Json } from "./values.ts";

export type State = "idle" | "opening" | "waiting" | "accepted" | "lost" | "closed";

export interface BridgeEvents {
  /** Makes the hello for a connection that has just opened. */
  hello(reason?: string): Frame;
  accepted(reply: Json): void;
  /** The other side does not want us; the connection is closed for good. */
  rejected(message: string): void;
  directive(directive: Json): void;
  lost(ending: Ending): void;
  /** Another attempt failed while the connection is down. */
  stillLost(ending: Ending, lostFor: number): void;
}

export interface BridgeOptions {
  open: Open;
  events: BridgeEvents;
  /** First and longest pause between attempts, in ms. */
  backoff: { first: number; most: number };
  /** Whether a far side that is not there is tried again. */
  retryAbsent: boolean;
  helloDeadline?: number;
}

/** A peer that takes no bytes for so long is lost. */
const outgoingLimit = 4 * 1_048_576;
/** A connection that held for so long starts its pauses anew. */
const healthyAfter = 60_000;
const rememberedDirectives = 4096;

interface Waiting {
  settle(reply: Json | undefined): void;
}

export class Bridge {
  state: State = "idle";
  /** The other side has taken us at least once. */
  wasAccepted = false;
  /** The id of the last request; none is used twice, also on another connection. */
  lastId = 0;
  private readonly options: BridgeOptions;
  private stream: Stream | undefined;
  private requests = new Map<number, Waiting>();
  private helloId = 0;
  private applied = new Set<number>();
  private pause: number;
  private retryTimer: NodeJS.Timeout | undefined;
  private openedAt = 0;
  private lostAt: number | undefined;
  private holds = 0;
  private firstAnswer: Promise<void> | undefined;
  private answered: (() => void) | undefined;

  constructor(options: BridgeOptions) {
    this.options = options;
    this.pause = options.backoff.first;
  }

  /** Opens the connection and says hello. Resolves when that is answered or refused, or its deadline has passed. */
  start(): Promise<void> {
    if (this.firstAnswer) return this.firstAnswer;
    this.firstAnswer = new Promise((resolve) => {
      const timer = setTimeout(resolve, this.options.helloDeadline ?? 2000);
      this.answered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.open();
    return this.firstAnswer;
  }

  get connected(): boolean {
    return this.state === "accepted";
  }

  /** Sends an event. It is dropped while nobody is there to take it. */
  event(frame: Frame): boolean {
    return this.connected && this.write(frame);
  }

  /** Sends hello again on the connection that is there. */
  helloAgain(reason: string): Promise<void> {
    if (!this.connected) return Promise.resolve();
    const answer = this.ask(this.options.events.hello(reason), this.options.helloDeadline ?? 2000);
    this.helloId = this.lastId;
    return answer.then(() => undefined);
  }

  /** Asks, and resolves with the reply, or with nothing once the deadline passes, the signal fires or the connection is lost. */
  request(frame: Frame, deadline: number, signal?: AbortSignal): Promise<Json | undefined> {
    if (!this.connected) return Promise.resolve(undefined);
    return this.ask(frame, deadline, signal);
  }

  /** Waits for a second reply to a request that was already answered once. */
  secondReply(id: number, deadline: number, signal?: AbortSignal): Promise<Json | undefined> {
    if (!this.connected) return Promise.resolve(undefined);
    return this.wait(id, deadline, signal);
  }

  /** Says goodbye, if anybody listens, and closes for good. */
  async close(goodbye: Frame | undefined, patience: number): Promise<void> {
    const said = this.state === "accepted" || this.state === "waiting";
    if (goodbye && said) this.write(goodbye);
    const stream = this.stream;
    this.finish("closed");
    this.answered?.();
    await stream?.end(patience);
  }

  private open(): void {
    this.state = "opening";
    this.openedAt = Date.now();
    this.applied.clear();
    const reader = new LineReader({
      frame: (frame) => this.frame(frame),
      broken: (why) => this.drop({ text: why, absent: false }),
    });
    // A stream that was given up may still speak; it is not listened to.
    const current = (act: () => void) => () => void (this.stream === stream && act());
    const stream: Stream = this.options.open({
      open: () => current(() => this.opened())(),
      data: (bytes) => current(() => reader.push(bytes))(),
      close: (ending) => current(() => this.ended(ending))(),
    });
    this.stream = stream;
  }

  private opened(): void {
    this.state = "waiting";
    // No deadline: start() stops waiting by itself, and a late answer still says whether we are wanted.
    void this.ask(this.options.events.hello(), undefined);
    this.helloId = this.lastId;
  }

  private helloReply(reply: Json): void {
    if (this.state !== "waiting" && this.state !== "accepted") return;
    if (reply.ok === false && reply.code !== "lease") {
      const message = textOf(reply.message) || `pi-resilient refused the connection (${textOf(reply.code)})`;
      this.reject(message);
      return;
    }
    this.state = "accepted";
    this.wasAccepted = true;
    this.lostAt = undefined;
    this.options.events.accepted(reply);
    this.answered?.();
  }

  /** Ends for good because the other side said so. */
  reject(message: string): void {
    const stream = this.stream;
    this.finish("closed");
    void stream?.end(500);
    this.answered?.();
    this.options.events.rejected(message);
  }

  private frame(frame: Json): void {
    if (frame.v !== protocolVersion) return;
    if (frame.type === "reply") {
      const waiting = isCount(frame.re) ? this.requests.get(frame.re) : undefined;
      if (!waiting) return;
      if (frame.re === this.helloId) this.helloReply(frame);
      if (Array.isArray(frame.directives)) frame.directives.forEach((one) => this.directive(one));
      waiting.settle(frame);
      return;
    }
    if (frame.type === "refused") {
      if (isCount(frame.re)) this.requests.get(frame.re)?.settle(undefined);
      return;
    }
    this.directive(frame);
  }

  private directive(directive: unknown): void {
    if (typeof directive !== "object" || directive === null) return;
    const one = directive as Json;
    if (isCount(one.did)) {
      if (this.applied.has(one.did)) return;
      this.applied.add(one.did);
      if (this.applied.size > rememberedDirectives) this.applied.delete(this.applied.values().next().value!);
    }
    if (this.state === "waiting" || this.state === "accepted") this.options.events.directive(one);
  }

  private ask(frame: Frame, deadline: number | undefined, signal?: AbortSignal): Promise<Json | undefined> {
    const id = ++this.lastId;
    if (signal?.aborted || !this.write({ ...frame, id })) return Promise.resolve(undefined);
    return this.wait(id, deadline, signal);
  }

  private wait(id: number, deadline: number | undefined, signal?: AbortSignal): Promise<Json | undefined> {
    return new Promise((resolve) => {
      // With a deadline somebody inside Pi waits for the answer: timer and stream keep the process alive.
      const held = deadline === undefined ? 0 : 1;
      const timer = held ? setTimeout(() => settle(undefined), deadline) : undefined;
      const abort = () => settle(undefined);
      this.hold(held);
      const settle = (reply: Json | undefined) => {
        if (!this.requests.delete(id)) return;
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.hold(-held);
        resolve(reply);
      };
      this.requests.set(id, { settle });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  private hold(change: number): void {
    this.holds += change;
    this.stream?.hold(this.holds > 0);
  }

  private write(frame: Frame): boolean {
    const line = encode(frame);
    if (!line || !this.stream) return false;
    this.stream.write(line);
    if (this.stream.waiting() > outgoingLimit) this.drop({ text: "it does not read what it is sent", absent: false });
    return true;
  }

  private drop(ending: Ending): void {
    const stream = this.stream;
    this.ended(ending);
    stream?.destroy();
  }

  /** The stream is gone: every open request takes its default, and after a pause there is another attempt. */
  private ended(ending: Ending): void {
    const wasAccepted = this.state === "accepted";
    this.finish("lost");
    if (wasAccepted && Date.now() - this.openedAt > healthyAfter) this.pause = this.options.backoff.first;
    const first = this.lostAt === undefined;
    this.lostAt ??= Date.now();
    if (first) this.options.events.lost(ending);
    else this.options.events.stillLost(ending, Date.now() - this.lostAt);
    if (this.state !== "lost") return;
    if (ending.absent && !this.options.retryAbsent) {
      this.answered?.();
      return;
    }
    this.retryTimer = setTimeout(() => this.open(), this.pause);
    this.retryTimer.unref();
    this.pause = Math.min(this.pause * 2, this.options.backoff.most);
  }

  private finish(state: "lost" | "closed"): void {
    this.state = state;
    clearTimeout(this.retryTimer);
    this.stream = undefined;
    for (const waiting of [...this.requests.values()]) waiting.settle(undefined);
    this.holds = 0;
  }
}
