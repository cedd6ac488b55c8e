import assert from "node:assert/strict";
import test from "node:test";
import { Acting, LINGER_MS } from "../lib/acting.js";
import { badge, badges, isPaused, siteOf, siteTexts } from "../lib/agents.js";
import { parse } from "../lib/protocol.js";
import { moveAmong } from "../lib/rows.js";
import { fromOurselves } from "../lib/sender.js";
import { fakeTimers } from "./fakes.js";

const status = (more) => ({ paused: false, pausedOrigins: [], pausedTabs: [], permissions: {}, ...more });
const tools = (n) => Array.from({ length: n }, (_, i) => ({ name: `t${i}` }));
const tab = (more) => ({ id: 1, site: "https://a.example", tools: tools(3), acting: false, ...more });

test("the badge is the number of tools, and says when agents act or are paused", () => {
  const text = (agents, of = {}, connected = true) => badge({ connected, agents, tab: tab(of) }).text;
  assert.equal(text(undefined), "3");
  assert.equal(text(status(), { tools: [] }), "");
  assert.equal(text(status(), { tools: tools(500) }), "500");
  assert.equal(text(status(), { tools: tools(1000) }), "999+");
  assert.equal(text(status(), {}, false), "");
  assert.equal(text(status(), { acting: true }), "3");
  assert.equal(text(status(), { acting: true, tools: [] }), "●");
  for (const paused of [{ paused: true }, { pausedOrigins: ["https://a.example"] }, { pausedTabs: [1] }]) {
    assert.equal(text(status(paused), { acting: true }), "❚❚");
    assert.match(badge({ connected: true, agents: status(paused), tab: tab() }).title, /3 tools\. Agents are paused/);
  }
  const colors = [{}, { acting: true }].map((of) => badge({ connected: true, agents: status(), tab: tab(of) }).color);
  assert.notEqual(colors[0], colors[1]);
  assert.ok(!isPaused(status({ pausedOrigins: ["https://b.example"], pausedTabs: [2] }), tab()));
  assert.ok(!isPaused(undefined, tab()));
});

test("a badge is set when it is another, and again for the tab's next document", () => {
  const set = [];
  const show = badges((list) => set.push(list.map(({ tabId, text }) => `${tabId} ${text}`)));
  const with3 = { id: 1, doc: "d1", badge: { text: "3" } };
  show([with3, { id: 2, doc: "d2", badge: { text: "" } }]);
  show([with3, { id: 2, doc: "d2", badge: { text: "" } }]);
  show([with3, { id: 2, doc: "d2", badge: { text: "1" } }]);
  show([{ ...with3, doc: "d3" }]);
  show([]);
  assert.deepEqual(set, [["1 3", "2 "], ["2 1"], ["1 3"]]); // 2 may have a badge that an earlier offscreen document left
  const fields = [];
  const showFields = badges((list) => fields.push(...list));
  for (const acting of [false, true, false]) showFields([{ id: 1, doc: "d", badge: badge({ connected: true, agents: status(), tab: tab({ acting }) }) }]);
  assert.deepEqual(fields.map((b) => Object.keys(b)), [["tabId", "text", "color", "title"], ["tabId", "color", "title"], ["tabId", "color", "title"]]);
});

test("a tab counts while an agent acts in it, and a little longer", () => {
  const timers = fakeTimers();
  const changes = [];
  const acting = new Acting({ changed: () => changes.push(acting.is(1)), timers, now: timers.now });
  acting.begins(1);
  acting.begins(1);
  acting.ends(1);
  timers.advance(10 * LINGER_MS);
  assert.ok(acting.is(1)); // the other call goes on
  acting.ends(1);
  timers.advance(LINGER_MS - 1);
  acting.acts(1);
  timers.advance(LINGER_MS - 1);
  assert.ok(acting.is(1) && !acting.is(2));
  timers.advance(1);
  assert.ok(!acting.is(1));
  assert.deepEqual(changes, [true, false]);
  acting.ends(1); // of nothing
  assert.ok(!acting.is(1));
});

test("many calls set few timers", () => {
  const timers = fakeTimers();
  const acting = new Acting({ changed() {}, timers, now: timers.now });
  for (let i = 0; i < 1000; i++) acting.acts(1);
  assert.equal(timers.set, 1);
});

test("only web pages have a site", () => {
  assert.equal(siteOf("https://a.example", "https://a.example/x"), "https://a.example");
  assert.equal(siteOf(undefined, "http://a.example:81/x"), "http://a.example:81");
  assert.equal(siteOf("https://a.example.", "https://a.example./"), "https://a.example"); // as the hub writes it
  assert.equal(siteOf(undefined, "http://a.example.:81/x."), "http://a.example:81");
  assert.equal(siteOf("null", "https://a.example/"), "https://a.example"); // sandboxed: as the hub judges it
  for (const [origin, url] of [["null", "data:,x"], [undefined, "data:,x"], [undefined, "about:blank"], ["chrome-extension://x", "chrome-extension://x/y"], [undefined, "no address"], [undefined, "file:///x"]]) {
    assert.equal(siteOf(origin, url), "", url);
  }
});

