import assert from "node:assert/strict";
import test from "node:test";
import { isNonce, newNonce, prove, proves } from "../lib/proof.js";

test("a proof is the one that the hub reckons with", async () => {
  // The same values are in extlink/handshake_test.go.
  const exchange = { token: "a-pairing-token-for-tests", port: 8765, mine: "A".repeat(43), theirs: "B".repeat(42) + "A" };
  assert.equal(await prove(exchange), "Jp1l5MG7CRy5IeEczuqUq692RTSLWoSS94ZbLO9Vk8Y");
  assert.ok(await proves("rLZlg_U1FRdmp0yjvZ2_fKZV0Y7k9sD3x1kbb_YLxBk", exchange));
  assert.ok(!(await proves("Jp1l5MG7CRy5IeEczuqUq692RTSLWoSS94ZbLO9Vk8Y", exchange)));
});

test("nonces are 32 bytes in base64url", () => {
  assert.ok(isNonce(newNonce()));
  for (const none of [undefined, 7, "", "A".repeat(42), "A".repeat(44), "A".repeat(42) + "\n", "=".repeat(43)]) assert.ok(!isNonce(none));
});
