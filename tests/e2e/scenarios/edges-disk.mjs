// A disk that hangs, and a file system without locks: made by a library that comes before the
// system's, for which a C compiler is needed, as for the build.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../lib/processes.mjs";

const prompt = (message) => ({ rpc: { type: "prompt", message } });
const end = [{ closeStdin: true }, { waitExit: { code: 0 } }];

/** Only what the launcher does to its own files is changed, and only while $SANDBOX/NAME exists. */
const library = String.raw`
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int is_on(const char* name) {
  char path[4096];
  const char* folder = getenv("SANDBOX");
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
  return access(path, F_OK) == 0;
}

static int is_ours(const char* path) {
  return strstr(path, "supervisor.json") || strstr(path, "runtime.json");
}

int renameat(int from, const char* old, int to, const char* path) {
  static int (*real)(int, const char*, int, const char*);
  if (!real) real = dlsym(RTLD_NEXT, "renameat");
  while (is_ours(path) && is_on("hangs")) {
    char hung[4096];
    snprintf(hung, sizeof hung, "%s/hung", getenv("SANDBOX"));
    close(open(hung, O_WRONLY | O_CREAT, 0600));
    usleep(20000);
  }
  return real(from, old, to, path);
}

int flock(int number, int what) {
  static int (*real)(int, int);
  char link[64], path[4096];
  if (!real) real = dlsym(RTLD_NEXT, "flock");
  snprintf(link, sizeof link, "/proc/self/fd/%d", number);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  path[size > 0 ? size : 0] = 0;
  if (strstr(path, ".jsonl.lease") && is_on("lockless")) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return real(number, what);
}
`;

const install = (run) => {
  const file = join(run.sandbox.dir, "disk");
  writeFileSync(`${file}.c`, library);
  execFileSync("cc", ["-shared", "-fPIC", "-o", `${file}.so`, `${file}.c`, "-ldl"]);
  run.sandbox.env.LD_PRELOAD = `${file}.so`;
};
const state = (run) => {
  const [program] = run.command();
  const { stdout } = spawnSync(program, ["status", "--json", "--run-dir", run.sandbox.run], { env: run.sandbox.env, cwd: run.cwd, encoding: "utf8", timeout: 20_000 });
  return JSON.parse(stdout);
};

export default [
  {
    name: "a disk that hangs stops neither the beats nor the answers, and Pi is not replaced",
    launcher: true,
    launcherArgs: ["--heartbeat-timeout-seconds", "8"],
    autoStart: false,
    replies: [{ text: "a long answer", stallAfter: 3 }],
    steps: [
      install,
      { start: {} },
      prompt("/goal build it"),
      { waitRequests: 1 },
      { runtime: { goal: { state: "active" } } },
      { exec: "touch $SANDBOX/hangs" },
      prompt("/goal pause"),
      { waitFor: (run) => existsSync(`${run.sandbox.dir}/hung`) },
      { sleep: 13_000 },
      (run) => {
        const { heartbeat, unanswered } = state(run);
        if (!unanswered) run.fail("the recorder answered, so that this shows nothing");
        if (heartbeat?.state !== "alive" || !(heartbeat.last_beat_age_ms < 7000)) run.fail(`the heartbeat is ${JSON.stringify(heartbeat)}`);
        if (!isAlive(run.piPid())) run.fail("Pi has ended");
      },
      (run) => rmSync(`${run.sandbox.dir}/hangs`),
      { runtime: { goal: { state: "paused" } } },
      { rpc: { type: "abort" } },
      ...end,
    ],
    asserts: [{ requests: 1 }, { supervisor: { state: "ended", generation_number: 1 } }],
  },
  {
    name: "a session on a file system without locks is refused with 75, in one sentence that names the file",
    launcher: true,
    autoStart: false,
    args: ["--session", "${dir}/s.jsonl"],
    steps: [install, { exec: "touch $SANDBOX/lockless" }, { start: {} }, { waitExit: { code: 75 } }],
    asserts: [{ stderr: "s.jsonl.lease cannot be locked .*Operation not supported" }, { requests: 0 }, { supervisor: { state: "ended", exit_code: 75 } }],
  },
];
