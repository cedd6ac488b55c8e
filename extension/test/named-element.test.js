import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// A window answers to the ids of its elements, as if by its prototype.
test("an element of the page whose id is webmcpHub is not taken for the scripts' own object", () => {
  for (const file of ["transport", "mcp-client", "native", "toolset", "port", "work", "rules"]) {
    const element = Object.freeze({ id: "webmcpHub" });
    const scope = Object.create(Object.create(null, { webmcpHub: { value: element, writable: true, configurable: true } }));
    new Function("globalThis", "Object", readFileSync(new URL(`../content/${file}.js`, import.meta.url), "utf8"))(scope, Object);
    assert.ok(Object.hasOwn(scope, "webmcpHub") && scope.webmcpHub !== element, file);
    assert.ok(Object.keys(scope.webmcpHub).length > 0, file);
  }
});
