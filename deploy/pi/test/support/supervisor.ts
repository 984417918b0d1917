// A stand-in for the launcher: a Unix socket that checks every frame against the schema and answers as told.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faults, faultsOfSent } from "./schema.ts";

export type Fields = Record<string, unknown>;
/** The fields of a reply, or nothing for no reply. */
export type Answer = (frame: Fields) => Fields | undefined;

export class Supervisor {
  readonly path: string;
  readonly frames: Fields[] = [];
  readonly wrong: string[] = [];
  connections = 0;
  /** Answers by type; a request without one gets an empty reply. */
  answers: Record<string, Answer> = { hello: () => ({ ok: true, role: "supervised" }) };
  silent = false;
  private readonly folder = mkdtempSync(join(tmpdir(), "pi-resilient-test-"));
  private server: Server | undefined;
  private sockets = new Set<Socket>();
  private did = 0;

  constructor() {
    this.path = join(this.folder, "s");
  }

  async listen(): Promise<this> {
    this.server = createServer((socket) => this.take(socket));
    await new Promise<void>((resolve) => this.server!.listen(this.path, resolve));
    return this;
  }

  /** Cuts every connection; new ones are taken. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => (this.server?.listening ? this.server.close(() => resolve()) : resolve()));
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get open(): number {
    return this.sockets.size;
  }

  send(fields: Fields): void {
    this.raw(`${JSON.stringify({ v: 1, ...fields })}\n`);
  }

  raw(bytes: string | Buffer): void {
    for (const socket of this.sockets) socket.write(bytes);
  }

  /** Sends a directive and answers its number. */
  direct(fields: Fields): number {
    const frame = { v: 1, did: ++this.did, ...fields };
    this.send(frame);
    return this.did;
  }

  /** A directive as it stands in a reply. */
  part(fields: Fields): Fields {
    return { did: ++this.did, ...fields };
  }

  of(type: string): Fields[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** Waits for the count-th frame of a type. */
  async frame(type: string, count = 1, patience = 5000): Promise<Fields> {
    await until(() => this.of(type).length >= count, patience, () => `frame ${count} of type ${type}; came: ${this.frames.map((f) => f.type).join(" ")}`);
    return this.of(type)[count - 1]!;
  }

  async result(did: number): Promise<Fields> {
    const find = () => this.of("directive_result").find((frame) => frame.did === did);
    await until(() => find() !== undefined, 3000, () => `result of directive ${did}`);
    return find()!;
  }

  private take(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    let text = "";
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("close", () => void this.sockets.delete(socket));
    socket.on("data", (bytes) => {
      text += bytes;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const frame = JSON.parse(text.slice(0, end)) as Fields;
        text = text.slice(end + 1);
        this.received(frame, socket);
      }
    });
  }

  private received(frame: Fields, socket: Socket): void {
    this.frames.push(frame);
    for (const fault of faultsOfSent(frame)) this.wrong.push(`${frame.type}: ${fault}`);
    if (frame.id === undefined || this.silent) return;
    const given = this.answers[String(frame.type)];
    const reply = given ? given(frame) : {};
    if (!reply) return;
    const whole = { v: 1, type: "reply", re: frame.id, ...reply };
    // What this stand-in says has to be right too, or the tests prove nothing.
    if (given) for (const fault of faults(whole, `${frame.type}_reply`)) this.wrong.push(`reply to ${frame.type}: ${fault}`);
    socket.write(`${JSON.stringify(whole)}\n`);
  }
}

export async function until(condition: () => boolean, patience = 3000, what: () => string = () => "condition"): Promise<void> {
  const end = Date.now() + patience;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`did not happen in ${patience} ms: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const sleep = (length: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, length));
