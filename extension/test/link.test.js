import assert from "node:assert/strict";
import test from "node:test";
import { Link } from "../lib/link.js";
import { FakeSocket, fakeTimers, hubProof, settle, until } from "./fakes.js";

function linked(config = { token: "t", port: 8765 }) {
  FakeSocket.all = [];
  const timers = fakeTimers();
  const heard = [];
  const statuses = [];
  const link = new Link({ WebSocket: FakeSocket, timers, random: () => 0.5, onMessage: (m) => heard.push(m), onStatus: (s) => statuses.push(s) });
  link.configure(config);
  return { link, timers, heard, statuses };
}

const NONCE = "H".repeat(42) + "A"; // the hub's

/** The hub proves that it knows the token; then the extension does. */
async function shake({ token = "t", port = 8765, socket = FakeSocket.last } = {}) {
  socket.onopen({});
  const { nonce } = socket.sent.at(-1);
  socket.hears({ type: "challenge", nonce: NONCE, proof: hubProof("hub", { token, port, peer: nonce, hub: NONCE }) });
  await until(() => socket.sent.at(-1).type === "proof" || socket.closed);
  await settle();
}

async function connected() {
  const all = linked();
  await shake();
  FakeSocket.last.hears({ type: "connect" });
  FakeSocket.last.sent = [];
  return all;
}

test("it proves that it knows the token once the hub has, and is connected by the hub's next message", async () => {
  const { link, heard, statuses } = linked({ token: "secret", port: 9000 });
  const socket = FakeSocket.last;
  assert.equal(socket.url, "ws://127.0.0.1:9000/");
  assert.deepEqual(socket.protocols, ["webmcp-hub.v2"]);
  await shake({ token: "secret", port: 9000 });
  const [{ type, nonce }, answer, ...more] = socket.sent;
  assert.equal(type, "hello");
  assert.match(nonce, /^[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(answer, { type: "proof", proof: hubProof("extension", { token: "secret", port: 9000, peer: nonce, hub: NONCE }) });
  assert.deepEqual(more, []);
  assert.equal(link.status, "connecting");
  assert.equal(link.send({ type: "ping" }), false);
  socket.hears({ type: "connect" });
  assert.deepEqual(statuses, ["connecting", "connected"]);
  assert.deepEqual(heard, [{ type: "connect" }]);
  assert.equal(link.send({ type: "x" }), true);
  assert.deepEqual(socket.sent.at(-1), { type: "x" });
});

test("what does not prove that it knows the token learns nothing and is not believed", async () => {
  const right = { token: "t", port: 8765, hub: NONCE };
  for (const [why, answer] of Object.entries({
    "another token": (peer) => ({ nonce: NONCE, proof: hubProof("hub", { ...right, peer, token: "u" }) }),
    "another port": (peer) => ({ nonce: NONCE, proof: hubProof("hub", { ...right, peer, port: 8766 }) }),
    "another role": (peer) => ({ nonce: NONCE, proof: hubProof("extension", { ...right, peer }) }),
    "another protocol": (peer) => ({ nonce: NONCE, proof: hubProof("hub", { ...right, peer, protocol: "mcp-b.v1" }) }),
    "another exchange": () => ({ nonce: NONCE, proof: hubProof("hub", { ...right, peer: NONCE }) }),
    "our own nonce": (peer) => ({ nonce: peer, proof: hubProof("hub", { ...right, peer, hub: peer }) }),
    "a nonce that is none": (peer) => ({ nonce: "H", proof: hubProof("hub", { ...right, peer, hub: "H" }) }),
    "a proof that is none": () => ({ nonce: NONCE, proof: "%" }),
    "no proof": () => ({ nonce: NONCE }),
    "an order": () => ({ type: "connect" }),
  })) {
    const { link, heard, timers } = linked();
    const socket = FakeSocket.last;
    socket.onopen({});
    socket.hears({ type: "challenge", ...answer(socket.sent[0].nonce) });
    socket.hears({ type: "connect" });
    await until(() => socket.closed);
    socket.hears({ type: "connect" });
    assert.equal(link.status, "wrong-token", why);
    assert.deepEqual(heard, [], why);
    assert.equal(socket.sent.length, 1, why);
    assert.ok(socket.closed, why);
    assert.equal(socket.code, 4401, why); // so that the hub can say so
    timers.advance(29_000);
    assert.equal(FakeSocket.all.length, 1, why);
  }
});

test("each connection has a nonce of its own", () => {
  const { link } = linked();
  FakeSocket.last.onopen({});
  link.configure({ token: "t", port: 8765 });
  FakeSocket.last.onopen({});
  const [a, b] = FakeSocket.all.map((socket) => socket.sent[0].nonce);
  assert.notEqual(a, b);
});

test("a proof that comes after its socket was given up is not answered", async () => {
  const { link } = linked();
  const old = FakeSocket.last;
  old.onopen({});
  const { nonce } = old.sent[0];
  old.hears({ type: "challenge", nonce: NONCE, proof: hubProof("hub", { token: "t", port: 8765, peer: nonce, hub: NONCE }) });
  link.configure({ token: "t", port: 9000 });
  await settle();
  assert.equal(old.sent.length, 1);
  assert.equal(link.status, "connecting");
});

test("a hub that finds it outdated is believed", () => {
  const { link } = linked();
  FakeSocket.last.ends(4426, "older");
  assert.equal(link.status, "outdated");
});

test("without a token it waits for one", () => {
  const { link } = linked({ token: "" });
  assert.equal(FakeSocket.all.length, 0);
  link.configure({ token: "t" });
  assert.equal(FakeSocket.all.length, 1);
  link.configure({ token: "" });
  assert.equal(link.status, "unpaired");
  assert.ok(FakeSocket.last.closed);
});

test("it pings every 20 s, and takes a hub that is silent for 60 s for dead", async () => {
  const { link, timers } = await connected();
  for (let i = 0; i < 10; i++) {
    timers.advance(20_000);
    FakeSocket.last.hears({ type: "pong" });
  }
  assert.equal(FakeSocket.last.sent.filter((m) => m.type === "ping").length, 10);
  timers.advance(59_999);
  assert.equal(link.status, "connected");
  timers.advance(1);
  assert.equal(link.status, "unreachable");
});

test("a message of the hub's sets no timer", async () => {
  const { link, timers } = await connected();
  const { set } = timers;
  for (let i = 0; i < 100; i++) FakeSocket.last.hears({ type: "pong" });
  assert.equal(timers.set, set);
  timers.advance(60_000);
  assert.equal(link.status, "unreachable");
});

test("it tries again, ever more slowly, and quickly again after a success", async () => {
  const { timers } = await connected();
  FakeSocket.last.ends(1006);
  const pauses = [];
  for (let n = FakeSocket.all.length, waited = 0; pauses.length < 6;) {
    timers.advance(50);
    waited += 50;
    if (FakeSocket.all.length === n) continue;
    pauses.push(waited);
    waited = 0;
    n = FakeSocket.all.length;
    FakeSocket.last.ends(1006);
  }
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 3000, 3000]);
  timers.advance(3000);
  await shake();
  FakeSocket.last.hears({ type: "connect" });
  const n = FakeSocket.all.length;
  FakeSocket.last.ends(1000);
  timers.advance(250);
  assert.equal(FakeSocket.all.length, n + 1);
});

