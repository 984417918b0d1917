// Adds an entry of its own where a turn ends, once in a process.
export default function (pi: any) {
  let written = false;
  pi.on("turn_end", (event: any) => {
    if (written || !Array.isArray(event.entries)) return undefined;
    written = true;
    return { entries: [...event.entries, { type: "custom", customType: "note", data: { from: "another extension" } }] };
  });
}
