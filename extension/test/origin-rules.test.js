import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

// The table is the hub's own (registry/names/testdata/origin-rules.json): whatever it permits, this must, and nothing else.
const cases = JSON.parse(readFileSync(new URL("../../registry/names/testdata/origin-rules.json", import.meta.url)));
const webmcpHub = {};
new Function("webmcpHub", readFileSync(new URL("../shared/origin-rules.js", import.meta.url), "utf8"))(webmcpHub);

test("origins are judged as the hub judges them", () => {
  assert.ok(cases.length > 100);
  for (const { pattern, rules, origin, permitted } of cases) {
    assert.equal(webmcpHub.originPermitted(rules, origin), permitted, `${pattern}: ${origin}`);
  }
});

test("a sandbox is no way around a denied origin", () => {
  const ads = { scheme: "https", host: "ads.example", port: "default" };
  const permitted = (rules, origin, address, ...ancestors) => {
    const { origin: from, hostname } = new URL(address);
    globalThis.self = { origin };
    globalThis.location = { origin: from, hostname, ancestorOrigins: ancestors };
    return webmcpHub.documentPermitted(rules);
  };
  const bank = "https://bank.example";
  for (const [want, rules, ...document] of [
    [false, { deny: [ads] }, "null", "https://ads.example/"],
    [false, { deny: [ads] }, "null", "https://ads.example/", bank],
    [false, { deny: [ads] }, "null", "about:srcdoc", bank],
    [false, { deny: [ads] }, "null", "data:text/html,x", bank],
    [true, { deny: [ads] }, "null", "https://bank.example/widget", bank],
    [true, { deny: [ads] }, "null", "file:///home/x.html"],
    [true, { deny: [ads] }, bank, "about:srcdoc", bank],
    [false, { deny: [ads] }, "https://ads.example", "about:srcdoc", bank],
    [true, { allow: [{ any: true }], deny: [ads] }, "null", "about:srcdoc", bank],
    [false, { allow: [{ any: true }], deny: [ads] }, "null", "https://ads.example/", bank],
    [false, { allow: [{ host: "bank.example" }] }, "null", "https://bank.example/widget", bank],
  ]) {
    assert.equal(permitted(rules, ...document), want, JSON.stringify([rules, document]));
  }
});
