// One session of Pi: from session_start to session_shutdown. Holds the connection and what Pi told last.

import { Bridge } from "./bridge.ts";
import { applyDirective } from "./directives.ts";
import { watchEscape } from "./escape.ts";
import type { Frame } from "./frames.ts";
import { helloFrame } from "./hello.ts";
import { Hold } from "./hold.ts";
import { endsWhenSettled, type Context, type Level, type Pi, type PiEvent } from "./pi.ts";
import { Sender } from "./sender.ts";
import { firstTime, noSettings, owns, release, sharedState, type Owner } from "./shared_state.ts";
import { Tally } from "./tally.ts";
import { ownTools } from "./tools.ts";
import { sidecarOf, socketAt, type Ending } from "./transport.ts";
import { textOf, type Json } from "./values.ts";

const heartbeatEvery = 5000;
/** A launcher that is gone for so long does not come back. */
const launcherPatience = 5000;
/** A Pi that has not told of every extension's start by then does not do so. */
const discoveryPatience = 2000;
/** A Pi that was asked to end and did not is told with a signal after so long. */
const shutdownPatience = 2000;

export class Session {
  readonly pi: Pi;
  readonly owner: Owner;
  readonly hold = new Hold();
  readonly tally = new Tally();
  readonly sender: Sender;
  /** Drafts at turn_end and before settling are taken by this Pi. */
  boundary = false;
  settledAborted = false;
  /** The last response that was told had an error status. */
  responseFailed = false;
  /** Handlers of ours that Pi waits for at the end of a run. */
  openBoundaries = 0;
  /** The id of the last command on the goal: what was decided before it is not sent any more. */
  lastGoalCommand = 0;
  private context: Context | undefined;
  private bridge: Bridge | undefined;
  private startedFor = "";
  private started: Promise<void> | undefined;
  private shut = false;
  private inertBecause = "";
  private heartbeat: NodeJS.Timeout | undefined;
  private forgetEscape: (() => void) | undefined;
  private shutdownAsked = false;
  private withdrawnTools: string[] = [];
  /** How often each command was typed. */
  private readonly typed = new Map<string, number>();

  constructor(pi: Pi, owner: Owner) {
    this.pi = pi;
    this.owner = owner;
    this.sender = new Sender(this);
    owner.alive = () => this.alive();
  }

  private alive(): boolean {
    if (this.shut) return false;
    try {
      this.context?.isIdle();
      return true;
    } catch {
      return false;
    }
  }

  /** What Pi says may be used: the session runs, and it is ours. */
  live(context: Context): boolean {
    if (this.shut || !owns(this.owner)) return false;
    this.context = context;
    return true;
  }

  get current(): Context | undefined {
    return this.shut ? undefined : this.context;
  }

  get connected(): boolean {
    return this.bridge?.connected === true;
  }

  /** Why nothing is done, for the user; empty while something is. */
  get inert(): string {
    return this.inertBecause;
  }

  get unattended(): boolean {
    return endsWhenSettled(this.current?.mode);
  }

  event(frame: Frame): boolean {
    return this.bridge?.event(frame) ?? false;
  }

  request(frame: Frame, deadline: number, signal?: AbortSignal): Promise<Json | undefined> {
    return this.bridge?.request(frame, deadline, signal) ?? Promise.resolve(undefined);
  }

  /** The id of the last request. */
  get lastRequest(): number {
    return this.bridge?.lastId ?? 0;
  }

  secondReply(id: number, deadline: number, signal?: AbortSignal): Promise<Json | undefined> {
    return this.bridge?.secondReply(id, deadline, signal) ?? Promise.resolve(undefined);
  }

  /** Counts a command that was typed; its number. */
  commandTyped(name: string): number {
    const number = this.lastTyped(name) + 1;
    this.typed.set(name, number);
    return number;
  }

  /** The number of the last such command. */
  lastTyped(name: string): number {
    return this.typed.get(name) ?? 0;
  }

