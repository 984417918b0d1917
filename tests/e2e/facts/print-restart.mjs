// What print mode does when it is started again on a session that has work left: only a prompt on its
// command line is sure to be answered.
const extensions = ["continue-at-start.ts", "brings-tool.ts"].map((name) => new URL(`extensions/${name}`, import.meta.url).pathname);

const again = (name, { mode = "print", env = {}, firstArgs = [], requests, asserts = [] }) => ({
  name,
  mode,
  args: ["--session", "${dir}/s.jsonl"],
  extensions,
  firstArgs: ["one"],
  replies: [{ text: "A1" }, { text: "A2", delayMs: 100 }],
  steps: [
    { waitExit: { code: 0 } },
    (run) => Object.assign(run.sandbox.env, env),
    { start: { args: firstArgs } },
    { waitExit: { code: 0 } },
  ],
  asserts: [...(requests === undefined ? [] : [{ requests }]), ...asserts],
});

const sendIn = (event) => ({ CONTINUE: "yes", HOLD_MS: "2000", SEND_IN: event });
/** What the first request of the second Pi has of a later extension. */
const has = (what, wanted) => ({ server }) => {
  const [first, second] = server.requests.map(({ view }) => ({ tool: view.tools.includes("brought_tool"), skill: view.system.includes("brought-skill") }));
  if (!first.tool || !first.skill) return "the first request lacks the tool or the skill: this test proves nothing";
  return second[what] === wanted ? undefined : `the second request ${second[what] ? "has" : "lacks"} the ${what}`;
};

export default [
  again("without a prompt it ends at once", { requests: 1 }),
  again("a prompt on the command line is answered", { firstArgs: ["CONTINUE"], requests: 2, asserts: [has("tool", true), has("skill", true)] }),
  again("a message sent in session_start is answered if session_start waits, but without what later extensions bring", {
    env: sendIn("session_start"),
    requests: 2,
    asserts: [{ stdout: "A2" }, has("tool", false), has("skill", false)],
  }),
  again("a message sent in resources_discover is answered if that waits, with the tools of all extensions", {
    env: sendIn("resources_discover"),
    requests: 2,
    asserts: [{ stdout: "A2" }, has("tool", true), has("skill", false)],
  }),
  again("the events of such a run are in the output of json mode", {
    mode: "json",
    env: sendIn("resources_discover"),
    requests: 2,
    asserts: [
      ({ drivers, options }) => {
        const heard = drivers[1].stdout.includes('"agent_start"');
        const wanted = !options.pi.version.startsWith("0.8");
        return heard === wanted ? undefined : `agent_start is ${heard ? "" : "not "}there: ${drivers[1].stdout.slice(0, 500)}`;
      },
    ],
  }),
  {
    ...again("a message sent in session_start is lost if session_start does not wait", { env: { CONTINUE: "yes" } }),
    // Pi may have sent the request already when it ends, but nothing of the answer is kept.
    asserts: [{ file: "${dir}/s.jsonl", has: "A1" }, ({ drivers }) => (drivers[1].stdout.includes("A2") ? "the answer was printed" : undefined)],
  },
];
