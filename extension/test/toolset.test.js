import assert from "node:assert/strict";
import test from "node:test";
import "../content/mcp-client.js";
import "../content/toolset.js";

const hub = globalThis.webmcpHub;

/** A frame: native and server are arrays of tools, changed by the test. */
function frame(t, { native, server, late = true, listed, declares, polyfill, forms, made, pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }) {
  const reports = [];
  const browsers = [];
  const waiting = [];
  const log = [];
  const context = native && Object.assign(new EventTarget(), { tools: native });
  let deliver;
  const sources = {
    polyfill, forms, made,
    native: () => context && { context, late },
    listNative: async (c) => (log.push("read"), c.fails ? Promise.reject(new Error("not now")) : c.cached ? undefined : { own: c.tools, names: new Set(c.tools.map((t) => t.name)) }),
    callNative: async (c, tool, args) => `native ${tool.name} ${JSON.stringify(args)}`,
    keepOut: () => log.push("out"),
    letIn: () => log.push("in"),
    leave: () => log.push("left"),
    transport(onPayload) {
      deliver = onPayload;
      return { listen() {}, stop() {}, send: (m) => setImmediate(() => answer(m)) };
    },
  };
  function answer(m) {
    if (!server) return;
    if (m === "mcp-check-ready") return deliver("mcp-server-ready");
    const results = { initialize: { capabilities: { browser: declares } }, "tools/list": { tools: [...(server ?? [])] }, "tools/call": { content: [{ type: "text", text: `server ${m.params?.name}` }] } };
    if (m.method === "tools/list") listed?.();
    if (results[m.method]) deliver({ jsonrpc: "2.0", id: m.id, result: results[m.method] });
  }
  const toolset = new hub.Toolset({ sources, pause, report: (tools, browser) => (reports.push(tools), browsers.push(browser), waiting.splice(0).forEach((f) => f(tools))) });
  toolset.start();
  t.after(() => toolset.stop(new Error("the test is over"))); // its timers would keep node alive
  return { toolset, reports, browsers, log, context, next: () => new Promise((resolve) => waiting.push(resolve)), say: (m) => deliver(m) };
}
const tool = (name) => ({ name, description: "", inputSchema: {} });
const names = (tools) => tools.map((t) => t.name);

test("native tools and a server's are one set, in which native wins", { timeout: 20_000 }, async (t) => {
  const f = frame(t, { native: [tool("a")], server: [tool("a"), tool("b")] });
  while (!f.reports.length || f.reports.at(-1).length < 2) await f.next();
  assert.deepEqual(names(f.reports.at(-1)), ["a", "b"]);
  assert.equal(await f.toolset.call("a", { x: 1 }, {}), 'native a {"x":1}');
  assert.deepEqual(await f.toolset.call("b", {}, {}), { content: [{ type: "text", text: "server b" }] });
  await assert.rejects(f.toolset.call("c", {}, {}), /no tool c/);
});

test("tools that can't be read in the back/forward cache are read when the document is back", { timeout: 20_000 }, async (t) => {
  const f = frame(t, { native: [tool("a")] });
  await f.next();
  Object.assign(f.context, { cached: true, tools: [tool("a"), tool("b")] });
  const before = f.log.length;
  f.context.dispatchEvent(new Event("toolchange"));
  while (!f.log.slice(before).includes("read")) await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.deepEqual(f.reports.map(names), [["a"]]);
  f.context.cached = false;
  f.toolset.changed();
  while (f.reports.length < 2) await f.next();
  assert.deepEqual(f.reports.map(names), [["a"], ["a", "b"]]);
});

test("a list of Chrome's that can't be read keeps no other tools back, and is read again", { timeout: 20_000 }, async (t) => {
  const f = frame(t, { native: [tool("a")], server: [tool("b")] });
  f.context.fails = true;
  await f.next();
  assert.deepEqual(f.reports.map(names), [["b"]]);
  f.context.fails = false;
  f.toolset.changed();
  while (f.reports.length < 2) await f.next();
  assert.deepEqual(f.reports.map(names), [["b"], ["a", "b"]]);
});

test("a list that never rests is read twice a second, and at once again after a rest", { timeout: 20_000 }, async (t) => {
  const pauses = [];
  let resting;
  const rest = new Promise((resolve) => (resting = resolve));
  const pause = async (ms) => {
    pauses.push(ms);
    await new Promise(setImmediate);
    if (pauses.length < 15) change();
    else if (pauses.length === 15) setImmediate(resting);
  };
  const f = frame(t, { native: [], pause });
  const change = () => {
    f.context.tools = [tool(`t${pauses.length}`)];
    f.context.dispatchEvent(new Event("toolchange"));
  };
  await rest;
  assert.deepEqual(pauses, [...Array(9).fill(30), ...Array(6).fill(500)]);
  change();
  await f.next();
  assert.deepEqual(names(f.reports.at(-1)), ["t15"]);
  await new Promise(setImmediate);
  assert.equal(pauses[15], 30);
});

