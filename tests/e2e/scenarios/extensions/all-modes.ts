// `/modes` turns on every mode of the terminal that a Pi may leave behind, and leaves a link and a colour open.
const modes =
  "\x1b[?1049h\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1004h\x1b[?1006h\x1b[?2004h\x1b[?2031h\x1b[?7l\x1b[?25l" +
  "\x1b[>7u\x1b[>4;2m\x1b[?2026h\x1b]8;;http://127.0.0.1/\x07\x1b[31m";

export default function (pi: any) {
  pi.registerCommand("modes", {
    description: "Turn on every mode of the terminal",
    handler: async () => void setTimeout(() => process.stdout.write(modes), 300),
  });
}
