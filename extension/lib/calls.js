// The calls that are on their way to pages. Each ends exactly once: by the page's answer, by the end of its document, by the
// hub's taking it back, when its time is over, or because it can't begin. Pure but for the ports it posts to.

const LONGEST_MS = 2 ** 31 - 1; // that a timer can wait

// How much sooner the browser may say what a form did than the page that it sent it: their words come by different ways.
const SOONER_MS = 1000;

// The states of a call whose tool makes its document go away: before the next one has come, and since.
const LEAVES = "leaves";
const ARRIVED = "arrived";

/** Calls sends answers by send(message), and tells acting in which tabs calls begin and end. A port is anything with postMessage. timers: {setTimeout, clearTimeout}; now() is in ms. */
export class Calls {
  #send;
  #timers;
  #now;
  #acting;
  #calls = new Map(); // callId -> {port, tabId, toolName, timeoutMs, until, state, opened: {url, tabId, at}, aborted: {at}}
  // One timer for all calls, because setting one takes longer than all else here: when it is up, it is set for the next call.
  #timer;
  #timerAt = Infinity;

  constructor({ send, acting = { begins() {}, ends() {} }, timers = globalThis, now = () => performance.now() }) {
    this.#send = send;
    this.#acting = acting;
    this.#timers = timers;
    this.#now = now;
  }

  /** Hands a call to its frame's port; without one, why says what is wrong. */
  begin({ callId, tabId, toolName, args, timeoutMs }, port, why) {
    if (this.#calls.has(callId)) return; // said twice
    if (!port) return this.#send({ type: "toolResult", callId, result: null, error: why });
    const until = timeoutMs > 0 ? this.#now() + timeoutMs : Infinity;
    this.#calls.set(callId, { port, tabId, toolName, timeoutMs, until });
    this.#acting.begins(tabId);
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
    this.#acting.ends(call.tabId);
    tell(call.port, callId);
  }

  /** What a frame says of a call; only the frame that has the call is listened to. */
  progress(port, { callId, params }) {
    if (this.#calls.get(callId)?.port !== port || typeof params !== "object" || params === null) return;
    this.#send({ type: "toolProgress", callId, params });
  }

  /** What a frame says a call gave. Returns whether that is yet to come, from the tab's next document. */
  result(port, { callId, result, error, leaves }) {
    const call = this.#calls.get(callId);
    if (call?.port !== port || call.state === LEAVES) return false;
    if (error === undefined && leaves === true && call.state !== ARRIVED) {
      call.state = LEAVES;
      const began = this.#now() - SOONER_MS; // what was before is the user's
      for (const what of ["opened", "aborted"]) if (call[what]?.at < began) call[what] = undefined;
      this.#send({ type: "toolResult", callId, result: null, leaves: true });
      return true;
    }
    this.#end(callId, error === undefined ? { result: result ?? null } : { result: null, error: String(error) });
    return false;
  }

  /** Whether the call waits for its tab's next document. */
  leaves(callId) {
    return this.#calls.get(callId)?.state === LEAVES;
  }

  /** A main document has come to a tab. The calls that led there ask it for its data, which it gives to its own origin only. */
  arrived(tabId, port) {
    for (const [callId, call] of [...this.#calls]) {
      const from = call.port.sender;
      if (call.state !== LEAVES || call.tabId !== tabId || from.documentId === port.sender.documentId) continue;
      if (!sameOrigin(from, port.sender)) {
        this.fail(callId, "the tool led to a page of another origin");
        continue;
      }
      Object.assign(call, { port, state: ARRIVED });
      post(port, { type: "data", callId });
    }
  }

  /** A frame has opened a tab. A form with target=_blank shows its result there, and its own page stays. */
  opened({ tabId, frameId, url, opened }) {
    this.#frameDid(tabId, frameId, "opened", { url: String(url), tabId: opened });
  }

  /** The browser has given a frame's navigation up: what it led to is no page (204 No Content, a download, mailto:). */
  aborted({ tabId, frameId }) {
    this.#frameDid(tabId, frameId, "aborted");
  }

  #frameDid(tabId, frameId, what, more) {
    for (const call of this.#calls.values()) {
      if (call.tabId === tabId && call.port.sender.frameId === frameId) call[what] = { ...more, at: this.#now() };
    }
  }

  /** Whether the browser has said why the tab of a call that waits for its next document may stay. */
  explained(callId) {
    const { opened, aborted } = this.#calls.get(callId) ?? {};
    return Boolean(opened ?? aborted);
  }

  /** Ends a call that waits for its tab's next document: there is nothing to be had. */
  fail(callId, error) {
    if (this.leaves(callId)) this.#end(callId, { result: null, error });
  }

  /** Ends a call whose document was to go away, and didn't: the browser has said why, or nothing. */
  stays(callId) {
    if (!this.leaves(callId)) return;
    const { opened, aborted } = this.#calls.get(callId);
    const text = opened !== undefined ? shownIn(opened.url) : aborted ? LED_NOWHERE : NOTHING_CAME;
    this.#end(callId, { result: { content: [{ type: "text", text }] }, ...(opened && { openedTabId: opened.tabId }) });
  }

  #end(callId, outcome) {
    this.#acting.ends(this.#calls.get(callId).tabId);
    this.#calls.delete(callId);
    if (this.#send({ type: "toolResult", callId, ...outcome })) return;
    // Too large, or the hub has gone; in that case nobody hears this either.
    this.#send({ type: "toolResult", callId, result: null, error: "the tool's result is larger than the hub takes (16 MiB)" });
  }

  /**
   * A frame is gone. Returns its calls, which are answered by fail once it is known why; those whose tools made it go away
   * wait for the next document.
   */
  orphans(port) {
    const ids = [...this.#calls].filter(([, call]) => call.port === port && call.state !== LEAVES).map(([id]) => id);
    return { ids, fail: (why) => ids.forEach((id) => this.#calls.has(id) && this.#end(id, { result: null, error: why })) };
  }

  /** The hub is gone: the pages are told that nobody waits. */
  cancelAll() {
    for (const callId of [...this.#calls.keys()]) this.cancel(callId);
  }
}

const shownIn = (url) => `The form was sent, and shows its result in a new tab: ${url.slice(0, 300)}. Its page's tools are listed with that tab.`;

// The hub has the same words for the same over the debugging port.
const LED_NOWHERE = "The form was sent, and its page stays, because no page came of it: the server has nothing to show (204 No Content), " +
  "the browser downloads a file, another program opens the address, or the loading was stopped.";
const NOTHING_CAME = "The form was submitted, but within 10 seconds its tab went to no other page. " +
  "If its result belongs in a new tab, the browser has probably blocked that as a pop-up.";

const sameOrigin = (a, b) => a.origin === b.origin && a.origin !== undefined && a.origin !== "null";

const tell = (port, callId) => post(port, { type: "cancel", callId });

function post(port, message) {
  try {
    port.postMessage(message);
  } catch {} // it's gone
}
