import assert from "node:assert/strict";
import test from "node:test";
import "../content/mcp-client.js";
import { settle } from "./fakes.js";

const { McpClient } = globalThis.webmcpHub;

/** A client and the server's end of it; answers(method) is what the server says, undefined for silence. */
function served(answers = {}) {
  const sent = [];
  let changes = 0;
  const client = new McpClient({
    onChange: () => changes++,
    send(payload) {
      sent.push(payload);
      const answer = answers[payload.method]?.(payload.params, payload.id);
      if (answer) setImmediate(() => client.deliver({ jsonrpc: "2.0", id: payload.id, ...answer }));
    },
  });
  return { client, sent, changes: () => changes };
}
const initialize = () => ({ result: { protocolVersion: "2025-06-18", capabilities: {} } });

test("no server, no tools, and nothing is asked", async () => {
  const { client, sent } = served();
  client.check();
  assert.deepEqual(await client.list(), []);
  assert.deepEqual(sent, ["mcp-check-ready"]);
});

test("handshake once, and all pages of the list", async () => {
  const { client, sent, changes } = served({
    initialize,
    "tools/list": ({ cursor }) => ({ result: cursor ? { tools: [{ name: "b" }] } : { tools: [{ name: "a" }], nextCursor: "2" } }),
  });
  client.deliver("mcp-server-ready");
  assert.equal(changes(), 1);
  assert.deepEqual(await client.list(), [{ name: "a" }, { name: "b" }]);
  await client.list();
  assert.deepEqual(sent.map((m) => m.method), ["initialize", "notifications/initialized", "tools/list", "tools/list", "tools/list", "tools/list"]);
  client.deliver({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  assert.equal(changes(), 2);
});

test("a call's result is the server's, its error an error", async () => {
  const { client } = served({ "tools/call": ({ name }) => (name === "a" ? { result: { content: [] } } : { error: { code: -32602, message: "Tool not found" } }) });
  client.deliver("mcp-server-ready");
  assert.deepEqual(await client.call("a", {}), { content: [] });
  await assert.rejects(client.call("b", {}), /^Error: Tool not found$/);
});

test("a cancelled call ends at once, and the server is told", async () => {
  const { client, sent } = served();
  const controller = new AbortController();
  const call = client.call("a", {}, { signal: controller.signal });
  const { id } = sent[0];
  controller.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  assert.deepEqual(sent[1], { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason: "cancelled" } });
  client.deliver({ jsonrpc: "2.0", id, result: {} }); // late
});

test("progress comes to the call that it is of", async () => {
  const { client, sent } = served();
  const heard = [];
  const call = client.call("a", {}, { progress: (p) => heard.push(p.progress) });
  const { id, params } = sent[0];
  client.deliver({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress: 1 } });
  client.deliver({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 42, progress: 2 } });
  client.deliver({ jsonrpc: "2.0", id, result: {} });
  await call;
  assert.deepEqual(heard, [1]);
});

test("a server that stops ends its calls, and may come back", async () => {
  const { client } = served({ initialize, "tools/list": () => ({ result: { tools: [] } }) });
  client.deliver("mcp-server-ready");
  const call = client.call("a", {});
  client.deliver("mcp-server-stopped");
  await assert.rejects(call, /stopped/);
  assert.equal(client.ready, false);
  client.deliver("mcp-server-ready");
  assert.deepEqual(await client.list(), []);
});

test("garbage is ignored, a ping answered, other requests refused", async () => {
  const { client, sent } = served();
  for (const payload of ["x", 7, null, [], {}, { id: 1 }, { id: {}, result: 1 }, { method: 7 }]) client.deliver(payload);
  client.deliver({ jsonrpc: "2.0", id: 1, method: "ping" });
  client.deliver({ jsonrpc: "2.0", id: 2, method: "sampling/createMessage" });
  assert.deepEqual(sent, [{ jsonrpc: "2.0", id: 1, result: {} }, { jsonrpc: "2.0", id: 2, error: { code: -32601, message: "Method not found" } }]);
  await settle();
});