test("a storm of changes is read a few times, and the last state is told", { timeout: 20_000 }, async (t) => {
  const f = frame(t, { native: [] });
  for (let i = 0; i < 500; i++) {
    f.context.tools = [...f.context.tools, tool(`t${i}`)];
    f.context.dispatchEvent(new Event("toolchange"));
    if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  while (f.reports.at(-1)?.length !== 500) await f.next();
  assert.ok(f.log.filter((l) => l === "read").length < 20);
});

test("a change during a reading is not lost", { timeout: 20_000 }, async (t) => {
  const server = [tool("a")];
  // The server has answered, but its answer is not there yet when the next tool comes.
  const f = frame(t, { server, listed: () => server.length < 2 && (server.push(tool("b")), f.say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })) });
  while (f.reports.at(-1)?.length !== 2) await f.next();
  assert.deepEqual(f.reports.map(names), [["a"], ["a", "b"]]);
});

test("Chrome's list is read only when it has changed, and documents without tools are let into the cache", { timeout: 20_000 }, async (t) => {
  const f = frame(t, { native: [], late: false });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(f.log, ["out"]);
  f.context.tools = [tool("a")];
  f.context.dispatchEvent(new Event("toolchange"));
  await f.next();
  f.context.tools = [];
  f.context.dispatchEvent(new Event("toolchange"));
  await f.next();
  assert.deepEqual(f.log, ["out", "read", "read", "in"]);
});

test("garbage of a server's is left out", { timeout: 20_000 }, async (t) => {
  const f = frame(t, { server: [null, 7, {}, { name: 5 }, tool("a"), tool("a")] });
  assert.deepEqual(names(await f.next()), ["a"]);
});

/** A part of shared/ that has these tools. */
const part = (...tools) => ({
  log: [], start(changed) { this.log.push("start"), changed(); }, stop() { this.log.push("stop"); }, again() {},
  tools: () => tools, has: (name) => tools.some((t) => t?.name === name), call: async (name) => `made ${name}`,
});
const kinds = (tools) => tools.map((t) => [t.name, t.runtime]);

test("tools are made of a frame that has none, when that is wanted", { timeout: 20_000 }, async (t) => {
  const server = [];
  const made = part(tool("click"));
  const f = frame(t, { server, made });
  f.toolset.introspect(true);
  assert.deepEqual(kinds(await f.next()), [["click", "dom"]]);
  assert.equal(await f.toolset.call("click", {}, {}), "made click");
  server.push({ ...tool("own"), runtime: "dom" }); // which the page can't say
  f.say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  assert.deepEqual(kinds(await f.next()), [["own", undefined]]);
  await assert.rejects(f.toolset.call("click", {}, {}), /no tool click/);
  server.pop();
  f.say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  assert.deepEqual(kinds(await f.next()), [["click", "dom"]]);
  f.toolset.introspect(false);
  assert.deepEqual(kinds(await f.next()), []);
  assert.equal(made.log.at(-1), "stop");
});

test("a polyfill's tools and forms are the page's own, behind those of its server", { timeout: 20_000 }, async (t) => {
  const polyfill = part(null, 7, tool("a"), { ...tool("pay"), runtime: "dom" });
  const f = frame(t, { server: [{ ...tool("a"), description: "the server's" }], polyfill, forms: part(tool("a"), tool("pay"), tool("book")), made: part(tool("click")) });
  f.toolset.introspect(true);
  while (f.reports.at(-1)?.[0].description !== "the server's") await f.next(); // until the server has answered
  assert.deepEqual(kinds(f.reports.at(-1)), [["a", undefined], ["pay", undefined], ["book", "form"]]);
  assert.deepEqual(await f.toolset.call("a", {}, {}), { content: [{ type: "text", text: "server a" }] });
  assert.equal(await f.toolset.call("pay", {}, {}), "made pay");
  assert.equal(await f.toolset.call("book", {}, {}), "made book");
  f.toolset.stop(new Error("enough"));
  assert.deepEqual(polyfill.log, ["start", "stop"]);
});

test("a polyfill is not asked where Chrome's own WebMCP is", { timeout: 20_000 }, async (t) => {
  const polyfill = { ...part(), again: () => assert.fail("it is asked") };
  const f = frame(t, { native: [tool("a")], polyfill });
  assert.deepEqual(names(await f.next()), ["a"]);
  f.toolset.look();
});

test("a server that says nothing is read again every minute", { timeout: 20_000 }, async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const server = [tool("a")];
  const f = frame(t, { server, pause: () => new Promise(setImmediate) });
  while (names(f.reports.at(-1) ?? []).join() !== "a") await f.next();
  for (const name of ["b", "c"]) {
    server.splice(0, 1, tool(name));
    t.mock.timers.tick(59_000);
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    assert.notDeepEqual(names(f.reports.at(-1)), [name]);
    t.mock.timers.tick(1000);
    while (names(f.reports.at(-1)).join() !== name) await f.next();
  }
});

test("what the page's server declares of MCP-B's capabilities is told, also where it has no tools", { timeout: 20_000 }, async (t) => {
  const f = frame(t, { server: [], declares: { cacheSupported: true, elicitation: "yes", other: true } });
  while (!f.reports.length) await f.next();
  assert.deepEqual(f.reports, [[]]);
  assert.deepEqual(f.browsers, [{ cacheSupported: true }]);
});
