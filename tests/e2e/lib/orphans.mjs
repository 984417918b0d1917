// A process that a tool leaves behind, in a session of its own.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./time.mjs";

/** A shell command that starts it and goes on. */
export const leaveBehind = "setsid bash -c 'echo $$ > $SANDBOX/orphan; exec sleep 300' > /dev/null 2>&1 &";

/** A step: waits for it and notes its pid as `orphan`. */
export async function waitForOrphan(run) {
  const file = join(run.sandbox.dir, "orphan");
  run.notes.orphan = await until(() => existsSync(file) && Number(readFileSync(file, "utf8")), 30_000, "the tool left nothing behind");
}
