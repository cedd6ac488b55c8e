import assert from "node:assert/strict";
import test from "node:test";
import "../content/port.js";
import { fakePort } from "./fakes.js";

/** A line of a main frame, connected. */
function line({ hidden }) {
  const port = fakePort();
  globalThis.window = globalThis.parent = globalThis;
  globalThis.document = { hidden };
  globalThis.chrome = { runtime: { id: "x", connect: () => port } };
  const line = new globalThis.webmcpHub.Line({ toolset: {}, onOrphaned() {} });
  line.start();
  port.posted.length = 0;
  return { line, port };
}

test("behind another tab the extension is asked for the time", { timeout: 20_000 }, async () => {
  const { line: l, port } = line({ hidden: true });
  const waits = [l.pause(3_600_000), l.pause(3_600_001)];
  assert.deepEqual(port.posted, [{ type: "wait", id: 1, ms: 3_600_000 }, { type: "wait", id: 2, ms: 3_600_001 }]);
  port.onMessage.fire({ type: "waited", id: 3 }); // nobody's
  port.onMessage.fire({ type: "waited", id: 2 });
  await waits[1];
  port.onMessage.fire({ type: "waited", id: 1 });
  await waits[0];
});

test("without an answer of the extension's, and in front, its own timer will do", { timeout: 20_000 }, async () => {
  await line({ hidden: true }).line.pause(1);
  const { line: l, port } = line({ hidden: false });
  await l.pause(1);
  assert.deepEqual(port.posted, []);
});
