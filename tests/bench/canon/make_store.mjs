// Makes a store of `count` articles of about 1.7 kB and as many journal entries, the same for the
// same count. Words follow Zipf's law, as in real texts, and each article has names of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A small generator of pseudo-random numbers in [0, 1), the same sequence for the same seed. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const syllables = ["ba", "co", "di", "fu", "ge", "lo", "mi", "na", "pe", "ra", "si", "to", "vu"];
const vocabularySize = 20000;

function word(rank) {
  let text = "";
  for (let rest = rank + 13; rest > 0; rest = Math.floor(rest / syllables.length)) {
    text += syllables[rest % syllables.length];
  }
  return text;
}

const common = ["the", "of", "and", "to", "in", "is", "a", "for", "on", "with", "this", "that"];

export function addressOf(index) {
  return `area${index % 23}/part${index % 29}/item${index}`;
}

function sentence(random, length) {
  const words = [];
  for (let i = 0; i < length; i += 1) {
    words.push(
      random() < 0.35
        ? common[Math.floor(random() * common.length)]
        : word(Math.floor(vocabularySize ** random())),
    );
  }
  return words.join(" ");
}

/** Returns the folder of the project. */
export function makeStore(folder, count) {
  const random = generator(count);
  for (let i = 0; i < count; i += 1) {
    const path = join(folder, ".canon/articles", `${addressOf(i)}.md`);
    mkdirSync(dirname(path), { recursive: true });
    let body = `# Item ${i}\n`;
    while (body.length < 1600) {
      body += `\n${sentence(random, 24)}; limit_${i} is ${Math.floor(random() * 1e6)}.\n`;
    }
    const capsule = sentence(random, 8);
    writeFileSync(path, `---\ncapsule: ${capsule}\nupdated: 2026-11-30\n---\n${body}`);
  }
  mkdirSync(join(folder, ".canon/journal"), { recursive: true });
  for (let i = 0; i < count; i += 1) {
    const day = `2026-${String(1 + (i % 11)).padStart(2, "0")}-${String(1 + (i % 28)).padStart(2, "0")}`;
    writeFileSync(
      join(folder, ".canon/journal", `${day}-event-${i}.md`),
      `---\nsubject: [${addressOf(i % Math.max(1, Math.floor(count / 3)))}]\n` +
        `logged: ${day}T10:00:00.000Z\n---\n${sentence(random, 40)}\n`,
    );
  }
  return folder;
}
