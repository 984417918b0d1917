// A straightforward reader of the same stores, to compare with: `node node_reader.mjs FOLDER read
// ADDRESS`, `... search WORDS`, `... map`. It does what the figures need and nothing else.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [folder, action, ...rest] = process.argv.slice(2);
const articles = join(folder, ".canon/articles");

function parse(text) {
  const block = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text);
  const capsule = block && /^capsule:\s*(.*)$/m.exec(block[1]);
  return { capsule: capsule ? capsule[1] : "", body: block ? text.slice(block[0].length) : text };
}

function list() {
  return readdirSync(articles, { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -3))
    .sort();
}

const load = (address) => parse(readFileSync(join(articles, `${address}.md`), "utf8"));
const tokens = (text) => text.toLowerCase().match(/[a-z0-9_]{2,}/g) ?? [];

function search(question) {
  const documents = list().map((address) => {
    const { capsule, body } = load(address);
    const counts = new Map();
    const all = tokens(`${address} ${capsule} ${body}`);
    for (const token of all) counts.set(token, (counts.get(token) ?? 0) + 1);
    return { address, capsule, counts, length: all.length };
  });
  const mean = documents.reduce((sum, d) => sum + d.length, 0) / documents.length;
  const scores = new Map();
  for (const token of new Set(tokens(question))) {
    const holders = documents.filter((d) => d.counts.has(token));
    const n = holders.length;
    const weight = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5));
    for (const d of holders) {
      const tf = d.counts.get(token);
      const part = (weight * tf * 2.5) / (tf + 1.5 * (0.25 + (0.75 * d.length) / mean));
      scores.set(d, (scores.get(d) ?? 0) + part);
    }
  }
  return [...scores.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 10)
    .map(([d]) => `${d.address}: ${d.capsule}`);
}

if (action === "read") {
  const { capsule, body } = load(rest[0]);
  const journal = join(folder, ".canon/journal");
  const mentions = existsSync(journal)
    ? readdirSync(journal).filter((name) =>
        readFileSync(join(journal, name), "utf8").includes(`subject: [${rest[0]}]`))
    : [];
  console.log(`${rest[0]}\ncapsule: ${capsule}\n\n${body}\n${mentions.slice(-3).join(", ")}`);
} else if (action === "search") {
  console.log(search(rest.join(" ")).join("\n"));
} else {
  console.log(list().map((address) => `${address}: ${load(address).capsule}`).join("\n"));
}
