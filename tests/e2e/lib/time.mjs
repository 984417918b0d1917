export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** How much later than asked each look comes: for finding scenarios that wait for what soon passes. */
const lateness = Number(process.env.E2E_LATE_LOOK_MS ?? 0);

/** Calls `look` until it returns something true, and returns that; fails after `ms`. */
export async function until(look, ms, describe) {
  if (lateness) await sleep(lateness);
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${typeof describe === "function" ? await describe() : describe} (waited ${ms} ms)`);
    await sleep(20);
  }
}
