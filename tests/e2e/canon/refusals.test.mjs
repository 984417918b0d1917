import assert from "node:assert/strict";
import { test } from "node:test";
import { run, scratch } from "./canon.mjs";

test("a refused command line names the option, the value and what is allowed", (t) => {
  const place = scratch(t);
  for (const [args, said] of [
    [["map", "--standout"], "canon: --standout needs a value: a number from 1 to 1000000000. See canon map --help."],
    [["map", "--standout", "abc"], '--standout must be a number from 1 to 1000000000, not "abc".'],
    [["map", "--standout", "nan"], 'not "nan".'],
    [["map", "--standout", "inf"], 'not "inf".'],
    [["map", "--standout", "1e999"], 'not "1e999".'],
    [["map", "--standout", "-3"], 'not "-3".'],
    [["map", "--surface", "maybe"], '--surface must be on or off, not "maybe".'],
    [["map", "--surface"], "--surface needs a value: on or off."],
    [["map", "--retrieval", "best"], '--retrieval must be none or lexical, not "best".'],
    [["mcp", "--host", "nobody"], '--host must be claude-code or codex, not "nobody".'],
    [["why"], "path needs a value: a file, a folder, or an address. See canon why --help."],
    [["settings", "set"], "key needs a value: surface, resurface, retrieval or standout."],
    [["settings", "set", "surface"], "value needs a value: on, off, none, lexical, or a number."],
    [["settings", "set", "standout", "1e999"], "standout must be a number from 1 on"],
    [["settings", "set", "surface", "maybe"], "surface must be true, false"],
    [["write", "a", "--capsule"], "--capsule needs a value: one line."],
    [["write", "a", "--capsule", "--body", "x"], "--capsule needs a value before --body: one line."],
    [["write", "a", "--capsule", "x", "--capsule", "y"], "--capsule is given 2 times"],
    [["write", "a", "--scope", "maybe", "--body", "x"], '--scope must be rule or asset, not "maybe".'],
    [["write", "a", "--json=abc"], "--json takes no value."],
    [["read", "a", "--project"], "--project needs a value: a folder."],
    [["journal", "--body", "x", "--subject"], "--subject needs a value: an address."],
    [["map", "search", "x"], "canon: "],
  ]) {
    const done = run(place, args);
    assert.equal(done.status, 64, `${args}: ${done.stderr}`);
    assert.ok(done.stderr.includes(said), `${args}: ${done.stderr}`);
    assert.doesNotMatch(done.stderr, /required|INT|FLOAT|TEXT|onvert|range|\{on,off\}/, `${args}`);
    assert.equal(done.stderr.trimEnd().split("\n").length, 1, done.stderr);
  }
});

test("a value that only looks like an option is taken", (t) => {
  const place = scratch(t);
  const wrote = run(place, ["write", "a", "--capsule", "-O2 is on.", "--body", "--fast is not."]);
  assert.equal(wrote.status, 0, wrote.stderr);
  assert.match(run(place, ["read", "a"]).stdout, /capsule: -O2 is on\.[^]*--fast is not\./);
});
