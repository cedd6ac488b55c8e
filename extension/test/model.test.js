import assert from "node:assert/strict";
import test from "node:test";
import { Model } from "../lib/model.js";

const tab = (id, more = {}) => ({ id, title: `tab ${id}`, url: `https://${id}.example/`, doc: `doc${id}`, active: false, windowId: 1, ...more });
const tool = (name, more = {}) => ({ name, description: "", inputSchema: { type: "object" }, ...more });
const main = (id) => ({ doc: `doc${id}`, frameId: 0, url: `https://${id}.example/`, origin: `https://${id}.example` });

function modelled(...tabs) {
  const told = [];
  const later = [];
  const model = new Model({ emit: (m) => told.push(m), soon: (f) => later.push(f) });
  model.allTabs(tabs);
  model.tellAll({ name: "B" });
  told.length = 0;
  const flush = () => {
    for (const f of later.splice(0)) f();
    return told.splice(0);
  };
  return { model, told, flush };
}
const kinds = (messages) => messages.map((m) => m.type);

test("nothing is told before all is, and nothing when there is no hub", () => {
  const told = [];
  const model = new Model({ emit: (m) => told.push(m), soon: (f) => f() });
  model.tabIs(tab(1));
  model.frameHas(1, main(1), [tool("a")]);
  assert.deepEqual(told, []);
  model.tellAll({ name: "B" });
  assert.deepEqual(kinds(told), ["connected", "toolsChanged"]);
  assert.deepEqual(told[0], { type: "connected", browser: { name: "B" }, tabs: [tab(1)] });
  model.hubGone();
  model.tabGone(1);
  assert.equal(told.length, 2);
  model.tellAll({ name: "B" });
  assert.deepEqual(told.at(-1), { type: "connected", browser: { name: "B" }, tabs: [] });
});

test("a tab comes, changes and goes; what is no news is not told", () => {
  const { model, flush } = modelled();
  model.tabIs(tab(1));
  model.tabIs(tab(1));
  model.tabIs(tab(1, { title: "other" }));
  model.tabGone(1);
  model.tabGone(1);
  assert.deepEqual(kinds(flush()), ["tabCreated", "tabUpdated", "tabClosed"]);
});

test("tools are told as a whole set, once for a burst, with whose they are", () => {
  const { model, flush } = modelled(tab(1));
  model.frameHas(1, { doc: "f", frameId: 7, url: "about:srcdoc", origin: "https://f.example" }, [tool("b", { annotations: { readOnlyHint: true }, _meta: { "shop/unit": "EUR" }, evil: 1 })]);
  model.frameHas(1, main(1), [tool("a")]);
  assert.deepEqual(flush(), [{
    type: "toolsChanged", tabId: 1, doc: "doc1", origin: "https://1.example", tools: [
      { name: "a", title: undefined, description: "", inputSchema: { type: "object" }, outputSchema: undefined, annotations: undefined, _meta: undefined, runtime: undefined, frameId: 0, frameUrl: "https://1.example/", origin: "https://1.example", doc: "doc1" },
      { name: "b", title: undefined, description: "", inputSchema: { type: "object" }, outputSchema: undefined, annotations: { readOnlyHint: true }, _meta: { "shop/unit": "EUR" }, runtime: undefined, frameId: 7, frameUrl: "about:srcdoc", origin: "https://f.example", doc: "f" },
    ],
  }]);
  model.frameHas(1, main(1), [tool("a")]);
  assert.deepEqual(flush(), []);
  model.frameHas(1, main(1), [tool("a"), tool("c")]);
  model.frameHas(1, main(1), [tool("a")]);
  assert.deepEqual(flush(), [], "a change that ends where it began");
  model.frameGone(1, "f");
  assert.deepEqual(flush().map((m) => m.tools.map((t) => t.name)), [["a"]]);
});

test("a new document is told before its tools, and takes the old one's with it", () => {
  const { model, flush } = modelled(tab(1));
  model.frameHas(1, main(1), [tool("a")]);
  model.frameHas(1, { doc: "f", frameId: 7, url: "" }, [tool("b")]);
  flush();
  model.tabIs(tab(1, { doc: "next" }));
  model.frameHas(1, { doc: "next", frameId: 0, url: "" }, [tool("a")]);
  const messages = flush();
  assert.deepEqual(kinds(messages), ["tabUpdated", "toolsChanged"]);
  assert.deepEqual(messages[1].tools.map((t) => [t.name, t.doc]), [["a", "next"]]);
  assert.equal(messages[1].doc, "next");
});

test("tools of a tab that is gone meanwhile are not told", () => {
  const { model, flush } = modelled(tab(1));
  model.frameHas(1, main(1), [tool("a")]);
  model.tabGone(1);
  assert.deepEqual(kinds(flush()), ["tabClosed"]);
  model.frameHas(1, main(1), [tool("a")]);
  assert.deepEqual(flush(), []);
});

test("one tab of a window is in front", () => {
  const { model, flush } = modelled(tab(1, { active: true }), tab(2), tab(3, { active: true, windowId: 2 }));
  model.tabFocused(2);
  model.tabFocused(2);
  const messages = flush();
  assert.deepEqual(kinds(messages), ["tabUpdated", "tabUpdated", "tabFocused"]);
  assert.deepEqual(model.tabs().map(({ id, active }) => [id, active]), [[1, false], [2, true], [3, true]]);
  model.tabFocused(2, { ordered: true });
  assert.deepEqual(kinds(flush()), ["tabFocused"]);
});

test("all tabs: those that are not among them are gone", () => {
  const { model, flush } = modelled(tab(1), tab(2));
  model.allTabs([tab(2), tab(3)]);
  assert.deepEqual(flush().map((m) => [m.type, m.tabId ?? m.tab.id]), [["tabClosed", 1], ["tabCreated", 3]]);
});

test("where the main frame has tools of its own, none are made of other frames", () => {
  const { model, flush } = modelled(tab(1));
  const names = () => flush().flatMap((m) => m.tools.map((t) => t.name));
  const made = (name) => tool(name, { runtime: "dom" });
  model.frameHas(1, { doc: "f", frameId: 7, url: "" }, [made("inner")]);
  model.frameHas(1, { doc: "g", frameId: 8, url: "" }, [tool("own")]);
  model.frameHas(1, main(1), [made("outer")]);
  assert.deepEqual(names(), ["outer", "inner", "own"]);
  model.frameHas(1, main(1), [tool("a")]);
  assert.deepEqual(names(), ["a", "own"]);
});

test("what a tab's servers declare is told with its tools, together, and as long as their documents live", () => {
  const { model, flush } = modelled(tab(1), tab(2));
  model.frameHas(1, main(1), [], { cacheSupported: true });
  assert.deepEqual(flush(), [{ type: "toolsChanged", tabId: 1, tools: [], doc: "doc1", origin: "https://1.example", browser: { cacheSupported: true } }]);
  model.frameHas(1, main(1), [], { cacheSupported: true });
  assert.deepEqual(flush(), []);
  model.frameHas(1, { ...main(1), doc: "frame", frameId: 3 }, [tool("a")], { elicitation: true, other: "x" });
  assert.deepEqual(flush()[0].browser, { cacheSupported: true, elicitation: true });
  model.hubGone();
  model.frameGone(1, "frame");
  flush();
  model.tellAll({ name: "B" });
  assert.deepEqual(flush().map((m) => m.browser), [{ name: "B" }, { cacheSupported: true }]);
  model.tabIs(tab(1, { doc: "next" }));
  assert.deepEqual(flush().map((m) => m.browser), [undefined]);
});
