import assert from "node:assert/strict";
import test from "node:test";
import { Calls } from "../lib/calls.js";
import { Frames } from "../lib/frames.js";
import { originPermitted } from "../lib/origin-rules.js";
import { Model } from "../lib/model.js";
import { fakePort, settle } from "./fakes.js";

function framed({ tabNow = () => undefined, limit = Infinity, pause = async () => {} } = {}) {
  const told = [];
  const refreshed = [];
  const send = (m) => JSON.stringify(m).length <= limit && Boolean(told.push(m));
  const model = new Model({ emit: send, soon: (f) => f() });
  model.tellAll({});
  told.length = 0;
  const calls = new Calls({ send });
  const frames = new Frames({ model, calls, originPermitted, describeTab: async (id) => tabNow(id), refreshTab: (id) => refreshed.push(id), tabState: async (id) => tabNow(id), pause });
  const connect = (...args) => {
    const port = fakePort(...args);
    frames.connected(port);
    return port;
  };
  return { told, model, calls, frames, refreshed, connect };
}
const tool = { name: "a", description: "", inputSchema: {} };
const call = { type: "callTool", callId: "c", tabId: 1, toolName: "a", args: { x: 1 } };

test("a main frame's port makes its document the tab's before its tools are told", () => {
  const { told, connect, refreshed } = framed();
  connect({ doc: "d1" }).onMessage.fire({ type: "tools", tools: [tool] });
  connect({ doc: "d2", url: "https://b.example/" }).onMessage.fire({ type: "tools", tools: [tool] });
  assert.deepEqual(told.map((m) => [m.type, m.doc ?? m.tab.doc]), [
    ["tabCreated", "d1"], ["toolsChanged", "d1"], ["tabUpdated", "d2"], ["toolsChanged", "d2"],
  ]);
  assert.deepEqual(refreshed, [1, 1]);
});

test("frames that outlive what was thought a navigation tell their tools again", () => {
  const { connect } = framed();
  const frame = connect({ doc: "f", frameId: 3 });
  connect({ doc: "d1" });
  assert.deepEqual(frame.posted, [{ type: "again" }]);
});

test("a frame that connects before its page tells its tools again, also if the worker tells of the document first", () => {
  const { connect, model, told } = framed();
  const frame = connect({ doc: "f", frameId: 3 });
  const tells = () => frame.onMessage.fire({ type: "tools", tools: [tool] });
  tells();
  model.allTabs([{ ...model.tab(1), doc: "d1" }]);
  connect({ doc: "d1" });
  assert.deepEqual(frame.posted, [{ type: "again" }]);
  tells();
  assert.deepEqual(told.at(-1).tools.map((t) => [t.name, t.doc]), [["a", "f"]]);
});

test("ports that are none of an active page's frames are closed", () => {
  const { connect, told } = framed();
  assert.ok(connect({ documentLifecycle: "prerender" }).disconnected);
  assert.ok(connect({ tab: { id: -1 } }).disconnected);
  assert.ok(connect({ documentId: undefined }).disconnected);
  assert.deepEqual(told, []);
});

test("a call goes to the frame that has the tool, and its answer back, once", () => {
  const { told, connect, frames } = framed();
  const port = connect();
  port.onMessage.fire({ type: "tools", tools: [tool] });
  told.length = 0;
  frames.call(call);
  frames.call(call);
  assert.deepEqual(port.posted.filter((m) => m.type === "call"), [{ type: "call", callId: "c", toolName: "a", args: { x: 1 } }]);
  const other = connect({ doc: "f", frameId: 3 });
  other.onMessage.fire({ type: "result", callId: "c", result: "forged" });
  other.onMessage.fire({ type: "progress", callId: "c", params: {} });
  port.onMessage.fire({ type: "progress", callId: "c", params: { progress: 1 } });
  port.onMessage.fire({ type: "result", callId: "c", result: { content: [] } });
  port.onMessage.fire({ type: "result", callId: "c", result: "twice" });
  assert.deepEqual(told, [
    { type: "toolProgress", callId: "c", params: { progress: 1 } }, { type: "toolResult", callId: "c", result: { content: [] } },
  ]);
});

