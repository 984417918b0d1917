// What outlives one loading of this extension.
//
// Pi loads the module again for `/reload`, and once more for each new session, in the same process.
// The parts kept here go with the process: who owns this Pi's connection, how to reach the launcher,
// and what pi-resilient has set.

import type { Needle } from "./needles.ts";
import type { Json } from "./values.ts";

/** How to reach the launcher that owns this Pi. */
export interface Launcher {
  socket: string;
  generation: string;
  secret: string;
}

/** What pi-resilient has told us to do until it says otherwise. */
export interface Settings {
  askTurn: boolean;
  gate: string;
  systemAppend: string;
  touch: boolean;
  needles: Needle[];
}

export interface Owner {
  /** The file that this copy was loaded from. */
  path: string;
  started: boolean;
  /** Whether Pi still lets the session be used. One that Pi has given up in silence has no claim. */
  alive(): boolean;
}

export interface SharedState {
  launcher?: Launcher | undefined;
  owner?: Owner | undefined;
  set: Settings;
  /** Tokens of the texts that were sent to the model, so that none is sent twice. */
  sentTokens: string[];
  /** Notices that are shown once in the life of this process. */
  told: string[];
}

const key = Symbol.for("pi-resilient");

export function noSettings(): Settings {
  return { askTurn: false, gate: "", systemAppend: "", touch: false, needles: [] };
}

export function sharedState(): SharedState {
  const everything = globalThis as unknown as { [key]?: SharedState };
  everything[key] ??= { set: noSettings(), sentTokens: [], told: [] };
  return everything[key];
}

/**
 * Takes the launcher's variables out of the environment. Pi hands its environment to every tool, so a
 * secret that stayed there would be seen by the model, and a `pi` started by a tool would pass for this one.
 */
export function takeCredentials(environment: NodeJS.ProcessEnv = process.env): void {
  const socket = environment.PI_RESILIENT_SOCKET;
  const generation = environment.PI_RESILIENT_GENERATION;
  const secret = environment.PI_RESILIENT_SECRET;
  delete environment.PI_RESILIENT_SOCKET;
  delete environment.PI_RESILIENT_GENERATION;
  delete environment.PI_RESILIENT_SECRET;
  if (socket && generation && secret) sharedState().launcher = { socket, generation, secret };
}

/**
 * Claims this Pi for the copy that was loaded from `path`. Nothing when another copy has it: a copy that
 * runs, or one that was loaded from elsewhere and is about to. Pi may load the same file more than once
 * before it starts; the last one counts.
 */
export function claim(path: string): Owner | undefined {
  const state = sharedState();
  const { owner } = state;
  if (owner && (owner.started ? owner.alive() : owner.path !== path)) return undefined;
  state.owner = { path, started: false, alive: () => true };
  return state.owner;
}

export function owns(owner: Owner): boolean {
  return sharedState().owner === owner;
}

export function release(owner: Owner): void {
  const state = sharedState();
  if (state.owner === owner) state.owner = undefined;
}

/** Whether a notice is told for the first time in this process. */
export function firstTime(what: string): boolean {
  const { told } = sharedState();
  if (told.includes(what)) return false;
  told.push(what);
  return true;
}

/** Takes over what a `set` directive changes. Wrong fields change nothing; the answer names them. */
export function applySet(directive: Json, settings: Settings = sharedState().set): string | undefined {
  const wrong: string[] = [];
  const take = <Value>(name: string, fits: (value: unknown) => value is Value, put: (value: Value) => void) => {
    if (!(name in directive)) return;
    const value = directive[name];
    if (fits(value)) put(value);
    else wrong.push(name);
  };
  const flag = (value: unknown): value is boolean => typeof value === "boolean";
  const text = (value: unknown): value is string => typeof value === "string";
  const needles = (value: unknown): value is Needle[] =>
    Array.isArray(value) && value.every((one) => text(one?.key) && text(one?.tail) && (one.id === undefined || text(one.id)));
  take("ask_turn", flag, (value) => (settings.askTurn = value));
  take("gate", text, (value) => (settings.gate = value));
  take("system_append", text, (value) => (settings.systemAppend = value));
  take("touch", flag, (value) => (settings.touch = value));
  take("needles", needles, (value) => (settings.needles = value.map(({ key: name, id, tail }) => ({ key: name, id, tail }))));
  return wrong.length ? `wrong type: ${wrong.join(", ")}` : undefined;
}
