// The tools that the model is offered. What they do is decided by pi-resilient.

import { encode } from "./frames.ts";
import type { Session } from "./session.ts";
import { textOf } from "./values.ts";

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
      "a final answer in words does not end the goal.",
    parameters: {
      type: "object",
      properties: { status: { type: "string", enum: ["complete"], description: "The only status that can be set" } },
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
      "Project memory: at most one article for each asset, at the asset's own address (src/core/config for src/core/config.ts, " +
      "lake/prices for lake/prices.csv). Read the governing article before work on an asset; write it after a real change. " +
      "The journal takes one event that happened, as it arrived, with its source: names and exact numbers; articles distil. " +
      "Carry exact values verbatim: ids, keys, counts, limits, durations, all members of a named set. map lists the capsules. " +
      "Creating is rare; update the article that governs. Put a constraint where the asset that it binds lives, or at the shared " +
      "parent of several, instead of the file being edited. A rule that governs many assets and owns none gets an address " +
      "named for the rule, scope rule, and a capsule worded as the situation in which it applies.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["read", "write", "journal", "map", "search"], description: "What to do" },
        path: text("The asset or address: for read and write; for map, only what lies beneath it"),
        body: text("write: the whole article; journal: what happened"),
        capsule: text("write: one line that says what the article governs and what binds"),
        query: text("search: the words to look for"),
        journal: { type: "boolean", description: "search: look in journal entries too" },
        scope: { type: "string", enum: ["rule", "asset"], description: "write: rule when no asset lives at this address" },
        subject: { type: "array", items: { type: "string" }, description: "journal: the assets that the event is about" },
        slug: text("journal: a short name for the file"),
      },
      required: ["action"],
    },
  },
];

export const ownTools = offers.map(({ name }) => name);

export function registerTools(session: Session): void {
  for (const offer of offers) {
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
}