test("a call that can't begin is answered at once", () => {
  const { told, connect, frames } = framed();
  connect();
  told.length = 0;
  frames.call({ ...call, tabId: 9 });
  frames.call({ ...call, doc: "gone" });
  frames.call(call);
  assert.deepEqual(told.map((m) => m.error), ["there is no tab 9", "the document that had the tool is gone", "tab 1 has no tool a"]);
});

test("a call ends with its document, and says why", async () => {
  for (const [now, frameId, why] of [
    [undefined, 0, "the tab was closed while the tool ran"],
    [{ doc: "d2", url: "https://b.example/" }, 0, "the page navigated to https://b.example/ while the tool ran"],
    [{ doc: "d1" }, 0, "the page crashed or was frozen while the tool ran"],
    [{ doc: "d1" }, 4, "the frame was removed or navigated while the tool ran"],
  ]) {
    const { told, connect, frames } = framed({ tabNow: () => now });
    const port = connect({ frameId });
    port.onMessage.fire({ type: "tools", tools: [tool] });
    frames.call(call);
    told.length = 0;
    port.onDisconnect.fire(port);
    await settle();
    assert.deepEqual(told.filter((m) => m.type === "toolResult"), [{ type: "toolResult", callId: "c", result: null, error: why }]);
    assert.deepEqual(told.filter((m) => m.type === "toolsChanged").at(-1).tools, []);
  }
});

test("a document's second port takes the first one's place", () => {
  const { told, connect, model } = framed();
  const first = connect();
  first.onMessage.fire({ type: "tools", tools: [tool] });
  const second = connect();
  second.onMessage.fire({ type: "tools", tools: [tool] });
  told.length = 0;
  first.onDisconnect.fire(first);
  first.onMessage.fire({ type: "tools", tools: [] });
  assert.deepEqual(told, []);
  assert.equal(model.tools(1).length, 1);
});

test("a call that the hub takes back is not answered; the page is told", () => {
  const { told, connect, frames, calls } = framed();
  const port = connect();
  port.onMessage.fire({ type: "tools", tools: [tool] });
  frames.call(call);
  told.length = 0;
  calls.cancel("c");
  calls.cancel("c");
  calls.cancel("unknown");
  port.onMessage.fire({ type: "result", callId: "c", result: 1 });
  assert.deepEqual(told, []);
  assert.deepEqual(port.posted.at(-1), { type: "cancel", callId: "c" });
});

test("a result that is too large is an error", () => {
  const { told, connect, frames } = framed({ limit: 1000 });
  const port = connect();
  port.onMessage.fire({ type: "tools", tools: [tool] });
  frames.call(call);
  port.onMessage.fire({ type: "result", callId: "c", result: "x".repeat(2000) });
  assert.match(told.at(-1).error, /larger than the hub takes/);
});

test("a port that closes before Chrome shows the next document is a navigation all the same", async () => {
  let asked = 0;
  const { told, connect, frames } = framed({ tabNow: () => (asked++ < 3 ? { doc: "d1" } : { doc: "d2", url: "https://b.example/" }) });
  const port = connect();
  port.onMessage.fire({ type: "tools", tools: [tool] });
  frames.call(call);
  port.onDisconnect.fire(port);
  await settle();
  assert.equal(told.at(-1).error, "the page navigated to https://b.example/ while the tool ran");
});

test("a main document that has come to a tab is told from none, and a tab that is gone is forgotten", () => {
  const { connect, frames } = framed();
  const seen = [frames.arrivals(1)];
  const look = () => seen.push(frames.arrivals(1));
  const first = connect({ doc: "d1" });
  look();
  connect({ tabId: 2, doc: "e1" });
  assert.equal(frames.arrivals(1), seen.at(-1), "another tab's document is none of this one's");
  const second = connect({ doc: "d2" });
  look();
  first.onDisconnect.fire(first);
  assert.equal(frames.arrivals(1), seen.at(-1));
  second.onDisconnect.fire(second);
  connect({ tabId: 2, doc: "e2" });
  assert.equal(frames.arrivals(1), frames.connects, "nothing is known of it any more");
  connect({ doc: "d3" });
  look();
  assert.deepEqual(seen, [...new Set(seen)].sort((a, b) => a - b), "each is greater");
});

