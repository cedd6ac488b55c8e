// What the tests use instead of a browser.
import { createHmac } from "node:crypto";

/** Timers that run when the test says so. */
export function fakeTimers() {
  const waiting = new Map();
  let last = 0;
  let now = 0;
  return {
    setTimeout: (f, ms) => (waiting.set(++last, { f, at: now + ms }), last),
    clearTimeout: (id) => void waiting.delete(id),
    now: () => now,
    /** How many were ever set. */
    get set() {
      return last;
    },
    /** Lets time pass; runs what is due, in order. */
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [id, next] = [...waiting].filter(([, w]) => w.at <= end).sort((a, b) => a[1].at - b[1].at)[0] ?? [];
        if (!next) break;
        waiting.delete(id);
        now = next.at;
        next.f();
      }
      now = end;
    },
  };
}

/** A WebSocket whose other end is the test. */
export class FakeSocket {
  static all = [];
  sent = [];
  closed = false;
  constructor(url, protocols) {
    if (protocols.some((p) => /\s/.test(p))) throw new SyntaxError("invalid subprotocol");
    Object.assign(this, { url, protocols });
    FakeSocket.all.push(this);
  }
  static get last() {
    return FakeSocket.all.at(-1);
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  close(code) {
    this.closed = true;
    this.code ??= code;
  }
  hears(m) {
    this.onmessage?.({ data: typeof m === "string" ? m : JSON.stringify(m) });
  }
  ends(code, reason = "") {
    this.onclose?.({ code, reason });
  }
}

/** What an end proves with that it knows the token, made as the hub makes it. */
export function hubProof(role, { token, port, peer, hub, protocol = "webmcp-hub.v2" }) {
  return createHmac("sha256", token).update([protocol, role, port, peer, hub].join("\n")).digest("base64url");
}

/** An event source like chrome.runtime's. */
export function fakeEvent() {
  const listeners = [];
  return { addListener: (f) => listeners.push(f), fire: (...args) => listeners.forEach((f) => f(...args)) };
}

/** A frame's port as the extension sees it. */
export function fakePort({ tabId = 1, frameId = 0, doc = "d1", url = "https://a.example/", tab = {}, ...sender } = {}) {
  return {
    name: "frame", posted: [], disconnected: false,
    sender: { tab: { id: tabId, title: "", url, active: false, windowId: 1, ...tab }, frameId, documentId: doc, url, documentLifecycle: "active", ...sender },
    onMessage: fakeEvent(), onDisconnect: fakeEvent(),
    postMessage(m) { this.posted.push(m); },
    disconnect() { this.disconnected = true; },
  };
}

/** Waits for what happens beside the event loop: WebCrypto has threads of its own. */
export async function until(holds) {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets everything that is due run. */
export const settle = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};
