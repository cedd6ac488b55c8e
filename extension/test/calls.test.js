import assert from "node:assert/strict";
import test from "node:test";
import { Calls } from "../lib/calls.js";
import { fakePort, fakeTimers } from "./fakes.js";

function calling() {
  const told = [];
  const timers = fakeTimers();
  let time = 0;
  let set = 0;
  const calls = new Calls({
    send: (m) => Boolean(told.push(m)), now: () => time,
    timers: { ...timers, setTimeout: (f, ms) => (set++, timers.setTimeout(f, ms)) },
  });
  const port = fakePort();
  const begin = (callId, more) => calls.begin({ callId, tabId: 1, toolName: "a", ...more }, port);
  const pass = (ms) => {
    for (; ms > 0; ms--) (time++, timers.advance(1));
  };
  return { told, calls, port, begin, pass, timersSet: () => set };
}
const answers = (told) => told.map((m) => [m.callId, m.error]);
const cancelled = (port) => port.posted.filter((m) => m.type === "cancel").map((m) => m.callId);

test("a call whose time is over is cancelled in the page and answered, once", () => {
  const { told, calls, port, begin, pass } = calling();
  begin("long", { timeoutMs: 1000 });
  begin("short", { timeoutMs: 50 });
  begin("endless", {});
  begin("zero", { timeoutMs: 0 });
  pass(49);
  assert.deepEqual(told, []);
  pass(1);
  assert.deepEqual(answers(told), [["short", "the tool did not answer within 0.05 s"]]);
  calls.result(port, { callId: "short", result: "late" });
  pass(950);
  assert.deepEqual(answers(told).slice(1), [["long", "the tool did not answer within 1 s"]]);
  pass(10_000);
  assert.deepEqual(cancelled(port), ["short", "long"]);
  assert.equal(told.length, 2);
});

test("a call that was answered, or taken back, has no end of its time", () => {
  const { told, calls, port, begin, pass } = calling();
  begin("a", { timeoutMs: 50 });
  begin("b", { timeoutMs: 50 });
  calls.result(port, { callId: "a", result: 1 });
  calls.cancel("b");
  begin("c", { timeoutMs: 70 });
  pass(69);
  assert.deepEqual(answers(told), [["a", undefined]]);
  pass(1);
  assert.deepEqual(answers(told).slice(1), [["c", "the tool did not answer within 0.07 s"]]);
});

test("many calls set few timers", () => {
  const { calls, port, begin, pass, timersSet } = calling();
  for (let i = 0; i < 1000; i++) {
    begin(`c${i}`, { timeoutMs: 60_000 });
    pass(1);
    calls.result(port, { callId: `c${i}`, result: i });
  }
  assert.equal(timersSet(), 1);
});

test("progress is passed on while the call runs, of the frame that has it, if it is an object", () => {
  const { told, calls, port, begin } = calling();
  const params = { progressToken: 7, progress: 1, total: 2, message: "half" };
  begin("a");
  calls.progress(fakePort({ doc: "other" }), { callId: "a", params });
  for (const wrong of [undefined, null, "half", 1]) calls.progress(port, { callId: "a", params: wrong });
  calls.progress(port, { callId: "a", params });
  calls.result(port, { callId: "a", result: "whole" });
  calls.progress(port, { callId: "a", params });
  assert.deepEqual(told, [{ type: "toolProgress", callId: "a", params }, { type: "toolResult", callId: "a", result: "whole" }]);
});

test("what a frame did before its form was sent is not what became of the form", () => {
  for (const happens of ["opened", "aborted"]) {
    const { told, calls, port, begin, pass } = calling();
    begin("a", {});
    calls[happens]({ tabId: 1, frameId: 0, url: "https://a.example/link", opened: 7 }); // the user's own click, as the form waits
    pass(5000);
    calls.result(port, { callId: "a", leaves: true });
    assert.equal(calls.explained("a"), false);
    calls.stays("a");
    assert.match(told.at(-1).result.content[0].text, /within 10 seconds its tab went to no other page/);
    assert.equal(told.at(-1).openedTabId, undefined);
  }
});

test("a form whose page stays is answered with what the browser said of its own frame", () => {
  const opens = (calls, frame) => calls.opened({ ...frame, url: "https://a.example/found", opened: 7 });
  const aborts = (calls, frame) => calls.aborted(frame);
  const own = { tabId: 1, frameId: 0 };
  for (const [happens, frame, want, explained = true] of [
    [opens, own, /in a new tab: https:\/\/a.example\/found/],
    [aborts, own, /its page stays, because no page came of it: the server has nothing to show/],
    [opens, { tabId: 1, frameId: 3 }, /within 10 seconds its tab went to no other page/, false],
    [aborts, { tabId: 1, frameId: 3 }, /within 10 seconds its tab went to no other page/, false],
    [aborts, { tabId: 2, frameId: 0 }, /within 10 seconds its tab went to no other page/, false],
  ]) {
    for (const early of [true, false]) {
      const { told, calls, port, begin } = calling();
      begin("a", {});
      if (early) happens(calls, frame);
      calls.result(port, { callId: "a", leaves: true });
      if (!early) happens(calls, frame);
      assert.equal(calls.explained("a"), explained);
      calls.stays("a");
      assert.match(told.at(-1).result.content[0].text, want);
      assert.equal(told.at(-1).openedTabId, want.source.includes("in a new tab: ") ? 7 : undefined);
    }
  }
});

test("each call that begins in a tab ends there, however it ends", () => {
  const running = [];
  const acting = { begins: (tabId) => running.push(tabId), ends: (tabId) => running.splice(running.indexOf(tabId), 1) };
  const timers = fakeTimers();
  const calls = new Calls({ send: () => true, acting, timers, now: timers.now });
  const [port, gone] = [fakePort(), fakePort()];
  for (const callId of ["answered", "cancelled", "late"]) calls.begin({ callId, tabId: 1, toolName: "a", timeoutMs: 50 }, port);
  calls.begin({ callId: "orphan", tabId: 2, toolName: "a" }, gone);
  calls.begin({ callId: "nowhere", tabId: 3, toolName: "a" }, undefined, "there is no tab 3");
  assert.deepEqual(running, [1, 1, 1, 2]);
  calls.result(port, { callId: "answered", result: 1 });
  calls.cancel("cancelled");
  calls.cancel("cancelled");
  timers.advance(50);
  calls.orphans(gone).fail("gone");
  assert.deepEqual(running, []);
  calls.begin({ callId: "left", tabId: 1, toolName: "a" }, port);
  calls.cancelAll();
  assert.deepEqual(running, []);
});
