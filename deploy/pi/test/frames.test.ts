import assert from "node:assert/strict";
import { test } from "node:test";
import { encode, garbageLimit, LineReader, lineLimit } from "../src/frames.ts";
import { bounded, cutBytes } from "../src/values.ts";

function read(...chunks: (string | Buffer)[]) {
  const frames: unknown[] = [];
  const broken: string[] = [];
  const reader = new LineReader({ frame: (frame) => frames.push(frame), broken: (why) => broken.push(why) });
  for (const chunk of chunks) reader.push(Buffer.from(chunk as string));
  return { frames, broken };
}

test("a frame is read whole however its bytes arrive", () => {
  const bytes = Buffer.from('{"a":"ä€😀"}\r\n\n  \n{"b":1}\n');
  const one = [...bytes].map((byte) => Buffer.from([byte]));
  assert.deepEqual(read(bytes).frames, [{ a: "ä€😀" }, { b: 1 }]);
  assert.deepEqual(read(...one).frames, [{ a: "ä€😀" }, { b: 1 }]);
});

test("lines that are no objects are passed over until there are too many", () => {
  const few = "nonsense\n[1]\nnull\n".repeat(3);
  assert.deepEqual(read(few, '{"a":1}\n'), { frames: [{ a: 1 }], broken: [] });
  const many = read("x\n".repeat(garbageLimit), '{"a":1}\n');
  assert.equal(many.broken.length, 1);
  assert.deepEqual(many.frames, []);
});

test("a line may be as long as the limit and no longer", () => {
  const fits = `{"a":"${"x".repeat(lineLimit - 9)}"}\n`;
  assert.equal(fits.length, lineLimit);
  assert.equal(read(fits).frames.length, 1);
  assert.equal(read(`{"a":"${"x".repeat(lineLimit - 8)}"}\n`).broken.length, 1);
  assert.equal(read("x".repeat(lineLimit)).broken.length, 1, "also without its end");
});

test("a frame that is too long is not encoded", () => {
  assert.ok(encode({ type: "t", text: "x".repeat(lineLimit - 40) }));
  assert.equal(encode({ type: "t", text: "x".repeat(lineLimit) }), undefined);
});

test("half a character is replaced, and what only looks like one stays", () => {
  const cases = [
    ["\ud83d", "\ufffd"],
    ["a\ude00b\ud83d", "a\ufffdb\ufffd"],
    ["\ud83d\ude00", "😀"],
    ["\\ud83d", "\\ud83d"],
    ["\\\ud83d", "\\\ufffd"],
    ["\\\\ud83d \"\\ude00", "\\\\ud83d \"\\ude00"],
  ];
  for (const [text, wanted] of cases) {
    const [frame] = read(encode({ type: "x", text, [text!]: 1 })!).frames as Record<string, unknown>[];
    assert.equal(frame!.text, wanted);
    assert.equal(frame![wanted!], 1);
    assert.ok(!/\\ud[89a-f]/.test(JSON.stringify(frame).replaceAll("\\\\", "")));
  }
});

test("a text is cut at bytes and never inside a character", () => {
  assert.deepEqual(cutBytes("abc", 3), { text: "abc", cut: false });
  assert.deepEqual(cutBytes("aäb", 2), { text: "a", cut: true });
  assert.deepEqual(cutBytes("a😀", 4), { text: "a", cut: true });
  assert.deepEqual(cutBytes("a😀", 5), { text: "a😀", cut: false });
});

test("a tool's input always fits a frame", () => {
  const hostile = Array.from({ length: 5000 }, () => ({ text: "\u0001".repeat(9000), deep: [[[[[[[[[[["x"]]]]]]]]]]] }));
  const line = encode({ type: "touch", input: { hostile: bounded(hostile, 4096) } });
  assert.ok(line);
  assert.deepEqual(bounded({ path: "a.ts", n: 1, ok: true, none: undefined }, 4096), { path: "a.ts", n: 1, ok: true, none: null });
  assert.equal((bounded({ a: "x".repeat(5000) }, 4096) as { a: string }).a.length, 4096);
});
