// The calls that are on their way to pages. Each ends exactly once: by the page's answer, by the end of its document, by the
// hub's taking it back, when its time is over, or because it can't begin. Pure but for the ports it posts to.

const LONGEST_MS = 2 ** 31 - 1; // that a timer can wait

/** Calls sends answers by send(message). A port is anything with postMessage. timers: {setTimeout, clearTimeout}; now() is in ms. */
export class Calls {
  #send;
  #timers;
  #now;
  #calls = new Map(); // callId -> {port, tabId, toolName, timeoutMs, until}
  // One timer for all calls, because setting one takes longer than all else here: when it is up, it is set for the next call.
  #timer;
  #timerAt = Infinity;

  constructor({ send, timers = globalThis, now = () => performance.now() }) {
    this.#send = send;
    this.#timers = timers;
    this.#now = now;
  }

  /** Hands a call to its frame's port; without one, why says what is wrong. */
  begin({ callId, tabId, toolName, args, timeoutMs }, port, why) {
    if (this.#calls.has(callId)) return; // said twice
    if (!port) return this.#send({ type: "toolResult", callId, result: null, error: why });
    const until = timeoutMs > 0 ? this.#now() + timeoutMs : Infinity;
    this.#calls.set(callId, { port, tabId, toolName, timeoutMs, until });
    try {
      port.postMessage({ type: "call", callId, toolName, args: args ?? {} });
    } catch (e) {
      this.#end(callId, { result: null, error: `the call could not be handed to the page: ${e.message}` });
    }
    if (until < this.#timerAt) this.#watch(until);
  }

  #watch(at) {
    this.#timers.clearTimeout(this.#timer);
    this.#timerAt = at;
    if (at === Infinity) return;
    this.#timer = this.#timers.setTimeout(() => this.#overdue(), Math.min(Math.max(0, at - this.#now()), LONGEST_MS));
  }

  /** Ends the calls whose time is over: nobody waits for them any more. */
  #overdue() {
    const now = this.#now();
    for (const [callId, { port, timeoutMs, until }] of [...this.#calls]) {
      if (until > now) continue;
      tell(port, callId);
      this.#end(callId, { result: null, error: `the tool did not answer within ${timeoutMs / 1000} s` });
    }
    this.#watch(Math.min(...[...this.#calls.values()].map(({ until }) => until)));
  }

  /** The hub doesn't wait any more: the page is told, and nothing is answered. */
  cancel(callId) {
    const call = this.#calls.get(callId);
    if (!call) return;
    this.#calls.delete(callId);
    tell(call.port, callId);
  }

  /** What a frame says of a call; only the frame that has the call is listened to. */
  progress(port, { callId, params }) {
    if (this.#calls.get(callId)?.port !== port || typeof params !== "object" || params === null) return;
    this.#send({ type: "toolProgress", callId, params });
  }

  result(port, { callId, result, error, leaves }) {
    if (this.#calls.get(callId)?.port !== port) return;
    this.#end(callId, error === undefined ? { result: result ?? null, ...(leaves === true ? { leaves } : undefined) } : { result: null, error: String(error) });
  }

  #end(callId, outcome) {
    this.#calls.delete(callId);
    if (this.#send({ type: "toolResult", callId, ...outcome })) return;
    // Too large, or the hub has gone; in that case nobody hears this either.
    this.#send({ type: "toolResult", callId, result: null, error: "the tool's result is larger than the hub takes (16 MiB)" });
  }

  /** A frame is gone. Returns its calls, which are answered by fail once it is known why. */
  orphans(port) {
    const ids = [...this.#calls].filter(([, call]) => call.port === port).map(([id]) => id);
    return { ids, fail: (why) => ids.forEach((id) => this.#calls.has(id) && this.#end(id, { result: null, error: why })) };
  }

  /** The hub is gone: the pages are told that nobody waits. */
  cancelAll() {
    for (const callId of [...this.#calls.keys()]) this.cancel(callId);
  }
}

function tell(port, callId) {
  try {
    port.postMessage({ type: "cancel", callId });
  } catch {} // it's gone
}
