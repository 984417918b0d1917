// Checks frames against messages/frames.schema.json, and that they hold no field that is not written there.

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

interface Definition {
  properties?: Record<string, unknown>;
}

const schema = JSON.parse(
  readFileSync(new URL("../../../../messages/frames.schema.json", import.meta.url), "utf8"),
) as { $id: string; $defs: Record<string, Definition> };

const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false });
ajv.addSchema(schema);

export const definitions = schema.$defs;

/** What is wrong with a frame as one of those definitions; empty when nothing is. */
export function faults(frame: unknown, definition: string): string[] {
  const validate = ajv.getSchema(`${schema.$id}#/$defs/${definition}`);
  if (!validate) return [`no definition ${definition}`];
  return validate(frame) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** What is wrong with a frame that the extension has sent. */
export function faultsOfSent(frame: Record<string, unknown>): string[] {
  const type = String(frame.type);
  const wrong = faults(frame, type);
  const known = definitions[type]?.properties ?? {};
  const unknown = Object.keys(frame).filter((key) => !(key in known));
  const side = faults(frame, "from_extension");
  return [...wrong, ...unknown.map((key) => `${key} is not in the schema`), ...(wrong.length ? [] : side)];
}
