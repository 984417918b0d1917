// The supervisors that are measured: how each is started on the C child, and which process owns it.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Starts a program that stays; its output goes nowhere. */
function keep(words, options) {
  const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "ignore", "ignore"], ...options });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  return child;
}

/** A service folder as runit and s6 know it. */
function serviceFolder(folder, child, files = {}) {
  const service = join(folder, "service");
  mkdirSync(service, { recursive: true });
  writeFileSync(join(service, "run"), `#!/bin/sh\nexec ${child}\n`);
  chmodSync(join(service, "run"), 0o755);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(service, name), text);
  return service;
}

const endBySignal = (started) => started.kill("SIGTERM");

/**
 * Every subject has a name, `missing` (why it cannot be measured, or undefined), and
 * `start(folder, env, words?)`, which returns { owner(), end() }: the pid of the process that owns the
 * child, and how all of it ends.
 */
export function subjects({ launcher, programs, peers }) {
  const debian = join(peers, "debian");
  const inDebian = (name) => [join(debian, "usr/bin", name), join(debian, "bin", name), join(debian, "command", name)].find(existsSync);
  const libraries = ["lib", "usr/lib"].flatMap((name) => [join(debian, name), join(debian, name, "x86_64-linux-gnu"), join(debian, name, "aarch64-linux-gnu")]).join(":");
  const simple = (words, options = () => ({})) => (folder, env, otherWords = words(folder)) => {
    const started = keep(otherWords, { cwd: folder, env: { ...env, ...options(folder) } });
    return { owner: () => started.pid, end: () => endBySignal(started) };
  };
  const pm2 = join(peers, "pm2/node_modules/pm2/bin/pm2");
  const supervisord = inDebian("supervisord");
  const runsv = inDebian("runsv");
  const s6 = inDebian("s6-supervise");
  return [
    {
      name: "pi-resilient",
      missing: launcher ? undefined : "not built",
      start: simple((folder) => [launcher, "--run-dir", join(folder, "run"), "--healthy-seconds", "1", "--", "--mode", "rpc"], (folder) => ({ PI_REAL_BIN: programs.child, PI_CODING_AGENT_DIR: join(folder, "agent"), HOME: folder })),
    },
    { name: "floor", start: simple(() => [programs.floor, programs.child]) },
    { name: "runit", missing: runsv ? undefined : "no runsv", start: simple((folder) => [runsv, serviceFolder(folder, programs.child)]) },
    {
      name: "s6",
      missing: s6 ? undefined : "no s6-supervise",
      start: simple((folder) => [s6, serviceFolder(folder, programs.child, { "notification-fd": "3\n" })], () => ({ BENCH_NOTIFY: "3", LD_LIBRARY_PATH: libraries })),
    },
    {
      name: "supervisord",
      missing: supervisord ? undefined : "no supervisord",
      start: simple((folder) => {
        const file = join(folder, "supervisord.conf");
        writeFileSync(file, `[supervisord]\nnodaemon=true\nlogfile=${folder}/log\npidfile=${folder}/pid\n[program:child]\ncommand=${programs.child}\nstartsecs=1\n`);
        return ["python3", supervisord, "-n", "-c", file];
      }, () => ({ PYTHONPATH: join(debian, "usr/lib/python3/dist-packages") })),
    },
    {
      name: "pm2",
      missing: existsSync(pm2) ? undefined : "no pm2",
      start: (folder, env) => {
        const own = { ...env, PM2_HOME: folder, HOME: folder };
        const call = (...words) => spawnSync(process.execPath, [pm2, ...words], { cwd: folder, env: own, stdio: "ignore" });
        call("start", programs.child, "--name", "child", "--interpreter", "none");
        return { owner: () => Number(readFileSync(join(folder, "pm2.pid"), "utf8")), end: () => call("kill") };
      },
    },
    { name: "small Node", start: simple((folder) => [process.execPath, join(here, "small_launcher.mjs"), programs.child, folder]) },
  ];
}