test("a wrong token is tried again seldom, a replaced connection only when the user wants it", async () => {
  const { link, timers } = linked();
  FakeSocket.last.ends(4401, "wrong");
  assert.equal(link.status, "wrong-token");
  timers.advance(29_000);
  assert.equal(FakeSocket.all.length, 1);
  timers.advance(1_000);
  assert.equal(FakeSocket.all.length, 2);
  await shake();
  FakeSocket.last.hears({ type: "connect" });
  FakeSocket.last.ends(4409, "replaced");
  timers.advance(600_000);
  assert.equal(link.status, "replaced");
  assert.equal(FakeSocket.all.length, 2);
  link.configure({ token: "t" });
  assert.equal(FakeSocket.all.length, 3);
});

test("a token may have any characters", async () => {
  const { link } = linked({ token: "zwei Wörter ✓" });
  await shake({ token: "zwei Wörter ✓" });
  FakeSocket.last.hears({ type: "connect" });
  assert.equal(link.status, "connected");
});

test("an older socket is not listened to any more", async () => {
  const { link, heard } = await connected();
  const old = FakeSocket.last;
  link.configure({ token: "other" });
  assert.ok(old.closed);
  old.hears({ type: "connect" });
  old.ends(1006);
  assert.equal(link.status, "connecting");
  assert.equal(heard.length, 1);
});

test("what is no message is ignored", async () => {
  const warn = console.warn;
  console.warn = () => {};
  try {
    const { link, heard } = await connected();
    for (const text of ["", "{", "null", '{"type":"callTool"}', '{"type":"x"}']) FakeSocket.last.hears(text);
    assert.equal(heard.length, 1);
    assert.equal(link.status, "connected");
  } finally {
    console.warn = warn;
  }
});

test("a message that the hub would not take is not sent", async () => {
  const { link } = await connected();
  assert.equal(link.send({ type: "toolResult", result: "x".repeat(17 << 20) }), false);
  assert.deepEqual(FakeSocket.last.sent, []);
});

test("a port that is taken by something that never answers is given up", () => {
  const { link, timers } = linked();
  timers.advance(60_000);
  assert.equal(link.status, "unreachable");
});
