import assert from "node:assert/strict";
import test from "node:test";
import { Debugged } from "../lib/debugged.js";

const tick = () => new Promise((resolve) => setImmediate(resolve));

function scene({ fits = () => true, fails, ended } = {}) {
  const asked = [], sent = [], kept = [];
  const debugged = new Debugged({
    ended,
    worker: async (ask, m) => {
      if (ask === "debuggerEnded") return kept.push(m.tabs);
      asked.push([ask, m.tabId]);
      if (fails) throw new Error(fails);
    },
    send: (m) => fits(m) && Boolean(sent.push(m)),
    changed: () => {},
  });
  return { debugged, asked, sent, kept };
}

test("a tab that nobody attached to takes no commands", () => {
  const { debugged, asked, sent } = scene();
  debugged.command({ tabId: 1, id: 7, method: "Page.enable" });
  assert.deepEqual(asked, []);
  assert.equal(sent[0].error.code, -32001);
});

test("what the user has ended stays ended until they allow it again", () => {
  const { debugged, asked, sent } = scene();
  debugged.attach({ tabId: 1 });
  assert.equal(debugged.state(1), "on");
  debugged.end(1);
  assert.equal(debugged.state(1), "ended");
  assert.deepEqual(sent.at(-1), { type: "debuggerDetached", tabId: 1, reason: "canceled_by_user" });
  debugged.attach({ tabId: 1 });
  assert.match(sent.at(-1).error.message, /user has ended automation/);
  debugged.allow(1);
  debugged.attach({ tabId: 1 });
  assert.deepEqual(asked, [["debuggerAttach", 1], ["debuggerDetach", 1], ["debuggerAttach", 1]]);
});

test("the end of the hub's connection detaches from all tabs, and is no word of the user's", () => {
  const { debugged, asked } = scene();
  debugged.attach({ tabId: 1 });
  debugged.attach({ tabId: 2 });
  debugged.endAll();
  assert.deepEqual(asked.slice(2), [["debuggerDetach", 1], ["debuggerDetach", 2]]);
  assert.equal(debugged.state(1), "");
});

test("a tab that was ended while Chrome attached to it is let go", () => {
  const { debugged, asked, sent } = scene();
  debugged.attach({ tabId: 1 });
  debugged.detach(1);
  debugged.said({ type: "debuggerReply", tabId: 1, id: 0, result: { targetId: "T" } });
  assert.deepEqual(asked, [["debuggerAttach", 1], ["debuggerDetach", 1], ["debuggerDetach", 1]]);
  assert.deepEqual(sent, []);
});

test("a failed attach leaves the tab alone, and an answer that is too long is an error", async () => {
  const { debugged, sent } = scene({ fits: (m) => m.result !== "long" });
  debugged.attach({ tabId: 1 });
  debugged.said({ type: "debuggerReply", tabId: 1, id: 3, result: "long" });
  assert.match(sent.at(-1).error.message, /16 MiB/);
  debugged.said({ type: "debuggerReply", tabId: 1, id: 0, error: { code: -32000, message: "no" } });
  assert.equal(debugged.state(1), "");
  const worker = scene({ fails: "the worker is gone" });
  worker.debugged.attach({ tabId: 1 });
  await tick();
  assert.equal(worker.sent.at(-1).error.message, "the worker is gone");
});

const rejection = { code: -32000, message: "the worker is gone" };

test("a worker that is gone: an attach leaves the tab alone, a command fails, and a detach is answered by nothing", async () => {
  const { debugged, sent } = scene({ fails: rejection.message });
  debugged.attach({ tabId: 1 });
  await tick();
  assert.deepEqual(sent, [{ type: "debuggerReply", tabId: 1, id: 0, attempt: undefined, error: rejection }]);
  assert.equal(debugged.state(1), "");
  debugged.attach({ tabId: 1 });
  debugged.command({ tabId: 1, id: 7, method: "Page.enable" });
  debugged.detach(1);
  await tick();
  assert.deepEqual(sent.slice(1).map((m) => m.id), [0, 7]);
});

test("an event that is too long ends debugging, with the reason", () => {
  const { debugged, asked, sent } = scene({ fits: (m) => m.params !== "long" });
  debugged.attach({ tabId: 1 });
  debugged.said({ type: "debuggerEvent", tabId: 1, method: "DOM.setChildNodes", params: "long" });
  assert.equal(sent.length, 1);
  assert.equal(sent[0].type, "debuggerDetached");
  assert.match(sent[0].reason, /DOM.setChildNodes.*16 MiB/);
  assert.equal(debugged.state(1), "");
  assert.deepEqual(asked.at(-1), ["debuggerDetach", 1]);
});

test("a record that is too long is told of in the log of its session", () => {
  const { debugged, asked, sent } = scene({ fits: (m) => m.params !== "long" });
  debugged.attach({ tabId: 1 });
  debugged.said({ type: "debuggerEvent", tabId: 1, sessionId: "F", method: "Runtime.consoleAPICalled", params: "long" });
  const [{ type, sessionId, method, params }] = sent;
  assert.deepEqual([type, sessionId, method, params.entry.level], ["debuggerEvent", "F", "Log.entryAdded", "warning"]);
  assert.match(params.entry.text, /Runtime.consoleAPICalled.*16 MiB/);
  assert.equal(debugged.state(1), "on");
  assert.equal(asked.length, 1);
});

test("nothing is ended because the hub is away, or the tab was let go already", () => {
  const { debugged, asked, sent } = scene({ fits: () => false });
  debugged.said({ type: "debuggerEvent", tabId: 1, method: "DOM.setChildNodes" });
  assert.deepEqual([asked, sent], [[], []]);
});

test("the answer to an attempt that the hub has given up is nothing to the next one", () => {
  for (const late of [{ error: rejection }, { result: { targetId: "T" } }]) {
    const { debugged, asked, sent } = scene();
    debugged.attach({ tabId: 1, attempt: 1 });
    debugged.detach(1);
    debugged.attach({ tabId: 1, attempt: 2 });
    debugged.said({ type: "debuggerReply", tabId: 1, id: 0, attempt: 1, ...late });
    assert.equal(debugged.state(1), "on");
    assert.deepEqual(sent, []);
    const second = { type: "debuggerReply", tabId: 1, id: 0, attempt: 2, result: { targetId: "T" } };
    debugged.said(second);
    assert.deepEqual(sent, [second]);
    assert.equal(asked.length, 3); // and no detachment more
  }
});

test("what the user has ended by Chrome's banner is kept for a later document", () => {
  const { debugged, kept } = scene();
  debugged.attach({ tabId: 1 });
  debugged.said({ type: "debuggerDetached", tabId: 1, reason: "canceled_by_user" });
  const later = scene({ ended: kept.at(-1) });
  later.debugged.attach({ tabId: 1 });
  assert.deepEqual(later.asked, []);
  assert.match(later.sent[0].error.message, /user has ended automation/);
  later.debugged.allow(1);
  assert.deepEqual(later.kept, [[]]);
});
