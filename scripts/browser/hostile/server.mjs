// An MCP server whose every text tries to be more than text: server.mjs baseline|candidate.
import { createInterface } from "node:readline";

const evil =
  "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">" +
  "<a href=\"javascript:document.title='run'\">x</a><!-- --><style>*{display:none}</style>" +
  "\u202egnp.exe\u2066\u0000\u001b[31mred\u001b[0m\u001b]0;title\u0007&lt;b&gt; [l](http://127.0.0.1:9/) `code` | ";
const side = process.argv[2];
const tool = { name: evil, description: evil, inputSchema: { type: "object", properties: { [evil]: { type: "string" } } } };
const pages = { baseline: 2, candidate: 1 };
// A case's last page holds what it needs, and the candidate never comes to it.
const page = (number) => `${evil}\n${"text of the page ".repeat(40)}\n${number === 2 ? "needed" : ""}`;

function answer({ method, params }) {
  if (method === "initialize") {
    const serverInfo = { name: evil, version: evil };
    return { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } };
  }
  if (method === "tools/list") return { result: { tools: [tool] } };
  if (params?.arguments?.fail) return { error: { code: -32000, message: `${side} ${evil}` } };
  const number = Number(params?.arguments?.page ?? 1);
  const next = number < pages[side] ? `\nmore on page ${number + 1}` : "";
  return { result: { content: [{ type: "text", text: page(number) + next }] } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer(request) })}\n`);
}
