// What the canary scenarios share: how they begin and end, what the model says, what must be seen.

export const prompt = (message) => ({ rpc: { type: "prompt", message } });
export const settled = { wait: { type: "agent_settled" } };
export const end = [{ sleep: 500 }, { closeStdin: true }, { waitExit: { code: 0 } }];
export const turnOn = [prompt("/canary chirp"), { sleep: 1500 }];
export const phase = (name) => ({ runtime: { canary: { phase: name } } });

export const miss = (file = "CALL1") => ({ name: "miss", text: "no prefix here", tools: [{ name: "bash", args: { command: `touch ${file}` } }] });
export const handover = { name: "handover", when: { any: "CANARY FAILED" }, text: "chirp: # Canary handover\nHANDOVER-CONTENT: do the rest." };
export const summary = { name: "summary", when: { noTools: true }, text: "SUMMARY-TEXT", usage: { input: 777, output: 33 } };
export const fresh = { name: "fresh", when: { any: "HANDOVER-CONTENT" }, text: "chirp: finished" };
export const badHandover = { name: "bad handover", when: { any: "CANARY FAILED" }, text: "chirp: all is well" };

const notices = (run) => run.events().filter(({ method }) => method === "notify").map(({ message }) => message).join("\n");
export const says = (text) => (run) => (new RegExp(text).test(notices(run)) ? undefined : `no notice says ${text}; there are: ${notices(run)}`);
export const saysNot = (text) => (run) => (new RegExp(text).test(notices(run)) ? `a notice says ${text}` : undefined);
export const record = (data, count) => ({ session: { type: "custom", customType: "resilient-canary", data }, ...(count === undefined ? {} : { count }) });
export const noCompaction = { session: { type: "compaction" }, count: 0 };
export const paused = [record({ phase: "paused" }), says("Canary recovery paused"), noCompaction];
