export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `look` until it returns something true, and returns that; fails after `ms`. */
export async function until(look, ms, describe) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${typeof describe === "function" ? await describe() : describe} (waited ${ms} ms)`);
    await sleep(20);
  }
}
