#!/usr/bin/env node
// Answers as `pi-resilient sidecar` does, and writes down what it was told.
const { appendFileSync } = require("node:fs");

const note = (text) => appendFileSync("sidecar.txt", `${text}\n`);
let text = "";

note("start");
process.stdin.on("data", (bytes) => {
  text += bytes;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
    const { type, id } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    note(type);
    const more = { hello: { ok: true, role: "sidecar" }, command: { notices: [{ level: "info", text: "sidecar here" }] } }[type];
    if (id) process.stdout.write(`${JSON.stringify({ v: 1, type: "reply", re: id, ...more })}\n`);
  }
});
process.stdin.on("end", () => {
  note("end");
  process.exit(0);
});
