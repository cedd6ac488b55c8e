import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "../lib/config.js";

test("a token that is set while the profile gets its id is not answered with the one before", async () => {
  const stored = {};
  const local = {
    get: async (keys) => Object.fromEntries([keys].flat().filter((k) => k in stored).map((k) => [k, stored[k]])),
    set: async (values) => void Object.assign(stored, values, { token: "new" }), // the user's comes at the same moment
  };
  globalThis.chrome = { storage: { local } };
  const { token, port, instance } = await readConfig();
  assert.equal(token, "new");
  assert.equal(port, 8765);
  assert.equal(instance, stored.instance);
  assert.deepEqual(await readConfig(), { token, port, instance });
});
