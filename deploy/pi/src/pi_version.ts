// Pi does not tell its version; the package that this process runs does.

import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of the Pi that runs, or an empty text when its package is not found. */
export function piVersion(program: string | undefined = process.argv[1]): string {
  if (!program) return "";
  try {
    let folder = dirname(realpathSync(program));
    for (;;) {
      const version = versionIn(folder);
      if (version !== undefined) return version;
      const above = dirname(folder);
      if (above === folder) return "";
      folder = above;
    }
  } catch {
    return "";
  }
}

function versionIn(folder: string): string | undefined {
  try {
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const about = JSON.parse(text) as { name?: unknown; version?: unknown };
    const isPi = typeof about.name === "string" && about.name.endsWith("/pi-coding-agent");
    return isPi && typeof about.version === "string" ? about.version : undefined;
  } catch {
    return undefined;
  }
}
