import assert from "node:assert/strict";
import { test } from "node:test";
import { keyName, SettingsScreen, stepped } from "../src/settings_screen.ts";
import type { Json } from "../src/values.ts";
import { until } from "./support/supervisor.ts";
import { startWorld } from "./support/world.ts";

const up = "\x1b[A";
const down = "\x1bOB";
const enter = "\r";

function open(settings: Json, answer: (key: string, value: string) => string | Json = (key, value) => ({ ...settings, [key]: value })) {
  const saved: string[] = [];
  let closed = false;
  const screen = new SettingsScreen(
    settings,
    async (key, value) => {
      saved.push(`${key}=${value}`);
      return answer(key, value);
    },
    () => (closed = true),
    () => {},
  );
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      screen.handleInput(key);
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return { screen, saved, press, closed: () => closed, text: () => screen.render(200).join("\n") };
}

const defaults = { surface: true, resurface: true, retrieval: "none", standout: 1.4 };

test("enter cycles the first three rows, and each change is saved at once", async () => {
  const { saved, press } = open(defaults);
  await press(enter, down, enter, down, enter);
  assert.deepEqual(saved, ["surface=off", "resurface=off", "retrieval=lexical"]);
});

test("standout does nothing while retrieval is none, and says so", async () => {
  const { saved, press, text } = open(defaults);
  await press(up, enter, "\x1b[C", "\x1b[D", "2", enter);
  assert.deepEqual(saved, []);
  assert.match(text(), /standout +1.4 \(unused\)/);
});

test("left and right step, enter takes an exact value with the cursor at its end", async () => {
  const lexical = { ...defaults, retrieval: "lexical" };
  const { saved, press, text } = open(lexical, (key, value) => ({ ...lexical, [key]: Number(value) }));
  await press(up, "\x1b[C");
  assert.deepEqual(saved, ["standout=1.6"]);
  await press(enter);
  assert.match(text(), /standout: 1.6\|/);
  await press("\x7f", "7", "\x1b[D", "5", enter);
  assert.deepEqual(saved.at(-1), "standout=1.57");
  assert.doesNotMatch(text(), /\|/);
});

test("a value that is refused is shown with its reason and stays to be mended", async () => {
  const { press, text, closed } = open({ ...defaults, retrieval: "lexical" }, () => "standout must be at least 1");
  await press(up, enter, "\x7f", "\x7f", "\x7f", "0", enter);
  assert.match(text(), /at least 1/);
  assert.match(text(), /standout: 0\|/);
  await press("\x1b");
  assert.doesNotMatch(text(), /standout: 0\|/);
  assert.equal(closed(), false);
  await press("\x1b[27u");
  assert.equal(closed(), true);
});

test("steps hold at the ends and begin from any value", () => {
  assert.deepEqual([1, 1.3, 1.4, 3, 7].map((value) => stepped(value, "right")), [1.2, 1.4, 1.6, 3, 7]);
  assert.deepEqual([1, 1.3, 1.4, 3, 7].map((value) => stepped(value, "left")), [1, 1.2, 1.2, 2.5, 3]);
});

test("keys are known in each way that they are written", () => {
  assert.deepEqual(["\x1b[A", "\x1bOA", "\x1b[1;1A", "\x1b[1;1:1A"].map(keyName), ["up", "up", "up", "up"]);
  assert.deepEqual(["\r", "\x1b[13u", "\x1b", "\x1b[27;1:1u", "\x7f", "q"].map(keyName), ["enter", "enter", "escape", "escape", "backspace", ""]);
});

test("a file that decides a setting whatever is saved here is named, whole", async () => {
  const file = "/home/somebody/a folder/with-a-very-long-name-indeed/.pi/settings.json";
  const { screen, press, text } = open({ ...defaults, elsewhere: { retrieval: file, mounts: "/not/shown" } });
  assert.match(text(), /\n\nretrieval is decided by \/home\/somebody.*settings\.json, which wins over what is saved here\.$/);
  assert.doesNotMatch(text(), /not.shown|surface is decided/);
  assert.ok(screen.render(20).join("").replaceAll(" ", "").includes(file.replaceAll(" ", "")), "wrapped, not cut");
  await press(down, down, enter);
  assert.match(text(), /retrieval is decided by/);
});

test("no line is wider than the terminal", async () => {
  const long = `${"word ".repeat(20)}${"x".repeat(50)} end`;
  for (const width of [1, 20, 47]) {
    const { screen, press } = open({ ...defaults, elsewhere: { surface: long } }, () => long);
    await press(enter);
    for (const line of screen.render(width)) assert.ok(line.length <= width, line);
    assert.equal(screen.render(width).join("").replace(/ /g, "").split("end").length, 3, "all of it is there");
  }
});

test("the command opens the screen in a terminal, and saves through pi-resilient", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "tui" });
  supervisor.answers.canon = () => ({ ok: true, settings: defaults, file: "/settings.json", elsewhere: { surface: "/pi.json" } });
  const done = fake.command("canon-settings");
  await until(() => fake.screen !== undefined);
  assert.match(fake.screen!.render(100).join("\n"), /surface is decided by \/pi\.json/);
  fake.screen!.handleInput(enter);
  assert.deepEqual((await supervisor.frame("canon", 2)).body, { action: "set", key: "surface", value: "off" });
  fake.screen!.handleInput("\x1b");
  await done;
  assert.equal(supervisor.of("command").length, 0);
});

test("settings that cannot be read are told instead of a screen", async (t) => {
  const { fake, supervisor } = await startWorld(t, { mode: "tui" });
  supervisor.answers.canon = () => ({ ok: false, message: "settings.json is no JSON" });
  await fake.command("canon-settings");
  assert.deepEqual(fake.notices, [{ level: "error", text: "settings.json is no JSON" }]);
});
