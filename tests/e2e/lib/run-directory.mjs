// What a launcher has written about its run.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export class RunDirectory {
  constructor(path) {
    this.path = path;
  }

  /** The content of a state file, or undefined while there is none. Throws when it is torn. */
  read(name) {
    const file = join(this.path, name);
    if (!existsSync(file)) return undefined;
    const text = readFileSync(file, "utf8");
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`${file} is no JSON: ${text.slice(0, 200)}`);
    }
  }

  /** What the launcher knows: pids, generation, state, deaths. */
  get supervisor() {
    return this.read("supervisor.json");
  }

  /** What Pi told: session, goal, wait, last error. */
  get runtime() {
    return this.read("runtime.json");
  }

  /** Every file of the run as text, for scans and for the report of a failure. */
  texts() {
    if (!existsSync(this.path)) return {};
    const files = readdirSync(this.path, { withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(files.map((entry) => [entry.name, readFileSync(join(this.path, entry.name), "utf8")]));
  }
}
