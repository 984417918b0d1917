import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { goneNeedles, NeedleSearch, normalise, type Needle } from "../src/needles.ts";
import type { Message } from "../src/pi.ts";

interface Vectors {
  normalise: { text: string; becomes: string }[];
  requests: { name: string; messages: Message[]; needles: Needle[]; gone: string[] }[];
}

const vectors = JSON.parse(
  readFileSync(new URL("../../../tests/messages/vectors/needles.json", import.meta.url), "utf8"),
) as Vectors;

for (const { text, becomes } of vectors.normalise) {
  test(`${JSON.stringify(text)} is normalised`, () => assert.equal(normalise(text), becomes));
}
for (const { name, messages, needles, gone } of vectors.requests) {
  test(name, () => assert.deepEqual(goneNeedles(messages, needles), gone));
}

test("a message that changed in place is searched anew", () => {
  const search = new NeedleSearch();
  const needles = [{ key: "a", tail: "old" }];
  assert.deepEqual(search.gone([{ content: "old text" }], needles), []);
  assert.deepEqual(search.gone([{ content: "new text" }], needles), ["a"]);
  assert.deepEqual(search.gone([], needles), ["a"]);
});

test("a megabyte of context costs under five milliseconds a request", () => {
  const words = "the quick brown fox\njumps over  the lazy dog and so on, ";
  const message = (index: number): Message => ({ role: "toolResult", content: [{ type: "text", text: `${index} ${words.repeat(180)}` }] });
  const messages = Array.from({ length: 100 }, (_, index) => message(index));
  const needles = Array.from({ length: 20 }, (_, index) => ({ key: `k${index}`, tail: `article ${index} is nowhere to be found in here` }));
  const search = new NeedleSearch();
  search.gone(messages, needles);
  const times = Array.from({ length: 9 }, (_, round) => {
    messages.push(message(1000 + round));
    const request = structuredClone(messages);
    const start = process.hrtime.bigint();
    assert.equal(search.gone(request, needles).length, 20);
    return Number(process.hrtime.bigint() - start) / 1e6;
  }).sort((one, other) => one - other);
  // The best two: on a busy machine the others say more about the machine.
  assert.ok(times[1]! < 5, `${times[1]} ms of ${times.map((time) => time.toFixed(1))}`);
});
