// The part of Pi's extension interface that this extension touches, as structural types.
//
// They are our own so that nothing of Pi is needed to check or to run this code. Everything that is
// missing in some supported version of Pi is optional here, and found by looking for it.

export type Mode = "tui" | "rpc" | "print" | "json";
export type Level = "info" | "warning" | "error";

/** A block of a message's content. Only the fields that are read here. */
export interface Block {
  type?: string;
  text?: string;
  name?: string;
  arguments?: unknown;
}

export interface Usage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cost?: { total?: number };
}

/** A message of the conversation, as Pi keeps it. */
export interface Message {
  role?: string;
  content?: string | Block[];
  stopReason?: string;
  errorMessage?: string;
  usage?: Usage;
  toolName?: string;
  summary?: unknown;
  command?: unknown;
  output?: unknown;
}

/** An entry of the session file. */
export interface Entry {
  id?: string;
  type?: string;
  customType?: string;
  data?: unknown;
  message?: Message;
  content?: string | Block[];
  summary?: string;
}

export interface SessionManager {
  getSessionFile(): string | undefined;
  getSessionId(): string | undefined;
  getLeafId?(): string | null | undefined;
  getBranch(): Entry[];
  buildContextEntries?(): Entry[];
}

export interface UserInterface {
  notify(text: string, level?: Level): void;
  setStatus(key: string, text: string | undefined): void;
  onTerminalInput?(handler: (data: string) => undefined): () => void;
  custom?<Result>(
    factory: (screen: Screen, theme: unknown, keybindings: unknown, done: (result: Result) => void) => Component,
  ): Promise<Result>;
}

/** The terminal that a component of ours is drawn on. */
export interface Screen {
  requestRender?(): void;
}

export interface Component {
  render(width: number): string[];
  handleInput(data: string): void;
  invalidate(): void;
}

export interface ModelRegistry {
  streamSimple?(
    model: unknown,
    request: { systemPrompt: string; messages: unknown[] },
    options: { signal: AbortSignal; maxTokens: number },
  ): { result(): Promise<Message> };
}

export interface Context {
  ui: UserInterface;
  mode?: Mode;
  hasUI?: boolean;
  cwd?: string;
  sessionManager: SessionManager;
  modelRegistry?: ModelRegistry;
  model?: { provider?: string } | undefined;
  signal?: AbortSignal | undefined;
  isIdle(): boolean;
  hasPendingMessages(): boolean;
  isProjectTrusted?(): boolean;
  abort(): void;
  shutdown(): void;
}

export interface CommandContext extends Context {
  waitForIdle(): Promise<void>;
  reload(): Promise<void>;
}

/** What Pi appends to the session at a boundary, when this version of it takes such drafts. */
export type Draft =
  | { type: "custom_message"; customType: string; content: string; display: boolean }
  | { type: "custom"; customType: string; data: unknown }
  | { type: "compaction"; summary: string; firstKeptEntryId: null; details?: unknown; usage?: Usage };

/** The event of any kind: each handler looks at the fields it needs. */
export interface PiEvent {
  type?: string;
  reason?: string;
  previousSessionFile?: string;
  targetSessionFile?: string;
  message?: Message;
  messages?: Message[];
  entries?: unknown[];
  continue?: boolean;
  outcome?: string;
  aborted?: boolean;
  toolName?: string;
  toolCallId?: string;
  input?: unknown;
  isError?: boolean;
  status?: number;
  headers?: Record<string, unknown>;
  source?: string;
  text?: string;
  streamingBehavior?: string;
  systemPrompt?: string;
}

export interface ToolResult {
  content: { type: "text"; text: string }[];
  details: Record<string, never>;
}

export interface Tool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
  execute(
    callId: string,
    parameters: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: Context,
  ): Promise<ToolResult>;
}

export interface SourceInfo {
  path?: string;
}

export interface Pi {
  on(event: string, handler: (event: PiEvent, context: Context) => unknown): unknown;
  registerCommand(
    name: string,
    command: { description: string; handler(args: string, context: CommandContext): Promise<void> },
  ): void;
  registerTool(tool: Tool): void;
  sendUserMessage(text: string, options?: { deliverAs: "followUp" | "steer" }): void;
  sendMessage(
    message: { customType: string; content: string; display: boolean },
    options: { deliverAs: "steer" | "nextTurn" },
  ): void;
  appendEntry(customType: string, data: unknown): void;
  getCommands?(): { name: string; sourceInfo?: SourceInfo }[];
  getAllTools?(): { name: string; sourceInfo?: SourceInfo }[];
  getActiveTools?(): string[];
  setActiveTools?(names: string[]): void;
  getSettings?(): unknown;
}

/** True while Pi ends by itself once it has settled. */
export function endsWhenSettled(mode: Mode | undefined): boolean {
  return mode === "print" || mode === "json";
}

/** The visible text of a message: its text blocks, joined by line ends. */
export function visibleText(message: Message | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((block) => block?.type === "text" && typeof block.text === "string")
    .map((block) => block.text)
    .join("\n");
}

export function toolCallCount(message: Message | undefined): number {
  const content = message?.content;
  return Array.isArray(content) ? content.filter((block) => block?.type === "toolCall").length : 0;
}
