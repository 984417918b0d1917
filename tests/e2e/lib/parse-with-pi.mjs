// Reads argument lists with the parser of an installed Pi.
//
//   node parse-with-pi.mjs PI-PACKAGE-FOLDER < LISTS      LISTS: one JSON array of arguments a line
//
// Prints what the parser returns for each, as a line of JSON.
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { parseArgs } = await import(pathToFileURL(join(process.argv[2], "dist/cli/args.js")));
for await (const line of createInterface({ input: process.stdin })) {
  const { unknownFlags, ...parsed } = parseArgs(JSON.parse(line));
  console.log(JSON.stringify({ ...parsed, unknownFlags: Object.fromEntries(unknownFlags) }));
}
