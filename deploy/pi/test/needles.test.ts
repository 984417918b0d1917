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

test("a needle is found wherever it moves to", () => {
  const search = new NeedleSearch();
  const needles = [{ key: "a", id: "src/a", tail: "about src/a" }];
  assert.deepEqual(search.gone([{ content: "x" }, { content: "about src/a" }], needles), []);
  assert.deepEqual(search.gone([{ content: "about src/a" }], needles), []);
  assert.deepEqual(search.gone([{ content: "x" }, { content: "y" }, { content: "see about src/a" }], needles), []);
  assert.deepEqual(search.gone([{ content: "x" }, { content: "about src/b" }], needles), ["a"]);
});

test("a search that takes too long for one request goes on in the next ones", () => {
  const search = new NeedleSearch();
  const messages = [{ content: "x".repeat(3_000_000) }, { content: "about src/a" }];
  let needles = Array.from({ length: 6 }, (_, index) => ({ key: `${index}`, id: "src/a", tail: `tail ${index}` }));
  const found = { key: "there", id: "src/a", tail: "about src/a" };
  const counts: number[] = [];
  for (let round = 0; round < 5; round++) {
    const gone = search.gone(messages, [...needles, found]);
    assert.ok(!gone.includes("there"));
    counts.push(gone.length);
    needles = needles.filter(({ key }) => !gone.includes(key));
  }
  assert.deepEqual(counts, [1, 1, 1, 1, 1]);
});

test("a text is searched anew when its message moves or changes", () => {
  const search = new NeedleSearch();
  const needles = [{ key: "a", id: "src/a", tail: "about src/a" }];
  assert.deepEqual(search.gone([{ content: "about src/a" }, { content: "x" }], needles), []);
  assert.deepEqual(search.gone([{ content: "about\n src/a" }, { content: "x" }], needles), []);
  assert.deepEqual(search.gone([{ content: "about src/ a" }, { content: "x" }], needles), ["a"]);
  assert.deepEqual(search.gone([{ content: "x" }, { content: "about src/a" }], needles), []);
});