  resync(): void {
    void this.bridge?.helloAgain("resync");
  }

  becomeInert(message: string): void {
    if (this.bridge) this.bridge.reject(message);
    else this.rejected(message);
  }

  say(level: Level, text: string): void {
    const context = this.current;
    if (!context || !text) return;
    // Without a user interface Pi drops notices.
    if (endsWhenSettled(context.mode)) process.stderr.write(`pi-resilient: ${text}\n`);
    else context.ui.notify(text, level);
  }

  status(text: string): void {
    this.current?.ui.setStatus("pi-resilient", text === "" ? undefined : text);
  }

  /** Pi may fire session_start twice for one session; the second time does nothing but wait. */
  start(event: PiEvent, context: Context): Promise<void> {
    if (!this.live(context)) return Promise.resolve();
    const reason = event.reason ?? "startup";
    const session = `${context.sessionManager.getSessionId()} ${context.sessionManager.getSessionFile()}`;
    if (this.started && this.startedFor === session) return this.started;
    const again = this.started !== undefined;
    this.startedFor = session;
    this.owner.started = true;
    if (again) this.started = this.bridge?.helloAgain(reason) ?? Promise.resolve();
    else this.started = this.open(reason, event.previousSessionFile).then(() => this.readyBehind(discoveryPatience));
    return this.started;
  }

  private async open(reason: string, previousSessionFile: string | undefined): Promise<void> {
    const { launcher } = sharedState();
    let nextReason: string | undefined = reason;
    this.bridge = new Bridge({
      open: launcher ? socketAt(launcher.socket) : sidecarOf(process.env.PI_RESILIENT_PROGRAM || "pi-resilient"),
      backoff: launcher ? { first: 100, most: 5000 } : { first: 1000, most: 60_000 },
      retryAbsent: launcher !== undefined,
      events: {
        hello: (given) => {
          // Only the first hello of a session has Pi's own reason.
          const frame = this.hello(given ?? nextReason ?? "resync", nextReason ? previousSessionFile : undefined);
          nextReason = undefined;
          return frame;
        },
        accepted: (reply) => this.accepted(reply),
        rejected: (message) => this.rejected(message),
        directive: (directive) => applyDirective(this, directive),
        lost: (ending) => this.lost(ending),
        stillLost: (ending, lostFor) => this.stillLost(ending, lostFor),
      },
    });
    this.heartbeat = setInterval(() => this.beat(), heartbeatEvery);
    this.heartbeat.unref();
    this.forgetEscape = watchEscape(this);
    await this.bridge.start();
  }

  private hello(reason: string, previousSessionFile: string | undefined): Frame {
    return helloFrame({
      pi: this.pi,
      context: this.context!,
      ownPath: this.owner.path,
      boundary: this.boundary,
      settledAborted: this.settledAborted,
      reason,
      previousSessionFile,
    });
  }

  /**
   * Every extension has had its session_start: what was to be sent in answer to hello is sent now. A Pi that
   * ends when it has settled does not wait for a run that was started before its own prompt, and drops that run.
   * It does wait for this event, so it stays open until the run is over.
   */
  async discovered(): Promise<void> {
    if (this.unattended) {
      this.sender.becomeReady();
      if (this.sender.count > 0) await this.untilQuiet();
    } else {
      // So that the run has what the other extensions answer to it.
      this.readyBehind(0);
    }
  }

  private readyBehind(pause: number): void {
    setTimeout(() => this.shut || this.sender.becomeReady(), pause).unref();
  }

  /** Resolves when Pi is idle and none of our own handlers is about to go on; at most after `longest` ms. */
  async untilQuiet(longest = Number.POSITIVE_INFINITY): Promise<void> {
    const end = Date.now() + longest;
    let quiet = 0;
    while (!this.shut && quiet < 3 && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const context = this.current;
      quiet = context?.isIdle() && !context.hasPendingMessages() && this.openBoundaries === 0 ? quiet + 1 : 0;
    }
  }