test("the popup says what is paused, and by whom", () => {
  const says = (agents, of = tab(), site = of?.site ?? "") => siteTexts(status(agents), of, site);
  assert.deepEqual(says({}), { paused: "", all: false, here: false, permission: "default", moved: false });
  assert.match(says({ paused: true, pausedOrigins: ["https://a.example"] }).paused, /^All agents are paused\.$/);
  assert.match(says({ pausedOrigins: ["https://a.example"] }).paused, /on this site/);
  assert.match(says({ pausedTabs: [1] }).paused, /on the hub's live page/);
  assert.equal(says({ permissions: { "https://a.example": "never" } }).permission, "never");
  assert.deepEqual(says({ pausedOrigins: [""], permissions: { "": "never", "https://b.example": "ask" } }, null), { paused: "", all: false, here: false, permission: "default", moved: false });
});

test("what the popup sets stays that of its site while the tab moves on", () => {
  const agents = status({ pausedOrigins: ["https://a.example"], permissions: { "https://b.example": "allow" } });
  for (const of of [tab({ site: "https://b.example" }), tab({ site: "" }), undefined]) {
    const { here, permission, moved } = siteTexts(agents, of, "https://a.example");
    assert.deepEqual({ here, permission, moved }, { here: true, permission: "default", moved: true });
  }
  assert.ok(!siteTexts(agents, tab(), "https://a.example").moved);
});

test("what the hub says of agents is read, and nothing of another shape", () => {
  assert.ok(parse(JSON.stringify({ type: "agentStatus", ...status({ paused: true, pausedTabs: [7], permissions: { "https://a.example": "ask" } }) })));
  for (const bad of [{ paused: 1 }, { pausedOrigins: [1] }, { pausedTabs: ["1"] }, { permissions: [] }, { permissions: { a: 1 } }, { pausedOrigins: undefined }]) {
    assert.equal(parse(JSON.stringify({ type: "agentStatus", ...status(bad) })), undefined, JSON.stringify(bad));
  }
});

test("content scripts and pages are not the extension itself", () => {
  globalThis.chrome = { runtime: { id: "x", getURL: (path) => `https://x.own/${path}` } }; // a scheme that node knows
  assert.ok(fromOurselves({ id: "x", url: "https://x.own/popup.html" }));
  for (const sender of [{ id: "x", url: "https://a.example/", origin: "https://a.example", tab: {} }, { id: "y", url: "https://x.own/popup.html" }, { id: "x" }]) {
    assert.ok(!fromOurselves(sender), JSON.stringify(sender));
  }
});

/** A list of rows in a document, as far as moveAmong needs it. */
function listed(...keys) {
  const listeners = {};
  const list = { rows: [], querySelectorAll: () => list.rows, addEventListener: (what, f) => (listeners[what] = f) };
  const row = (key) => {
    const one = { dataset: { key }, tabIndex: -1, focus: () => ((document.activeElement = one), listeners.focusin({ target: one })) };
    return one;
  };
  globalThis.document = { activeElement: null };
  const have = (keys) => (list.rows = keys.map(row));
  const rows = moveAmong(list);
  rows.keep(() => have(keys));
  return { list, change: (...keys) => rows.keep(() => have(keys)), at: () => list.rows.filter((r) => r.tabIndex === 0).map((r) => r.dataset.key), focused: () => document.activeElement?.dataset.key,
    press: (key) => listeners.keydown({ key, target: document.activeElement, preventDefault() {} }) };
}

test("the list is one stop of the Tab key, and the arrow keys move in it", () => {
  const { list, press, at, focused } = listed("a", "b", "c");
  assert.deepEqual(at(), ["a"]);
  list.rows[0].focus();
  for (const [key, want] of [["ArrowDown", "b"], ["ArrowUp", "a"], ["ArrowUp", "a"], ["End", "c"], ["ArrowDown", "c"], ["Home", "a"], ["PageDown", "c"], ["x", "c"]]) {
    press(key);
    assert.deepEqual([focused(), at()], [want, [want]], key);
  }
});

test("the row that has the focus keeps it while the list changes", () => {
  const { list, change, at, focused } = listed("a", "b", "c");
  list.rows[1].focus();
  change("x", "a", "b");
  assert.deepEqual([focused(), at()], ["b", ["b"]]);
  change("x");
  assert.deepEqual([focused(), at()], ["x", ["x"]]);
  change();
  change("y", "z");
  assert.deepEqual(at(), ["y"]);
});
