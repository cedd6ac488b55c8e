import assert from "node:assert/strict";
import test from "node:test";
import { describe } from "../lib/tabs.js";

test("a tab that navigates while it is looked at is never told with another document's address", async () => {
  let at = "a";
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  globalThis.chrome = {
    tabs: {
      async get(id) {
        const tab = { id, url: `https://${at}.example/`, title: "", windowId: 1, active: true };
        await tick();
        at = "b"; // after the address was read, before the document is
        return tab;
      },
    },
    webNavigation: { getFrame: async () => ({ documentId: at }) },
  };
  const info = await describe(1);
  assert.deepEqual([info.url, info.doc], ["https://b.example/", "b"]);
});