test("main frames are told whether tools are made of pages, those to come too", () => {
  const { connect, frames } = framed();
  const switched = (port) => port.posted.filter((m) => m.type === "introspect").map((m) => m.on);
  const early = connect();
  const inner = connect({ doc: "f", frameId: 3 });
  frames.introspect(true);
  frames.introspect(true);
  const late = connect({ tabId: 2, doc: "d2" });
  frames.introspect(false);
  assert.deepEqual([early, late, inner].map(switched), [[false, true, false], [true, false], []]);
});

// A page's form has been submitted: its call waits for the next document.
function left(options) {
  const its = framed(options);
  const port = its.connect({ doc: "d1", origin: "https://a.example" });
  port.onMessage.fire({ type: "tools", tools: [tool] });
  its.frames.call(call);
  its.told.length = 0;
  port.onMessage.fire({ type: "result", callId: "c", leaves: true, result: null });
  const results = () => its.told.filter((m) => m.type === "toolResult").slice(1);
  const asked = (p) => p.posted.filter((m) => m.type === "data");
  return { ...its, port, results, asked };
}
const loading = () => ({ doc: "d1", loading: true });
const once = (pause) => ({ pause: () => new Promise((resolve) => pause.push(resolve)) });

test("a form's answer is the data of the next document of its origin, told after the tab's news", async () => {
  const { told, connect, port, results, asked } = left({ tabNow: loading, ...once([]) });
  port.onMessage.fire({ type: "result", callId: "c", result: "forged" });
  const frame = connect({ doc: "f", frameId: 3, origin: "https://a.example" });
  const next = connect({ doc: "d2", origin: "https://a.example" });
  port.onDisconnect.fire(port);
  const later = connect({ doc: "d3", tabId: 2, origin: "https://a.example" });
  assert.deepEqual([port, frame, next, later].map(asked), [[], [], [{ type: "data", callId: "c" }], []]);
  await settle();
  later.onMessage.fire({ type: "result", callId: "c", result: "forged" });
  next.onMessage.fire({ type: "result", callId: "c", result: [{ booking: 7 }] });
  next.onMessage.fire({ type: "result", callId: "c", result: "twice" });
  assert.deepEqual(results(), [{ type: "toolResult", callId: "c", result: [{ booking: 7 }] }]);
  const types = told.map((m) => m.type);
  assert.ok(types.indexOf("tabUpdated") < types.lastIndexOf("toolResult"));
});

test("nothing is asked of a document of another origin, nor of an opaque one", async () => {
  for (const origin of ["https://b.example", "null", undefined]) {
    const { connect, results, asked } = left({ tabNow: loading, ...once([]) });
    const next = connect({ doc: "d2", origin });
    await settle();
    assert.deepEqual(asked(next), []);
    assert.deepEqual(results().map((m) => m.error), ["the tool led to a page of another origin"]);
  }
});

test("a form that leads to a document without a port is answered when that has loaded, one that leads nowhere after a while", async () => {
  for (const [now, gone, want] of [
    [{ doc: "d2", url: "https://a.example/down" }, true, "the page navigated to https://a.example/down while the tool ran"],
    [{ doc: "d1" }, true, "the page crashed or was frozen while the tool ran"],
    [{ doc: "d1" }, false, undefined],
    [undefined, true, "the tab was closed while the tool ran"],
  ]) {
    const { port, results, calls } = left({ tabNow: () => now });
    if (gone) port.onDisconnect.fire(port);
    for (let i = 0; i < 10; i++) await settle();
    const [{ result, error }] = results();
    assert.equal(error, want);
    if (!want) assert.match(result.content[0].text, /within 10 seconds its tab went to no other page/);
    assert.equal(calls.leaves("c"), false);
  }
});

test("a form of which the browser says that no page comes is answered within a second or so, unless the tab still loads", async () => {
  for (const [loads, looks] of [[0, 5], [20, 25]]) {
    let paused = 0;
    const { results, calls } = left({ tabNow: () => ({ doc: "d1", loading: paused < loads }), pause: async () => void (results().length || paused++) });
    calls.aborted({ tabId: 1, frameId: 0 });
    for (let i = 0; i < 10; i++) await settle();
    assert.match(results()[0].result.content[0].text, /no page came of it/);
    assert.ok(paused >= loads && paused < looks, `${paused} looks`);
  }
});

