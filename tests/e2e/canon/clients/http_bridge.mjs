// Puts a server of standard input and output behind HTTP, for clients that speak nothing else: one
// JSON answer for each request, no streams.
import { spawn } from "node:child_process";
import { createServer } from "node:http";

/** Starts `command` and listens on 127.0.0.1. Resolves to { url, end }. */
export async function bridge(command, options) {
  const child = spawn(command[0], command.slice(1), { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const { id } = JSON.parse(line);
      waiting.get(id)?.(line);
      waiting.delete(id);
    }
  });
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    const message = JSON.parse(body);
    const answer = message.id === undefined
      ? undefined : new Promise((resolve) => waiting.set(message.id, resolve));
    child.stdin.write(`${JSON.stringify(message)}\n`);
    if (!answer) {
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, { "Content-Type": "application/json" }).end(await answer);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    end: async () => {
      server.closeAllConnections();
      server.close();
      child.stdin.end();
      await new Promise((resolve) => child.on("exit", resolve));
    },
  };
}
