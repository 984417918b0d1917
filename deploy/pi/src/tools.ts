// The tools that the model is offered. What they do is decided by pi-resilient.

import { encode } from "./frames.ts";
import type { Session } from "./session.ts";
import { isObject, textOf } from "./values.ts";

const deadline = 30_000;

interface Offer {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
}

const text = (description: string) => ({ type: "string", description });

const offers: Offer[] = [
  {
    name: "create_goal",
    label: "Create goal",
    description:
      "Declares a persistent goal: work on it goes on over many turns, errors and restarts until it is marked complete. " +
      "Use it only when the user asked for a persistent goal in so many words, never because a task is large.",
    parameters: {
      type: "object",
      properties: { objective: text("What has to be true when the goal is reached, in full, as the user put it") },
      required: ["objective"],
    },
  },
  {
    name: "update_goal",
    label: "Update goal",
    description:
      "Marks the active goal as complete. Call it once the objective is reached and you have verified that; " +
      "a final answer in words does not end the goal. Use blocked, with the reason, only when nothing more can be done without a person.",
    parameters: {
      type: "object",
      properties: {
        status: { type: "string", enum: ["complete", "blocked"], description: "complete: reached and verified. blocked: a person is needed." },
        reason: text("blocked: what a person has to do"),
      },
      required: ["status"],
    },
  },
  {
    name: "get_goal",
    label: "Get goal",
    description: "Tells the current goal, its state, and when work on it goes on.",
    parameters: { type: "object", properties: {} },
  },
  {
    name: "canon",
    label: "Canon",
    description:
      "Project memory: at most one article for each asset, at the asset's own address (src/core/config.ts is at src/core/config; " +
      "lake/prices works too). read an asset's article before you work on it; write after a change that makes it untrue. " +
      "An article says what is true now, in your words; the journal takes one event as it arrived, with its source, names and " +
      "exact numbers, and is never changed. Carry exact values verbatim: ids, keys, counts, limits, durations, every member of a " +
      "named set. map lists the capsules. Creating an article is rare: update the one that already governs. Put a constraint where " +
      "the asset that it binds lives, or at the shared parent of several, not at the file that you happen to edit.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["read", "write", "journal", "map", "search"], description: "What to do." },
        path: text("read, write: the asset's path or address. map: only what is at or below it. search: a mount to search instead of the project."),
        body: text("write: the whole new article in Markdown; left out, it stays. journal: what happened."),
        capsule: text("write: one dense line of current truth; left out, it stays."),
        query: text("search: words to look for."),
        journal: { type: "boolean", description: "search: true searches the journal too." },
        scope: { type: "string", enum: ["rule", "asset"], description: "write: rule declares knowledge that belongs to no asset; asset takes that back." },
        subject: { type: "array", items: { type: "string" }, description: "journal: the addresses that the event is about." },
        slug: text("journal: a few words for the file name."),
      },
      required: ["action"],
    },
  },
];

export const ownTools = offers.map(({ name }) => name);

export function registerTools(session: Session): void {
  for (const offer of offers) register(session, offer);
}

/** Words a tool anew, as pi-resilient wants it. Wrong or foreign descriptions change nothing; the answer names them. */
export function describeTools(session: Session, descriptions: unknown): string | undefined {
  const wrong: string[] = [];
  for (const one of Array.isArray(descriptions) ? descriptions : [undefined]) {
    const offer = isObject(one) ? offers.find(({ name }) => name === one.name) : undefined;
    if (!offer || !isObject(one) || typeof one.description !== "string") wrong.push(textOf(isObject(one) ? one.name : undefined, "tools"));
    else register(session, { ...offer, description: one.description, parameters: isObject(one.parameters) ? one.parameters : offer.parameters });
  }
  return wrong.length ? `wrong tools: ${wrong.join(", ")}` : undefined;
}

function register(session: Session, offer: Offer): void {
  session.pi.registerTool({
    ...offer,
    execute: async (callId, parameters, signal, _onUpdate, context) => {
      if (!session.live(context)) throw new Error("This session of Pi has ended.");
      const frame = { type: "tool", tool: offer.name, call_id: callId, params: parameters ?? {} };
      if (!encode({ ...frame, id: Number.MAX_SAFE_INTEGER })) throw new Error("This call is too long. Make it shorter than a megabyte.");
      const reply = await session.request(frame, deadline, signal);
      if (!reply) throw new Error(session.inert || `pi-resilient did not answer, so ${offer.name} did nothing that is known. Go on without it.`);
      // An error result is what Pi makes of a throw.
      if (reply.is_error === true) throw new Error(textOf(reply.text, "failed"));
      return { content: [{ type: "text", text: textOf(reply.text) }], details: {} };
    },
  });
}
