import assert from "node:assert/strict";
import test from "node:test";
import { polyfillPage } from "../shared/polyfill-page.js";
import { settle } from "./fakes.js";

globalThis.webmcpHub = {};
await import("../shared/parts.js");
await import("../shared/polyfill.js");

/** A window with both halves in it; what it has is set before. */
function page(how = {}) {
  const window = new EventTarget();
  globalThis.window = window;
  globalThis.addEventListener = window.addEventListener.bind(window);
  globalThis.removeEventListener = window.removeEventListener.bind(window);
  globalThis.dispatchEvent = window.dispatchEvent.bind(window);
  globalThis.HTMLScriptElement = class {};
  globalThis.MouseEvent = class extends Event {
    constructor(type, { relatedTarget }) {
      super(type);
      this.relatedTarget = relatedTarget;
    }
  };
  const { polyfill } = globalThis.webmcpHub.makeParts();
  let changes = 0;
  polyfill.start(() => changes++, "test");
  polyfillPage("test", how);
  return { polyfill, changes: () => changes };
}

/** What a page has under WebMCP's name and its older one, and ModelContext, all until the test is over. */
function has(t, { context, older, ModelContext }) {
  globalThis.document = Object.assign(new EventTarget(), { modelContext: context });
  Object.defineProperty(globalThis, "navigator", { value: { modelContext: older }, configurable: true });
  globalThis.ModelContext = ModelContext;
  t.after(() => delete globalThis.ModelContext);
}
const context = (...tools) => Object.assign(new EventTarget(), {
  getTools: async () => tools,
  executeTool: async ({ name }, args) => JSON.stringify([name, JSON.parse(args)]),
});
const names = ({ polyfill }) => polyfill.tools().map((t) => t.name);

test("a polyfill's tools are read and called; schemas may be texts", async (t) => {
  has(t, { context: context({ name: "a", inputSchema: '{"type":"object"}' }, { name: "b", inputSchema: "{" }) });
  const { polyfill, changes } = page();
  await settle();
  assert.deepEqual(polyfill.tools(), [{ name: "a", inputSchema: { type: "object" } }, { name: "b", inputSchema: "{" }]);
  assert.equal(changes(), 1);
  assert.deepEqual(await polyfill.call("a", { x: 1 }, new AbortController().signal), ["a", { x: 1 }]);
});

test("Chrome's own ModelContext and a server's context are left alone", async (t) => {
  has(t, { context: context({ name: "a" }), ModelContext: Map });
  const native = page();
  has(t, { context: Object.assign(context({ name: "a" }), { __isBrowserMcpServer: true }), ModelContext: class {} });
  const server = page();
  await settle();
  assert.deepEqual([names(native), names(server)], [[], []]);
});

test("the older name counts where it is wanted", async (t) => {
  has(t, { older: context({ name: "a" }) });
  const all = [page(), page({ older: true })];
  await settle();
  assert.deepEqual(all.map(names), [[], ["a"]]);
});

test("what nothing tells of is found when it is asked for again", async (t) => {
  const quiet = { getTools: async () => quiet.tools, executeTool: async () => "null", tools: [{ name: "a" }] };
  has(t, { context: quiet });
  const its = page();
  await settle();
  quiet.tools.push({ name: "b" });
  its.polyfill.again();
  await settle();
  assert.deepEqual(names(its), ["a", "b"]);
  document.modelContext = undefined;
  its.polyfill.again();
  await settle();
  assert.deepEqual(names(its), []);
});

test("nothing is left at work after stop", async (t) => {
  const its = context({ name: "a" });
  has(t, { context: its });
  let reads = 0;
  its.getTools = async () => (reads++, []);
  const { polyfill } = page();
  await settle();
  const before = reads;
  let hello = false;
  addEventListener("test-hello", () => (hello = true));
  polyfill.stop();
  for (const type of ["test-anyone", "DOMContentLoaded", "load"]) dispatchEvent(new Event(type));
  its.dispatchEvent(new Event("toolchange"));
  await settle();
  assert.deepEqual([reads, hello], [before, false]);
});

test("what a page says in the other half's place harms itself only", async (t) => {
  has(t, { context: context({ name: "a" }) });
  const its = page();
  await settle();
  dispatchEvent(new MouseEvent("test-hello", { relatedTarget: 7 }));
  assert.deepEqual(names(its), ["a"]);
  const forged = new EventTarget();
  dispatchEvent(new MouseEvent("test-hello", { relatedTarget: forged }));
  for (const tools of [5, {}, "x", [null, 7]]) forged.dispatchEvent(new CustomEvent("up", { detail: JSON.stringify({ tools }) }));
  forged.dispatchEvent(new CustomEvent("up", { detail: JSON.stringify({ id: 1, value: "forged" }) }));
  assert.deepEqual(its.polyfill.tools(), [null, 7]);
  assert.equal(its.polyfill.has("a"), false);
});

test("another document's half takes the place of the one before, whose calls still end", async (t) => {
  let end;
  const its = context({ name: "a" });
  its.executeTool = () => new Promise((done) => (end = done));
  has(t, { context: its });
  const before = page();
  await settle();
  const call = before.polyfill.call("a", {}, new AbortController().signal);
  has(t, {});
  polyfillPage("test", {});
  await settle();
  assert.deepEqual(names(before), []);
  await assert.rejects(before.polyfill.call("a", {}, new AbortController().signal), /no tool a on this page/);
  end('"late"');
  assert.equal(await call, "late");
});

test("a call is aborted in the page, and what it throws or can't be sent is an error", async (t) => {
  const its = context({ name: "waits" }, { name: "throws" }, { name: "circles" });
  let aborted;
  its.executeTool = ({ name }, args, { signal }) => {
    if (name === "waits") return new Promise(() => signal.addEventListener("abort", () => (aborted = true)));
    if (name === "throws") throw new Error("no tea");
    const circle = {};
    return (circle.of = circle);
  };
  has(t, { context: its });
  const { polyfill } = page();
  await settle();
  const controller = new AbortController();
  const call = polyfill.call("waits", {}, controller.signal);
  controller.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  assert.equal(aborted, true);
  await assert.rejects(polyfill.call("throws", {}, new AbortController().signal), /^Error: no tea$/);
  await assert.rejects(polyfill.call("circles", {}, new AbortController().signal), /circular/);
});

test("an early polyfill is called by navigator.modelContextTesting, and read each second", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const tools = [{ name: "a" }];
  has(t, { older: { __isWebMCPPolyfill: true } });
  navigator.modelContextTesting = { listTools: () => tools, executeTool: async (name, args) => JSON.stringify([name, args]) };
  const early = page();
  await settle();
  assert.deepEqual(names(early), ["a"]);
  assert.deepEqual(await early.polyfill.call("a", { x: 1 }, new AbortController().signal), ["a", '{"x":1}']);
  tools.push({ name: "b" });
  t.mock.timers.tick(1000);
  await settle();
  assert.deepEqual(names(early), ["a", "b"]);
});
