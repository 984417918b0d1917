// A provider that takes the second request into a queue and answers it later: stop reason "deferred". Appends a
// line to $SANDBOX/deferring for each request, fetch and cancellation.
import { appendFileSync } from "node:fs";

const note = (what: string) => appendFileSync(`${process.env.SANDBOX}/deferring`, `${what}\n`);

const firstMessage = [
  { type: "text", text: "no prefix here" },
  { type: "toolCall", id: "call-1", name: "bash", arguments: { command: "touch CALL1" } },
];

export default function (pi: any) {
  let requests = 0;
  const streamSimple = (model: any) => {
    requests += 1;
    note("request");
    const stopReason = requests === 1 ? "toolUse" : "deferred";
    const message = {
      role: "assistant",
      content: requests === 1 ? firstMessage : [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
      stopReason,
      ...(requests === 1 ? {} : { deferred: { id: "job-1" } }),
      timestamp: Date.now(),
    };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial: message };
        yield { type: "done", reason: stopReason, message };
      },
      result: async () => message,
    };
  };
  pi.registerProvider("queue", {
    baseUrl: "http://127.0.0.1:9",
    apiKey: "none",
    api: "deferring",
    streamSimple,
    models: [
      {
        id: "deferring-model",
        name: "Deferring",
        reasoning: false,
        input: ["text"],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 128_000,
        maxTokens: 8192,
      },
    ],
  });
}
