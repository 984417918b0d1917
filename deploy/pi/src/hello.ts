// What the other side learns about this Pi when a connection opens.

import { homedir } from "node:os";
import { join } from "node:path";
import { encode, type Frame } from "./frames.ts";
import { findOthers } from "./others.ts";
import type { Context, Pi } from "./pi.ts";
import { piVersion } from "./pi_version.ts";
import { sharedState } from "./shared_state.ts";
import { isObject, type Json } from "./values.ts";

export const extensionVersion = "0.1.0";
const entryPrefix = "resilient-";
/** Of Pi's settings only what is asked for: the whole object may hold keys of providers and servers. */
const settingNames = ["canary", "retry"];

export interface About {
  pi: Pi;
  context: Context;
  ownPath: string;
  boundary: boolean;
  settledAborted: boolean;
  reason: string;
  previousSessionFile?: string | undefined;
}

export function helloFrame(about: About): Frame {
  const { pi, context } = about;
  const { launcher } = sharedState();
  const frame: Frame = {
    type: "hello",
    extension_version: extensionVersion,
    ...(launcher ? { generation: launcher.generation, secret: launcher.secret } : {}),
    pid: process.pid,
    pi_version: piVersion(),
    mode: context.mode ?? "rpc",
    has_ui: context.hasUI === true,
    cwd: context.cwd ?? process.cwd(),
    agent_folder: agentFolder(),
    trusted: context.isProjectTrusted?.() ?? false,
    reason: about.reason,
    ...(about.previousSessionFile ? { previous_session_file: about.previousSessionFile } : {}),
    session: sessionOf(context),
    capabilities: capabilities(about),
    entries: entriesOf(context),
    idle: context.isIdle(),
    pending: context.hasPendingMessages(),
    others: findOthers(pi, about.ownPath),
    ...settingsOf(pi),
  };
  // A frame that is too long would never arrive. What it can do without goes first.
  if (!encode(frame)) delete frame.settings;
  if (!encode(frame)) frame.entries = {};
  return frame;
}

export function sessionOf(context: Context): Json {
  const manager = context.sessionManager;
  const file = manager.getSessionFile();
  const leaf = manager.getLeafId?.();
  return { ...(file ? { file } : {}), id: manager.getSessionId() ?? "", ...(leaf ? { leaf } : {}) };
}

/** For each custom type of ours, the data of its last entry on the current branch. */
export function entriesOf(context: Context): Json {
  const entries: Json = {};
  for (const entry of context.sessionManager.getBranch()) {
    if (entry.type === "custom" && entry.customType?.startsWith(entryPrefix)) entries[entry.customType] = entry.data ?? null;
  }
  return entries;
}

function capabilities({ pi, context, boundary, settledAborted }: About): string[] {
  const found: [string, boolean][] = [
    ["boundary", boundary],
    ["settled_aborted", settledAborted],
    ["stream_simple", typeof context.modelRegistry?.streamSimple === "function"],
    ["get_settings", typeof pi.getSettings === "function"],
  ];
  return found.filter(([, has]) => has).map(([name]) => name);
}

function settingsOf(pi: Pi): { settings?: Json } {
  try {
    const all = pi.getSettings?.();
    if (!isObject(all)) return {};
    return { settings: Object.fromEntries(settingNames.filter((name) => name in all).map((name) => [name, all[name]])) };
  } catch {
    return {};
  }
}

export function agentFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment.PI_CODING_AGENT_DIR;
  if (!given) return join(homedir(), ".pi", "agent");
  if (given === "~") return homedir();
  return given.startsWith("~/") ? join(homedir(), given.slice(2)) : given;
}
