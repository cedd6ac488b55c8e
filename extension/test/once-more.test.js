import assert from "node:assert/strict";
import test from "node:test";
import { onceMore } from "../lib/once-more.js";
import { settle } from "./fakes.js";

test("a change during a reading is read once more, and every asker gets a reading that began after it asked", async () => {
  const ends = [];
  let begun = 0;
  const ask = onceMore(() => new Promise((resolve) => ends.push(() => resolve(++begun))));
  const first = [ask("k"), ask("k")];
  await settle();
  assert.equal(ends.length, 1);
  const later = [ask("k"), ask("k"), ask("k")];
  const other = ask("other");
  await settle();
  assert.equal(ends.length, 2, "another key doesn't wait");
  ends[0]();
  await settle();
  assert.equal(ends.length, 3);
  ends[1]();
  ends[2]();
  assert.deepEqual(await Promise.all(first), [1, 1]);
  assert.equal(await other, 2);
  assert.deepEqual(await Promise.all(later), [3, 3, 3]);
});

test("a reading that fails fails its askers only", async () => {
  let n = 0;
  const ask = onceMore(async () => {
    if (n++ === 0) throw new Error("no");
    return "yes";
  });
  await assert.rejects(ask("k"));
  assert.equal(await ask("k"), "yes");
});
