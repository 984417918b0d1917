import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { plistFile, readPlist, readPlistFile, readUnit, readUnitFile, root, unitFile, unitScript } from "./units.mjs";

const has = (program) => spawnSync(program, ["--version"]).error === undefined;
/** The launcher's own steps to stop Pi take at most half of what `pi-resilient stop` waits. */
const longestStop = 30;

function scratch(t) {
  const folder = mkdtempSync(join(tmpdir(), "units-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the readers of this test refuse what is broken", () => {
  const unit = readFileSync(unitFile, "utf8");
  for (const broken of [unit.replace("[Service]", "[Service"), unit.replace("Type=", "Type "), `A=b\n${unit}`]) {
    assert.throws(() => readUnit(broken));
  }
  const plist = readFileSync(plistFile, "utf8");
  for (const broken of [plist.replace("</dict>", ""), plist.replace("&lt;", "<"), plist.replace("</plist>", ""),
    plist.replace("&gt;", "&"), plist.replace("<true/>", "<yes/>"), plist.replace("<key>Label", "<string>Label")]) {
    assert.throws(() => readPlist(broken));
  }
});

test("the unit lets the launcher end Pi, and has no watchdog that nobody serves", () => {
  const { Unit: unit, Service: service, Install: install } = readUnitFile();
  assert.deepEqual(service.KillMode, ["mixed"]);
  assert.ok(Number(service.TimeoutStopSec[0]) >= 2 * longestStop);
  assert.deepEqual(service.Type, ["exec"]);
  assert.deepEqual(service.WorkingDirectory, ["%f"]);
  for (const absent of ["WatchdogSec", "NotifyAccess", "ExecStop", "RemainAfterExit", "KillSignal"]) {
    assert.ok(!(absent in service), absent);
  }
  assert.deepEqual(service.OOMPolicy, ["continue"]);
  assert.ok(unit.StartLimitBurst && unit.StartLimitIntervalSec);
  assert.deepEqual(install.WantedBy, ["default.target"]);
});

test("each exit code that the README lists is tried again, or is not, on purpose", () => {
  const { Service: service } = readUnitFile();
  const codes = (key) => service[key][0].split(" ").map(Number);
  const table = readFileSync(join(root, "README.md"), "utf8").split("| exit code | meaning |")[1].split("\n\n")[0];
  const listed = [...table.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell]) => cell.split(", ").map(Number));
  assert.ok(listed.length > 12, table);
  const again = [70, 71, 74, 75];
  assert.deepEqual(service.Restart, ["on-failure"]);
  assert.deepEqual(
    [...new Set([0, ...again, ...codes("RestartPreventExitStatus"), ...codes("SuccessExitStatus")])].sort((a, b) => a - b),
    [...new Set(listed)].sort((a, b) => a - b));
  for (const code of again) assert.ok(!codes("RestartPreventExitStatus").includes(code), `${code}`);
});

test("the job of launchd is a whole property list and does what the unit does", () => {
  const job = readPlistFile();
  assert.equal(job.Label, "pi-resilient.@NAME@");
  assert.equal(job.WorkingDirectory, "@FOLDER@");
  assert.deepEqual(job.KeepAlive, { SuccessfulExit: false });
  assert.ok(job.ThrottleInterval >= 30);
  assert.ok(job.ExitTimeOut >= 2 * longestStop);
  const [shell, option, script] = job.ProgramArguments;
  assert.deepEqual([shell, option], ["/bin/sh", "-c"]);
  assert.equal(spawnSync("sh", ["-n", "-c", script]).status, 0);
  assert.equal(spawnSync("sh", ["-n", "-c", unitScript(readUnitFile())]).status, 0);
  for (const each of [script, unitScript(readUnitFile())]) {
    assert.match(each, /exec pi-resilient -- --mode rpc --continue <>"\$prompts"/);
  }
});

test("Python reads the property list as we do", { skip: !has("python3") }, () => {
  const read = spawnSync("python3", ["-c", "import json,plistlib,sys; print(json.dumps(plistlib.load(open(sys.argv[1],'rb'))))", plistFile],
    { encoding: "utf8" });
  assert.equal(read.status, 0, read.stderr);
  assert.deepEqual(JSON.parse(read.stdout), readPlistFile());
});

test("systemd takes the unit", { skip: !has("systemd-analyze") }, (t) => {
  const folder = scratch(t);
  const verify = (change) => {
    const file = join(folder, "pi-resilient@tmp-a\\x2dfolder.service");
    copyFileSync(unitFile, file);
    if (change) writeFileSync(file, change(readFileSync(file, "utf8")));
    return spawnSync("systemd-analyze", ["--user", "verify", "--man=no", file],
      { encoding: "utf8", env: { ...process.env, XDG_RUNTIME_DIR: folder, HOME: folder } });
  };
  const taken = verify();
  assert.equal(taken.status, 0, taken.stderr);
  assert.equal(taken.stderr.trim(), "");
  assert.notEqual(verify((text) => text.replace("KillMode=mixed", "KillMode=gently")).stderr.trim(), "");
  assert.notEqual(verify((text) => text.replace("OOMPolicy", "OomPolicy")).stderr.trim(), "");
});
