import assert from "node:assert/strict";
import test from "node:test";
import { fits, MAX_MESSAGE, parse } from "../lib/protocol.js";

test("what the hub may ask is read, with and without the extras", () => {
  for (const m of [
    { type: "pong" }, { type: "connect" }, { type: "connect", launch: true },
    { type: "connect", origins: { allow: [], deny: [{ any: true }, { scheme: "https", host: ".a.example", port: "default" }, {}] } },
    { type: "connect", origins: { allow: Array(1000).fill({ host: "x".repeat(300) }), deny: [] } },
    { type: "openTab", url: "https://a.example/", focus: false }, { type: "focusTab", tabId: 3, requestId: "r" }, { type: "closeTab", tabId: 3 },
    { type: "callTool", callId: "c", tabId: 1, toolName: "t", args: {} },
    { type: "callTool", callId: "c", tabId: 1, toolName: "t", args: {}, frameId: 0, doc: "d", timeoutMs: 10, later: "more" },
    { type: "cancelTool", callId: "c" },
  ]) assert.deepEqual(parse(JSON.stringify(m)), m);
});

test("anything else is not", () => {
  for (const text of [
    "", "x", "null", "[]", "7", '"pong"', "{}", '{"type":"makeCoffee"}', '{"type":"__proto__"}', '{"type":["pong"]}',
    '{"type":"connect","launch":1}', '{"type":"openTab","url":1,"focus":true}', '{"type":"openTab","url":"x"}',
    '{"type":"focusTab","tabId":"1"}', '{"type":"focusTab","tabId":0}', '{"type":"focusTab","tabId":1.5}',
    '{"type":"callTool","tabId":1,"toolName":"t","args":{}}', '{"type":"callTool","callId":"c","tabId":1,"toolName":"t","args":[]}',
    '{"type":"callTool","callId":"c","tabId":1,"toolName":"t","args":{},"frameId":-1}', '{"type":"cancelTool"}',
    ...[1, [], {}, { allow: [] }, { allow: [], deny: {} }, { allow: [], deny: [null] }, { allow: ["https://a.example"], deny: [] }, { allow: [{ host: 1 }], deny: [] },
      { allow: [{ any: "yes" }], deny: [] }, { allow: [{ port: 80 }], deny: [] }, { allow: [{ host: "x".repeat(301) }], deny: [] }, { allow: [], deny: Array(1001).fill({}) },
    ].map((origins) => JSON.stringify({ type: "connect", origins })),
  ]) assert.equal(parse(text), undefined, text);
});

test("a message is measured as it goes over the wire", () => {
  assert.ok(fits("x".repeat(MAX_MESSAGE)));
  assert.ok(!fits("x".repeat(MAX_MESSAGE + 1)));
  assert.ok(!fits("ü".repeat(MAX_MESSAGE / 2 + 1)));
});
