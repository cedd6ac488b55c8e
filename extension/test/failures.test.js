import assert from "node:assert/strict";
import test from "node:test";
import { Failures } from "../lib/failures.js";

test("a tab that shows an error page has the error of its document", () => {
  const failures = new Failures();
  failures.note({ doc: "a", error: "net::ERR_CONNECTION_REFUSED" });
  assert.deepEqual(failures.complete({ id: 1, doc: "a", failed: true }), { id: 1, doc: "a", error: "net::ERR_CONNECTION_REFUSED" });
  assert.deepEqual(failures.complete({ id: 1, doc: "b" }), { id: 1, doc: "b" });
  assert.equal(failures.complete(undefined), undefined);
});

test("of a failure from before the extension was there only that is known", () => {
  assert.equal(new Failures().complete({ id: 1, doc: "a", failed: true }).error, "net::ERR_FAILED");
});

test("a navigation that was given up is no failure", () => {
  const failures = new Failures();
  failures.note({ doc: "a", error: "net::ERR_NAME_NOT_RESOLVED" });
  failures.note({ doc: "a", error: "net::ERR_ABORTED" });
  assert.equal(failures.complete({ doc: "a", failed: true }).error, "net::ERR_NAME_NOT_RESOLVED");
});

test("so many failures are remembered and no more", () => {
  const failures = new Failures();
  for (let i = 0; i <= 1000; i++) failures.note({ doc: `d${i}`, error: `net::ERR_${i}` });
  assert.equal(failures.complete({ doc: "d0", failed: true }).error, "net::ERR_FAILED");
  assert.equal(failures.complete({ doc: "d1", failed: true }).error, "net::ERR_1");
});
