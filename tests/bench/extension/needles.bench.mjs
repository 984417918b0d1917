// Measures what canon costs the extension in each request of Pi: looking for the needles in the
// context, with one message more each time, as in a run. Prints milliseconds of CPU.
//
//   node tests/bench/extension/needles.bench.mjs [megabytes]     with Node 22.18 or later
//
// Exits with 1 when the first request or the median at one megabyte takes 5 ms or more.
import { NeedleSearch } from "../../../deploy/pi/src/needles.ts";

const megabytes = Number(process.argv[2] ?? 1);
const limit = 5;
const rounds = 41;

const words = "the quick brown fox\njumps over  the lazy dog and so on, ";
const size = 10_000;
const messages = (count) =>
  Array.from({ length: count }, (_, index) => text(index, `${index} ${words.repeat(size / words.length)}`));
const text = (index, content) =>
  index % 3 === 0
    ? { role: "assistant", content: [{ type: "text", text: "I write." }, { type: "toolCall", name: "write", arguments: { path: `a${index}`, content } }] }
    : { role: "toolResult", content: [{ type: "text", text: content }] };

/** Each needle stands in a message of its own, spread over the request, or nowhere. */
function needlesIn(request, there, nowhere) {
  const needles = [];
  for (let index = 0; index < there + nowhere; index++) {
    const key = `src/module${index}/part`;
    const tail = `${key} (updated 2026-11-30): article ${index} says what holds here and why.`;
    needles.push({ key, id: key, tail });
    if (index < there) request[Math.floor((index * request.length) / there)].content.push({ type: "text", text: tail });
  }
  return needles;
}

function measure(there, nowhere) {
  const request = messages(Math.round((megabytes * 1024 * 1024) / size));
  let needles = needlesIn(request, there, nowhere);
  const search = new NeedleSearch();
  const cost = (messagesNow) => {
    const before = process.cpuUsage();
    const gone = search.gone(messagesNow, needles);
    const used = process.cpuUsage(before);
    // As pi-resilient does.
    needles = needles.filter(({ key }) => !gone.includes(key));
    return (used.user + used.system) / 1000;
  };
  const first = cost(structuredClone(request));
  const times = [];
  for (let round = 0; round < rounds; round++) {
    request.push(text(round, `round ${round}`));
    // As Pi does, so that no text is the same object as before.
    times.push(cost(structuredClone(request)));
  }
  times.sort((one, other) => one - other);
  if (needles.length !== there) throw new Error(`${needles.length} needles count as there, not ${there}`);
  return { first, median: times[rounds >> 1], slowest: times.at(-1) };
}

const cases = [[0, 0], [4, 0], [20, 0], [100, 0], [100, 20], [500, 0]];
measure(20, 20); // the compiler has seen the code
let missed = false;
console.log(`${megabytes} MB of context, ms of CPU a request      first   median  slowest`);
for (const [there, nowhere] of cases) {
  const { first, median, slowest } = measure(there, nowhere);
  missed ||= megabytes <= 1 && (first >= limit || median >= limit);
  const name = `${there} needles there, ${nowhere} gone`;
  console.log(`${name.padEnd(44)}${[first, median, slowest].map((ms) => ms.toFixed(2).padStart(9)).join("")}`);
}
process.exit(missed ? 1 : 0);