  private accepted(reply: Json): void {
    this.inertBecause = "";
    this.bringBackTools();
    if (reply.ok === false) this.say("warning", textOf(reply.message));
  }

  private rejected(message: string): void {
    this.inertBecause = message || "pi-resilient told this Pi to do without it";
    this.drop();
    this.withdrawTools();
    this.say("warning", this.inertBecause);
  }

  private lost(ending: Ending): void {
    const { set, launcher } = sharedState();
    const held = set.gate !== "" || set.systemAppend !== "";
    set.gate = "";
    set.askTurn = false;
    if (!launcher && ending.absent) {
      this.withdrawTools();
      this.inertBecause = missingProgram;
      if (firstTime("missing")) this.say("warning", missingProgram);
      return;
    }
    const what = launcher ? "The connection to the launcher pi-resilient is lost" : "pi-resilient sidecar is not running";
    const then = held ? " Blocked tools are free again, and the recovery is paused." : "";
    if (held || firstTime("lost")) this.say("warning", `${what} (${ending.text}). Trying again.${then}`);
  }

  private stillLost(ending: Ending, lostFor: number): void {
    const { launcher } = sharedState();
    if (!launcher || !ending.absent || lostFor < launcherPatience || this.shutdownAsked) return;
    this.shutdownAsked = true;
    this.hold.release();
    if (!this.bridge?.wasAccepted) return;
    this.say("warning", "The launcher pi-resilient has ended, so this Pi ends too.");
    this.current?.shutdown();
    // Some versions ask for the wish to end only when the next command comes, and print mode never does.
    // A SIGTERM is an orderly end in every mode.
    setTimeout(() => this.shut || process.kill(process.pid, "SIGTERM"), shutdownPatience).unref();
  }

  private beat(): void {
    const context = this.current;
    if (!context || !this.connected) return;
    try {
      this.event({ type: "heartbeat", idle: context.isIdle(), pending: context.hasPendingMessages() });
    } catch {
      // Pi has replaced this session without saying so.
      clearInterval(this.heartbeat);
    }
  }

  /** Tools that would only answer with an error cost the model its attention. */
  private withdrawTools(): void {
    try {
      const active = this.pi.getActiveTools?.() ?? [];
      const ours = active.filter((name) => ownTools.includes(name));
      if (!ours.length || !this.pi.setActiveTools) return;
      this.pi.setActiveTools(active.filter((name) => !ours.includes(name)));
      this.withdrawnTools = ours;
    } catch {
      // They stay, and say what is wrong when they are called.
    }
  }

  private bringBackTools(): void {
    if (!this.withdrawnTools.length) return;
    try {
      this.pi.setActiveTools?.([...new Set([...(this.pi.getActiveTools?.() ?? []), ...this.withdrawnTools])]);
      this.withdrawnTools = [];
    } catch {
      // Nothing is lost but the tools, until the next session.
    }
  }

  private drop(): void {
    Object.assign(sharedState().set, noSettings());
    this.hold.release();
    clearInterval(this.heartbeat);
    this.forgetEscape?.();
  }

  /** After this nothing of Pi may be used any more. */
  async shutdown(event: PiEvent, context: Context): Promise<void> {
    if (!this.live(context)) return;
    const reason = event.reason ?? "quit";
    const target = event.targetSessionFile;
    this.shut = true;
    release(this.owner);
    this.hold.release();
    clearInterval(this.heartbeat);
    this.forgetEscape?.();
    // A sidecar must have ended before the next session starts one; on the way out nobody waits for it long.
    const goodbye = { type: "goodbye", reason, ...(target ? { target_file: target } : {}) };
    await this.bridge?.close(goodbye, reason === "quit" ? 300 : 1500);
  }
}

const missingProgram =
  "The program pi-resilient was not found, so goals, canary and canon do nothing here; Pi itself works as usual. " +
  "Install it so that it is on PATH, or set PI_RESILIENT_PROGRAM to its path, and start Pi again.";
