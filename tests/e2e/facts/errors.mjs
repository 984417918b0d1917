// What Pi makes of failures of the provider: how often it tries again, and what it then says.
const failing = (error) => [{ repeat: "forever", ...error }];
const overload = { error: { status: 503, body: { error: { message: "overloaded" } } } };

const inPrintMode = (name, replies, requests, text, rest = {}) => ({
  name,
  mode: "print",
  firstArgs: ["go"],
  replies,
  steps: [{ waitExit: { code: 1 } }],
  asserts: [{ requests }, { session: { message: { stopReason: "error", errorMessage: `/${text}/` } } }],
  ...rest,
});

export default [
  inPrintMode("an overload is tried again as often as the settings say", failing(overload), 3, "503.*overloaded"),
  inPrintMode("a wrong key is not tried again", failing({ error: { status: 401, body: { error: { message: "no" } } } }), 1, "401"),
  inPrintMode("a dropped connection is tried again", failing({ drop: true }), 3, "Connection error"),
  inPrintMode("a torn stream is tried again", failing({ text: "some text", cut: true }), 3, "terminated"),
  inPrintMode("a stream without an end is tried again", failing({ text: "some text", noFinish: true }), 3, "finish_reason"),
  inPrintMode(
    "an exhausted plan is not tried again, and named in a sentence",
    failing({ error: { status: 429, body: { error: { type: "usage_limit_reached", plan_type: "plus", resets_at: "$NOW+3600" } } } }),
    1,
    "usage limit.*Try again in",
    { api: "openai-codex-responses" },
  ),
  {
    name: "the agent settles once, after the last try",
    replies: failing(overload),
    steps: [
      { rpc: { type: "prompt", message: "go" } },
      { wait: { type: "agent_settled" } },
      { sleep: 300 },
      { closeStdin: true },
      { waitExit: { code: 0 } },
    ],
    asserts: [{ requests: 3 }, { event: { type: "agent_end" }, count: 3 }, { event: { type: "agent_settled" }, count: 1 }],
  },
];
