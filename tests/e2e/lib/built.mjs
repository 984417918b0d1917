// Programs that the build has made.
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

/** The newest build of a program, or undefined. `path` is below the folder of the preset. */
export function newestBuild(path) {
  const built = ["release", "dev"].map((preset) => join(repository, "build", preset, path)).filter(existsSync);
  return built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}
