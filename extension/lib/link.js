// Opens the connection to the hub, keeps it alive and reopens it. Link doesn't know what the messages mean.
// The content script doesn't hold the socket, though that would save a port (0.5 ms a call): the socket's origin would be the
// page's, and the pairing token would have to be in the page's process.
import { DEFAULT_PORT, OUTDATED, PING_MS, PROTOCOL, REPLACED, SILENCE_MS, WRONG_TOKEN, fits, parse, parseChallenge } from "./protocol.js";
import { isNonce, newNonce, prove, proves } from "./proof.js";

/** What Link.status can be; the popup has a text for each. */
export const STATUSES = ["unpaired", "connecting", "connected", "unreachable", "wrong-token", "replaced", "outdated"];

const RETRY_MS = [250, 500, 1000, 2000, 3000];
const RETRY_WRONG_TOKEN_MS = 30_000; // the hub may get another token, but asking often would only fill its log

/**
 * Link has at most one socket. configure({token, port}) opens it; without a token, Link waits for one.
 * onMessage(m) gets each message of a known shape, onStatus(status, detail) each change of the status.
 * timers: {setTimeout, clearTimeout, now}, which must not be throttled.
 */
export class Link {
  status = "unpaired";
  detail = "";
  #WebSocket;
  #timers;
  #onMessage;
  #onStatus;
  #random;
  #config = { token: "", port: DEFAULT_PORT };
  #socket;
  #failures = 0;
  #retry;
  #ping;
  #silence;
  #heardAt; // when the socket opened or last got a message

  constructor({ WebSocket, timers, onMessage, onStatus, random = Math.random }) {
    this.#WebSocket = WebSocket;
    this.#timers = timers;
    this.#onMessage = onMessage;
    this.#onStatus = onStatus;
    this.#random = random;
  }

  /** Connects with the user's settings. Also called when the user asks for another attempt now. */
  configure({ token = "", port = DEFAULT_PORT }) {
    this.#config = { token, port };
    this.#failures = 0;
    this.#drop();
    if (token) this.#open();
    else this.#set("unpaired");
  }

  /** Sends a message. Returns false if Link isn't connected, or if the message is larger than the hub takes. */
  send(message) {
    if (this.status !== "connected") return false;
    const text = JSON.stringify(message);
    if (!fits(text)) return false;
    this.#socket.send(text);
    return true;
  }

  #set(status, detail = "") {
    if (this.status === status && this.detail === detail) return;
    this.status = status;
    this.detail = detail;
    this.#onStatus(status, detail);
  }

  #open() {
    const { token, port } = this.#config;
    let socket;
    try {
      socket = new this.#WebSocket(`ws://127.0.0.1:${port}/`, [PROTOCOL]);
    } catch (e) {
      return this.#set("unreachable", e.message);
    }
    this.#socket = socket;
    if (this.#failures === 0) this.#set("connecting");
    // Ignores the events of an older socket.
    const mine = (f) => (e) => socket === this.#socket && f(e);
    this.#heardAt = this.#timers.now();
    this.#watch(SILENCE_MS);
    const exchange = { token, port, mine: newNonce() };
    let trusted = false; // the hub has proved that it knows the token
    socket.onopen = mine(() => {
      this.#heardAt = this.#timers.now();
      socket.send(JSON.stringify({ type: "hello", nonce: exchange.mine }));
    });
    socket.onmessage = mine(({ data }) => {
      this.#heardAt = this.#timers.now();
      if (!trusted) {
        if (exchange.theirs === undefined) this.#challenged(socket, exchange, data).then((ok) => (trusted = ok));
        return; // ignored until trusted
      }
      const m = typeof data === "string" ? parse(data) : undefined;
      if (!m) return console.warn("ignored a message of the hub's:", String(data).slice(0, 200));
      if (m.type === "pong") return;
      if (this.status !== "connected") this.#connected(); // the hub sends only once it trusts this end, too
      this.#onMessage(m);
    });
    socket.onclose = mine(({ code, reason }) => this.#closed(code, reason));
  }

  /** Checks the proof that the other end is the hub, then sends this end's proof. Resolves with whether it did both. */
  async #challenged(socket, exchange, data) {
    const { nonce, proof } = parseChallenge(data) ?? {};
    exchange.theirs = nonce ?? "";
    const right = isNonce(nonce) && nonce !== exchange.mine && (await proves(proof, exchange));
    const answer = right && (await prove(exchange));
    if (socket !== this.#socket) return false;
    if (!right) {
      socket.close(WRONG_TOKEN, "wrong pairing token");
      this.#closed(WRONG_TOKEN, "what answers does not know this token");
      return false;
    }
    socket.send(JSON.stringify({ type: "proof", proof: answer }));
    return true;
  }

  #connected() {
    this.#failures = 0;
    this.#set("connected");
    this.#pingLater();
  }

  #pingLater() {
    this.#ping = this.#timers.setTimeout(() => {
      this.send({ type: "ping" });
      this.#pingLater();
    }, PING_MS);
  }

  /** Checks after ms whether the hub is silent. The timers run in a worker: one for each message would cost a call 0.1 ms. */
  #watch(ms) {
    this.#silence = this.#timers.setTimeout(() => {
      const left = this.#heardAt + SILENCE_MS - this.#timers.now();
      if (left > 0) this.#watch(left);
      else this.#closed(1006, "the hub is silent");
    }, ms);
  }

  #closed(code, reason) {
    this.#drop();
    if (code === REPLACED) return this.#set("replaced", reason); // else both would reconnect for ever
    const wrong = code === WRONG_TOKEN || code === OUTDATED;
    this.#set(code === OUTDATED ? "outdated" : wrong ? "wrong-token" : "unreachable", reason);
    const pause = wrong ? RETRY_WRONG_TOKEN_MS : RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)];
    this.#failures++;
    this.#retry = this.#timers.setTimeout(() => this.#open(), pause * (0.8 + 0.4 * this.#random()));
  }

  #drop() {
    for (const timer of [this.#retry, this.#ping, this.#silence]) this.#timers.clearTimeout(timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}
