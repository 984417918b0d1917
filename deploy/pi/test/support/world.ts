// Pi with the extension loaded, and a launcher that it talks to.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import piResilient from "../../index.ts";
import { noSettings, sharedState } from "../../src/shared_state.ts";
import { FakePi, type FakeOptions } from "./fake_pi.ts";
import { Supervisor, type Fields } from "./supervisor.ts";

export interface World {
  fake: FakePi;
  supervisor: Supervisor;
}

/** Forgets what an earlier test left in this process. */
export function freshProcess(): void {
  Object.assign(sharedState(), { owner: undefined, launcher: undefined, sentTokens: [], told: [] });
  Object.assign(sharedState().set, noSettings());
}

/** What Pi fires when it has a session. */
export async function startSession(fake: FakePi, reason = "startup"): Promise<void> {
  await fake.fire("session_start", { reason });
  await fake.fire("resources_discover", { reason: reason === "reload" ? "reload" : "startup" });
  // Behind the event an attended session becomes ready.
  await new Promise((resolve) => setTimeout(resolve, 2));
}

export function load(options: FakeOptions = {}): FakePi {
  const fake = new FakePi(options);
  piResilient(fake.pi);
  return fake;
}

/** A launcher that listens. At the test's end every frame that it got must have been right. */
export async function startSupervisor(test: TestContext): Promise<Supervisor> {
  freshProcess();
  const supervisor = await new Supervisor().listen();
  sharedState().launcher = { socket: supervisor.path, generation: "generation-1", secret: "0".repeat(64) };
  test.after(async () => {
    await supervisor.remove();
    assert.deepEqual(supervisor.wrong, []);
  });
  return supervisor;
}

/** A session that has started and was accepted. */
export async function startWorld(test: TestContext, options: FakeOptions = {}, set: Fields = {}): Promise<World> {
  const supervisor = await startSupervisor(test);
  supervisor.answers.hello = () => ({ ok: true, role: "supervised", directives: [supervisor.part({ type: "set", ...set })] });
  const fake = load(options);
  test.after(() => fake.fire("session_shutdown", { reason: "quit" }));
  await startSession(fake);
  return { fake, supervisor };
}
