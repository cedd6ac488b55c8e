import assert from "node:assert/strict";
import test from "node:test";
import { fakeEvent } from "./fakes.js";

/** A chrome.debugger that lets the test say when a tab is attached. */
function fakeDebugger({ attached = [] } = {}) {
  const on = new Set(attached), done = [], waiting = [];
  globalThis.chrome = {
    debugger: {
      onEvent: fakeEvent(), onDetach: fakeEvent(),
      getTargets: async () => [1, 2, 3].map((tabId) => ({ tabId, id: `T${tabId}`, type: "page", attached: attached.includes(tabId) })),
      async attach({ tabId }) {
        await new Promise((resolve) => waiting.push(resolve));
        if (on.has(tabId)) throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`);
        on.add(tabId);
        done.push(`attach ${tabId}`);
      },
      async detach({ tabId }) {
        if (!on.delete(tabId)) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
        done.push(`detach ${tabId}`);
      },
    },
    tabs: { get: async () => ({ url: "https://a.example/" }) },
  };
  return { on, done, waiting };
}

const { debugTabs } = await import("../lib/debugger.js");
const settled = async () => { for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve)); };

test("a tab that is detached from and attached to again while Chrome attaches is attached in the end", async () => {
  const { on, done, waiting } = fakeDebugger();
  const told = [];
  const debug = debugTabs(async (m) => { told.push(m); });
  debug.attach({ tabId: 1, attempt: 1 });
  debug.detach({ tabId: 1 });
  debug.attach({ tabId: 1, attempt: 2 });
  for (let i = 0; i < 2; i++) {
    await settled();
    waiting.splice(0).forEach((resolve) => resolve());
  }
  await settled();
  assert.deepEqual(done, ["attach 1", "detach 1", "attach 1"]);
  assert.deepEqual(told.map((m) => [m.attempt, m.result?.targetId, m.error?.message]), [[1, "T1", undefined], [2, "T1", undefined]]);
  assert.deepEqual([...on], [1]);
});

test("what an earlier document has left attached is detached, and what isn't ours stays", async () => {
  const { on, done } = fakeDebugger({ attached: [1, 2] });
  on.delete(2); // it is another debugger's
  await debugTabs(async () => {}).detachAll();
  assert.deepEqual(done, ["detach 1"]);
});
