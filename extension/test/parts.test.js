import assert from "node:assert/strict";
import test from "node:test";

globalThis.webmcpHub = {};
await import("../shared/parts.js");
await import("../shared/stable-names.js");
const hub = globalThis.webmcpHub;

test("parts are made from those before them, anew each time", () => {
  hub.parts.later = ({ stableNames, given }) => ({ stableNames, given });
  const made = hub.makeParts({ given: 7 });
  assert.equal(made.later.stableNames, made.stableNames);
  assert.equal(made.later.given, 7);
  assert.notEqual(hub.makeParts().stableNames, made.stableNames);
  delete hub.parts.later;
});

test("a control keeps its name while it is called the same", () => {
  const { stableNames } = hub.makeParts();
  const [a, b, c] = [{}, {}, {}];
  const names = (...wanted) => {
    const all = wanted.map(([element, base]) => ({ element, base }));
    stableNames.assign(all);
    return all.map((w) => w.name);
  };
  assert.deepEqual(names([a, "go"]), ["go"]);
  assert.deepEqual(names([b, "go"], [a, "go"]), ["go_2", "go"]);
  assert.deepEqual(names([b, "go"], [c, "go"]), ["go_2", "go"]);
  assert.deepEqual(names([b, "stop"], [a, "go"], [c, "go"]), ["stop", "go", "go_2"], "two that had the same name: the first keeps it");
});

test("names are made of letters that agents take", () => {
  const { base } = hub.makeParts().stableNames;
  assert.equal(base("click", "Ärger & Öl!"), "click_arger_ol");
  assert.equal(base("search", "Search docs"), "search_docs");
  assert.equal(base("click", "買う", "buy"), "click_buy");
  assert.equal(base("click", "買う"), "click");
});
