import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { put, run, scratch } from "./canon.mjs";

test("why judges by the settings that a Pi in this project would use, and names their files", (t) => {
  const place = scratch(t);
  const agent = join(place.home, ".pi/agent");
  const ofUser = join(agent, "settings.json");
  const ofProject = join(place.project, ".pi/settings.json");
  put(join(place.project, ".canon/articles/src.md"), "---\ncapsule: All sources.\n---\n");
  put(join(place.project, "docs/memory/articles/src.md"), "---\ncapsule: Of another store.\n---\n");
  put(join(place.project, "src/a.ts"), "");
  const why = (...more) => {
    const done = run(place, ["why", "--json", "src/a.ts", ...more]);
    assert.equal(done.status, 0, done.stderr);
    return { ...JSON.parse(done.stdout), stderr: done.stderr };
  };
  assert.deepEqual([why().surfaces, why().settings], [true, "as in Pi: the defaults."]);

  put(ofUser, JSON.stringify({ theme: "dark", canon: { surface: false } }));
  assert.equal(why().surfaces, false);
  assert.equal(why().reason, `The setting surface is off in ${ofUser}, which only Pi reads.`);
  assert.equal(why().settings, `as in Pi: surface off (${ofUser}).`);
  assert.match(run(place, ["why", "src/a.ts"]).stdout, /\nsettings {2}as in Pi: surface off \(/);
  assert.equal(why("--surface", "on").surfaces, true);
  assert.match(why("--surface", "on").settings, /surface on \(for this run\)/);

  // a project speaks only where Pi trusts it, and cannot turn on what the user turned off
  put(ofUser, JSON.stringify({ canon: { standout: 2 } }));
  put(ofProject, JSON.stringify({ canon: { surface: false, root: "docs/memory" } }));
  assert.equal(why().surfaces, true);
  assert.equal(why().settings,
    `as in Pi: standout 2 (${ofUser}). ${ofProject} is not used: Pi has not been told yet to trust this project.`);
  put(join(agent, "trust.json"), JSON.stringify({ [place.project]: false }));
  assert.match(why().settings, /is not used: Pi does not trust this project\.$/);
  put(join(agent, "trust.json"), JSON.stringify({ [place.root]: true }));
  assert.equal(why().surfaces, false);
  assert.equal(why().line.includes("Of another store."), true);
  assert.equal(why().settings, `as in Pi: root docs/memory (${ofProject}), surface off (${ofProject}), standout 2 (${ofUser}).`);
  put(join(place.home, ".config/canon/settings.json"), JSON.stringify({ surface: false }));
  put(ofProject, JSON.stringify({ canon: { surface: true } }));
  assert.equal(why().reason, `The setting surface is off in ${join(place.home, ".config/canon/settings.json")}.`);

  // what is wrong is named, and the rest is used
  put(ofProject, JSON.stringify({ canon: { seventh: 1 } }));
  put(ofUser, "{broken");
  const wrong = why();
  assert.match(wrong.stderr, /settings\.json says of canon was not used\. There is no canon option "seventh"/);
  assert.ok(wrong.stderr.includes(ofUser), wrong.stderr);

  // the agent folder may be elsewhere
  put(join(place.root, "agent/settings.json"), JSON.stringify({ canon: { resurface: false } }));
  const elsewhere = run(place, ["why", "src/a.ts"], { env: { PI_CODING_AGENT_DIR: join(place.root, "agent") } });
  assert.ok(elsewhere.stdout.includes(`resurface off (${join(place.root, "agent/settings.json")})`), elsewhere.stdout);
});
