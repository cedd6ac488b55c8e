import assert from "node:assert/strict";
import test from "node:test";
import { Link } from "../lib/link.js";
import { FakeSocket, fakeTimers } from "./fakes.js";

function linked(config = { token: "t", port: 8765 }) {
  FakeSocket.all = [];
  const timers = fakeTimers();
  const heard = [];
  const statuses = [];
  const link = new Link({ WebSocket: FakeSocket, timers, random: () => 0.5, onMessage: (m) => heard.push(m), onStatus: (s) => statuses.push(s) });
  link.configure(config);
  return { link, timers, heard, statuses };
}

function connected() {
  const all = linked();
  FakeSocket.last.onopen({});
  FakeSocket.last.hears({ type: "connect" });
  return all;
}

test("it offers the protocol and the token, and is connected by the hub's first message", () => {
  const { link, heard, statuses } = linked({ token: "secret", port: 9000 });
  assert.equal(FakeSocket.last.url, "ws://127.0.0.1:9000/");
  assert.deepEqual(FakeSocket.last.protocols, ["webmcp-hub.v1", "webmcp-hub.token.secret"]);
  FakeSocket.last.onopen({});
  assert.equal(link.status, "connecting");
  assert.equal(link.send({ type: "ping" }), false);
  FakeSocket.last.hears({ type: "connect" });
  assert.deepEqual(statuses, ["connecting", "connected"]);
  assert.deepEqual(heard, [{ type: "connect" }]);
  assert.equal(link.send({ type: "x" }), true);
  assert.deepEqual(FakeSocket.last.sent, [{ type: "x" }]);
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

test("it pings every 20 s, and takes a hub that is silent for 60 s for dead", () => {
  const { link, timers } = connected();
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

test("a message of the hub's sets no timer", () => {
  const { link, timers } = connected();
  const { set } = timers;
  for (let i = 0; i < 100; i++) FakeSocket.last.hears({ type: "pong" });
  assert.equal(timers.set, set);
  timers.advance(60_000);
  assert.equal(link.status, "unreachable");
});

test("it tries again, ever more slowly, and quickly again after a success", () => {
  const { timers } = connected();
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
  FakeSocket.last.hears({ type: "connect" });
  const n = FakeSocket.all.length;
  FakeSocket.last.ends(1000);
  timers.advance(250);
  assert.equal(FakeSocket.all.length, n + 1);
});

test("a wrong token is tried again seldom, a replaced connection only when the user wants it", () => {
  const { link, timers } = linked();
  FakeSocket.last.ends(4401, "wrong");
  assert.equal(link.status, "wrong-token");
  timers.advance(29_000);
  assert.equal(FakeSocket.all.length, 1);
  timers.advance(1_000);
  assert.equal(FakeSocket.all.length, 2);
  FakeSocket.last.hears({ type: "connect" });
  FakeSocket.last.ends(4409, "replaced");
  timers.advance(600_000);
  assert.equal(link.status, "replaced");
  assert.equal(FakeSocket.all.length, 2);
  link.configure({ token: "t" });
  assert.equal(FakeSocket.all.length, 3);
});

test("a token that no header can carry is a wrong one", () => {
  const { link } = linked({ token: "two words" });
  assert.equal(link.status, "wrong-token");
});

test("an older socket is not listened to any more", () => {
  const { link, heard } = connected();
  const old = FakeSocket.last;
  link.configure({ token: "other" });
  assert.ok(old.closed);
  old.hears({ type: "connect" });
  old.ends(1006);
  assert.equal(link.status, "connecting");
  assert.equal(heard.length, 1);
});

test("what is no message is ignored", () => {
  const warn = console.warn;
  console.warn = () => {};
  try {
    const { link, heard } = connected();
    for (const text of ["", "{", "null", '{"type":"callTool"}', '{"type":"x"}']) FakeSocket.last.hears(text);
    assert.equal(heard.length, 1);
    assert.equal(link.status, "connected");
  } finally {
    console.warn = warn;
  }
});

test("a message that the hub would not take is not sent", () => {
  const { link } = connected();
  assert.equal(link.send({ type: "toolResult", result: "x".repeat(17 << 20) }), false);
  assert.deepEqual(FakeSocket.last.sent, []);
});

test("a port that is taken by something that never answers is given up", () => {
  const { link, timers } = linked();
  timers.advance(60_000);
  assert.equal(link.status, "unreachable");
});
