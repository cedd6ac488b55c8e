import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeEvent, settle } from "./fakes.js";

const target = () => Object.assign(new EventTarget(), { prerendering: false });

/** A document of origin in a page of pageOrigin, whose storage the test holds. */
async function watched({ origin = "https://a.example", page, stored, closed = false }) {
  const onChanged = Object.assign(fakeEvent(), { removeListener() {} });
  const storage = { stored, closed, reads: [] };
  storage.answer = async () => {
    if (storage.closed) throw new Error("Access to storage is not allowed from this context.");
    return storage.stored === undefined ? {} : { rules: storage.stored };
  };
  const session = { onChanged, get: () => storage.answer() };
  globalThis.chrome = { storage: { session } };
  globalThis.document = target();
  globalThis.location = { ancestorOrigins: page ? ["https://between.example", page] : [] };
  globalThis.self = { origin };
  const shown = target();
  globalThis.addEventListener = shown.addEventListener.bind(shown);
  globalThis.removeEventListener = shown.removeEventListener.bind(shown);
  globalThis.webmcpHub = {};
  for (const file of ["../shared/origin-rules.js", "../content/rules.js"]) await import(`${file}?${Math.random()}`);
  const verdicts = [];
  const rules = globalThis.webmcpHub.watchRules((permitted) => verdicts.push(permitted));
  await settle();
  return { storage, onChanged, shown, rules, verdicts };
}

const OPEN = {};
const deny = (host) => ({ allow: [], deny: [{ scheme: "https", host, port: "default" }] });
const allow = (host) => ({ allow: [{ scheme: "https", host, port: "default" }], deny: [] });

test("a document is judged by its own origin and by its page's", async () => {
  for (const [how, want] of [
    [{ stored: OPEN }, true],
    [{ stored: deny("a.example") }, false],
    [{ stored: deny("b.example") }, true],
    [{ stored: deny("b.example"), page: "https://b.example" }, false],
    [{ stored: allow("a.example"), page: "https://b.example" }, false],
    [{ stored: allow("a.example"), page: "https://a.example" }, true],
    [{ stored: allow("a.example"), origin: "null" }, false],
    [{ stored: deny("between.example"), page: "https://b.example" }, true],
  ]) assert.deepEqual((await watched(how)).verdicts, [want], JSON.stringify(how));
});

test("nothing is permitted before the rules are known", async () => {
  for (const how of [{}, { closed: true }]) {
    const { verdicts, onChanged } = await watched(how);
    assert.ok(!verdicts.includes(true), "before");
    onChanged.fire({ other: { newValue: 1 } });
    assert.ok(!verdicts.includes(true), "something else was stored");
    onChanged.fire({ rules: { newValue: OPEN } });
    assert.equal(verdicts.at(-1), true, "then");
  }
});

test("another verdict is told once, and an old answer is none", async () => {
  const w = await watched({ stored: OPEN });
  let release;
  w.storage.answer = () => new Promise((resolve) => (release = resolve));
  w.rules.look();
  w.onChanged.fire({ rules: { newValue: deny("a.example") } });
  w.onChanged.fire({ rules: { newValue: deny("a.example") } });
  release({ rules: OPEN });
  await settle();
  assert.deepEqual(w.verdicts, [true, false]);
  w.onChanged.fire({ rules: {} }); // taken away: not known
  assert.deepEqual(w.verdicts, [true, false]);
});

test("a page that comes back from the cache asks again, and one that has ended doesn't", async () => {
  const w = await watched({ stored: OPEN });
  w.storage.stored = deny("a.example");
  w.shown.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  await settle();
  assert.deepEqual(w.verdicts, [true]);
  w.shown.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await settle();
  assert.deepEqual(w.verdicts, [true, false]);
  w.rules.stop();
  w.onChanged.fire({ rules: { newValue: OPEN } });
  assert.deepEqual(w.verdicts, [true, false]);
});

test("the worker writes the rules down, for content scripts and for its next start", async () => {
  const areas = {};
  const area = (name) => {
    const kept = {};
    areas[name] = { kept, levels: [], sets: 0 };
    return {
      get: async (key) => (key in kept ? { [key]: structuredClone(kept[key]) } : {}),
      set: async (more) => (areas[name].sets++, Object.assign(kept, more)),
      setAccessLevel: async ({ accessLevel }) => areas[name].levels.push(accessLevel),
    };
  };
  globalThis.chrome = { storage: { local: area("local"), session: area("session") } };
  const { setRules, showRules } = await import("../lib/rules.js");
  await showRules();
  assert.deepEqual(areas.session.kept.rules, OPEN);
  assert.deepEqual([areas.local.levels, areas.session.levels], [["TRUSTED_CONTEXTS"], ["TRUSTED_AND_UNTRUSTED_CONTEXTS"]]);
  await Promise.all([setRules({ rules: deny("a.example") }), setRules({ rules: deny("b.example") })]);
  assert.deepEqual([areas.local.kept.rules, areas.session.kept.rules], [deny("b.example"), deny("b.example")]);
  const before = areas.session.sets;
  await showRules(); // no news, so nobody is told
  assert.equal(areas.session.sets, before);
  delete areas.session.kept.rules; // the browser was started again
  await showRules();
  assert.deepEqual(areas.session.kept.rules, deny("b.example"));
  await setRules({});
  assert.deepEqual([areas.local.kept.rules, areas.session.kept.rules], [OPEN, OPEN]);
});