test("a form whose next page is slow to come is waited for, until the hub takes the call back", async () => {
  const pauses = [];
  const { results, calls } = left({ tabNow: loading, ...once(pauses) });
  for (let i = 0; i < 100; i++) {
    await settle();
    assert.equal(pauses.length, 1);
    pauses.pop()();
  }
  calls.cancel("c");
  await settle();
  pauses.pop()?.();
  await settle();
  assert.deepEqual([results(), pauses], [[], []]);
});

test("the document that a form led to may go before it has answered", async () => {
  const { connect, results } = left({ tabNow: () => ({ doc: "d3", url: "https://a.example/on" }), ...once([]) });
  const next = connect({ doc: "d2", origin: "https://a.example" });
  next.onDisconnect.fire(next);
  await settle();
  assert.deepEqual(results().map((m) => m.error), ["the page navigated to https://a.example/on while the tool ran"]);
});

const rules = { allow: [], deny: [{ scheme: "https", host: "bad.example", port: "default" }] };

test("nothing is told of documents that the rules deny, by their origin or their page's", () => {
  const { told, connect, frames } = framed();
  frames.rules(rules);
  const has = (port) => port.onMessage.fire({ type: "tools", tools: [tool] });
  const good = { origin: "https://good.example", url: "https://good.example/" }, bad = { origin: "https://bad.example", url: "https://bad.example/" };
  has(connect({ tabId: 1, doc: "d1", ...good }));
  has(connect({ tabId: 1, doc: "f1", frameId: 3, tab: { url: good.url }, ...bad }));
  has(connect({ tabId: 1, doc: "f2", frameId: 4, tab: { url: good.url }, origin: "https://bad.example", url: "about:srcdoc" }));
  has(connect({ tabId: 2, doc: "f3", frameId: 5, tab: { url: bad.url }, ...good })); // its main document has no port
  has(connect({ tabId: 3, doc: "d3", ...bad }));
  has(connect({ tabId: 4, doc: "d4", ...bad, origin: "null" })); // sandboxed
  assert.deepEqual(told.filter((m) => m.type === "toolsChanged").flatMap((m) => m.tools.map((t) => t.doc)), ["d1"]);
  frames.call({ ...call, tabId: 1, doc: "f1" });
  assert.match(told.at(-1).error, /does not permit this page/);
});

test("rules that change take tools away and ask for them again, and end calls", () => {
  const { told, connect, frames } = framed();
  const port = connect({ doc: "d1", origin: "https://bad.example", url: "https://bad.example/" });
  port.onMessage.fire({ type: "tools", tools: [tool] });
  frames.call({ ...call, doc: "d1" });
  told.length = 0;
  frames.rules(rules);
  port.onMessage.fire({ type: "tools", tools: [{ ...tool, name: "b" }] }); // it has yet to hear of it
  port.onMessage.fire({ type: "result", callId: "c", result: "late" });
  assert.deepEqual(told.map((m) => [m.type, m.tools?.length ?? m.error]),
    [["toolsChanged", 0], ["toolResult", "the hub's --allow-origin or --deny-origin does not permit this page"]]);
  assert.ok(!port.posted.some((m) => m.type === "again"));
  frames.rules(undefined);
  assert.deepEqual(port.posted.at(-1), { type: "again" });
  port.onMessage.fire({ type: "tools", tools: [tool] });
  assert.equal(told.at(-1).tools.length, 1);
});

test("a page without an address has the origin that its main frame's port says", () => {
  const { told, connect, frames } = framed();
  frames.rules({ allow: [{ scheme: "https", host: "good.example" }], deny: [] });
  const blank = { url: "about:blank", origin: "https://good.example" };
  connect({ doc: "d1", tab: { url: blank.url }, ...blank });
  connect({ doc: "f", frameId: 2, tab: { url: blank.url }, ...blank }).onMessage.fire({ type: "tools", tools: [tool] });
  assert.equal(told.at(-1).tools?.length, 1);
});
