import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

// The table is the hub's own (registry/testdata/origin-rules.json): whatever it permits, this must, and nothing else.
const cases = JSON.parse(readFileSync(new URL("../../registry/testdata/origin-rules.json", import.meta.url)));
const webmcpHub = {};
new Function("webmcpHub", readFileSync(new URL("../shared/origin-rules.js", import.meta.url), "utf8"))(webmcpHub);

test("origins are judged as the hub judges them", () => {
  assert.ok(cases.length > 100);
  for (const { pattern, rules, origin, permitted } of cases) {
    assert.equal(webmcpHub.originPermitted(rules, origin), permitted, `${pattern}: ${origin}`);
  }
});
