// A stand-in for Pi: records what the extension registers and calls, and fires events at it.

import type { Command, FakeContext } from "./types.ts";
import type { Component, Context, Draft, Entry, Level, Message, Mode, Pi, PiEvent, Tool } from "../../src/pi.ts";

export interface FakeOptions {
  mode?: Mode;
  /** A Pi that takes drafts at boundaries, as from 0.87 on. */
  boundary?: boolean;
  entries?: Entry[];
  settings?: unknown;
  summary?: (request: { systemPrompt: string; messages: unknown[] }, signal: AbortSignal) => Promise<Message>;
}

export class FakePi {
  readonly pi: Pi;
  readonly context: FakeContext;
  readonly commands = new Map<string, Command>();
  readonly tools = new Map<string, Tool>();
  readonly sent: { text: string; options?: unknown }[] = [];
  readonly messages: { message: unknown; options: unknown }[] = [];
  readonly appended: { customType: string; data: unknown }[] = [];
  readonly notices: { level: Level | undefined; text: string }[] = [];
  readonly statuses: (string | undefined)[] = [];
  readonly calls: string[] = [];
  /** What other extensions have registered. */
  foreignCommands: { name: string; sourceInfo: { path: string } }[] = [];
  activeTools: string[] = ["read", "bash"];
  idle = true;
  pending = false;
  stale = false;
  entries: Entry[];
  screen: Component | undefined;
  private handlers = new Map<string, ((event: PiEvent, context: Context) => unknown)[]>();
  private terminal = new Set<(data: string) => undefined>();
  private readonly options: FakeOptions;

  constructor(options: FakeOptions = {}) {
    this.options = options;
    this.entries = options.entries ?? [];
    this.pi = this.makePi();
    this.context = this.makeContext();
  }

  /** Fires an event as Pi does: every handler is awaited; the last answer counts. */
  async fire(name: string, event: PiEvent = {}): Promise<unknown> {
    let answer: unknown;
    for (const handler of this.handlers.get(name) ?? []) {
      const one = await handler({ type: name, ...event }, this.context);
      if (one !== undefined) answer = one;
    }
    return answer;
  }

  subscribed(name: string): boolean {
    return this.handlers.has(name);
  }

  press(data: string): void {
    for (const listener of this.terminal) listener(data);
  }

  command(name: string, args = ""): Promise<void> {
    return this.commands.get(name)!.handler(args, this.context);
  }

  callTool(name: string, parameters: unknown, signal?: AbortSignal) {
    return this.tools.get(name)!.execute("call-1", parameters, signal, undefined, this.context);
  }

  turn(message: Message, more: PiEvent = {}): Promise<unknown> {
    return this.fire("turn_end", { message: { role: "assistant", ...message }, ...(this.options.boundary ? { entries: [] } : {}), ...more });
  }

  private makePi(): Pi {
    return {
      on: (name, handler) => {
        const list = this.handlers.get(name) ?? [];
        this.handlers.set(name, [...list, handler]);
        return this.options.boundary ? () => {} : undefined;
      },
      registerCommand: (name, command) => void this.commands.set(name, command as Command),
      registerTool: (tool) => {
        this.tools.set(tool.name, tool);
        if (!this.activeTools.includes(tool.name)) this.activeTools.push(tool.name);
      },
      sendUserMessage: (text, options) => {
        this.guard();
        this.sent.push(options ? { text, options } : { text });
      },
      sendMessage: (message, options) => void this.messages.push({ message, options }),
      appendEntry: (customType, data) => {
        this.guard();
        this.appended.push({ customType, data });
      },
      getCommands: () => this.foreignCommands,
      getActiveTools: () => this.activeTools,
      setActiveTools: (names) => void (this.activeTools = names),
      ...(this.options.settings === undefined ? {} : { getSettings: () => this.options.settings }),
    };
  }

  private guard(): void {
    if (this.stale) throw new Error("This extension ctx is stale");
  }

  private makeContext(): FakeContext {
    const fake = this;
    return {
      mode: this.options.mode ?? "rpc",
      hasUI: this.options.mode !== "print" && this.options.mode !== "json",
      cwd: "/project",
      model: { provider: "anthropic" },
      ui: {
        notify: (text, level) => void fake.notices.push({ level, text }),
        setStatus: (_key, text) => void fake.statuses.push(text),
        onTerminalInput: (listener) => {
          fake.terminal.add(listener);
          return () => void fake.terminal.delete(listener);
        },
        custom: (factory) =>
          new Promise((resolve) => {
            fake.screen = factory({ requestRender: () => void fake.calls.push("render") }, {}, {}, resolve);
          }),
      },
      sessionManager: {
        getSessionFile: () => "/sessions/one.jsonl",
        getSessionId: () => "session-1",
        getLeafId: () => "leaf-1",
        getBranch: () => fake.entries,
        buildContextEntries: () => fake.entries,
      },
      ...(this.options.summary
        ? {
            modelRegistry: {
              streamSimple: (_model: unknown, request: never, { signal }: { signal: AbortSignal }) => ({
                result: () => fake.options.summary!(request, signal),
              }),
            },
          }
        : {}),
      isIdle: () => {
        fake.guard();
        return fake.idle;
      },
      hasPendingMessages: () => fake.pending,
      isProjectTrusted: () => true,
      abort: () => void fake.calls.push("abort"),
      shutdown: () => void fake.calls.push("shutdown"),
      waitForIdle: async () => {
        fake.calls.push("waitForIdle");
        while (!fake.idle) await new Promise((resolve) => setTimeout(resolve, 5));
      },
      reload: async () => void fake.calls.push("reload"),
    };
  }
}

export type BoundaryAnswer = { entries?: Draft[]; continue?: boolean } | undefined;
