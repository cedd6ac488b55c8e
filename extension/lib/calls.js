// The calls that pages are running. Each ends exactly once: when the page answers, when its document ends, when the hub cancels
// it, when its time is up, or because it can't begin. Pure, except that it posts to ports.

const LONGEST_MS = 2 ** 31 - 1; // limit of setTimeout

// How much earlier the browser's report about a submitted form may come than the page's: the reports take different paths.
const SOONER_MS = 1000;

// The states of a call whose tool makes its document go away: before and after the next document has come.
const LEAVES = "leaves";
const ARRIVED = "arrived";

/** Calls sends answers by send(message), and tells acting in which tabs calls begin and end. A port has postMessage() and sender. timers: {setTimeout, clearTimeout}; now() is in ms. */
export class Calls {
  #send;
  #timers;
  #now;
  #acting;
  #calls = new Map(); // callId -> {port, tabId, toolName, timeoutMs, until, state, opened: {url, tabId, at}, aborted: {at}}
  // One timer serves all calls, because setting one takes longer than all else here. When it fires, it is set for the next call.
  #timer;
  #timerAt = Infinity;

  constructor({ send, acting = { begins() {}, ends() {} }, timers = globalThis, now = () => performance.now() }) {
    this.#send = send;
    this.#acting = acting;
    this.#timers = timers;
    this.#now = now;
  }

  /** Posts a call to its frame's port. If there is no port, answers the call with the error why. */
  begin({ callId, tabId, toolName, args, timeoutMs }, port, why) {
    if (this.#calls.has(callId)) return; // duplicate
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

  /** Ends the calls whose time is up: the hub no longer waits for them. */
  #overdue() {
    const now = this.#now();
    for (const [callId, { port, timeoutMs, until }] of [...this.#calls]) {
      if (until > now) continue;
      tell(port, callId);
      this.#end(callId, { result: null, error: `the tool did not answer within ${timeoutMs / 1000} s` });
    }
    this.#watch(Math.min(...[...this.#calls.values()].map(({ until }) => until)));
  }

  /** Cancels a call for the hub: tells the page, and answers nothing. */
  cancel(callId) {
    const call = this.#calls.get(callId);
    if (!call) return;
    this.#calls.delete(callId);
    this.#acting.ends(call.tabId);
    tell(call.port, callId);
  }

  /** Passes a frame's progress report on to the hub. Ignores reports from other frames than the call's. */
  progress(port, { callId, params }) {
    if (this.#calls.get(callId)?.port !== port || typeof params !== "object" || params === null) return;
    this.#send({ type: "toolProgress", callId, params });
  }

  /** Takes a frame's result of a call. Returns whether the final result is yet to come, from the tab's next document. */
  result(port, { callId, result, error, leaves }) {
    const call = this.#calls.get(callId);
    if (call?.port !== port || call.state === LEAVES) return false;
    if (error === undefined && leaves === true && call.state !== ARRIVED) {
      call.state = LEAVES;
      const began = this.#now() - SOONER_MS; // the user did what came before
      for (const what of ["opened", "aborted"]) if (call[what]?.at < began) call[what] = undefined;
      this.#send({ type: "toolResult", callId, result: null, leaves: true });
      return true;
    }
    this.#end(callId, error === undefined ? { result: result ?? null } : { result: null, error: String(error) });
    return false;
  }

  /** Returns whether the call waits for its tab's next document. */
  leaves(callId) {
    return this.#calls.get(callId)?.state === LEAVES;
  }

  /** A tab's new main document has connected. Asks it for the data of calls that led there from its own origin; fails others. */
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

  /** Notes that a frame opened a tab. A form with target=_blank shows its result there, and its own page stays. */
  opened({ tabId, frameId, url, opened }) {
    this.#frameDid(tabId, frameId, "opened", { url: String(url), tabId: opened });
  }

  /** Notes that the browser gave up a frame's navigation, because it led to no page (204 No Content, a download, mailto:). */
  aborted({ tabId, frameId }) {
    this.#frameDid(tabId, frameId, "aborted");
  }

  #frameDid(tabId, frameId, what, more) {
    for (const call of this.#calls.values()) {
      if (call.tabId === tabId && call.port.sender.frameId === frameId) call[what] = { ...more, at: this.#now() };
    }
  }

  /** Returns whether the browser has said why the tab of a call that waits for its next document may stay. */
  explained(callId) {
    const { opened, aborted } = this.#calls.get(callId) ?? {};
    return Boolean(opened ?? aborted);
  }

  /** Fails a call that waits for its tab's next document. */
  fail(callId, error) {
    if (this.leaves(callId)) this.#end(callId, { result: null, error });
  }

  /** Ends a call whose document was to go away, but stays. The result says why, if the browser did. */
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
    // The result is too large, or the hub is gone; if it is gone, this message isn't sent either.
    this.#send({ type: "toolResult", callId, result: null, error: "the tool's result is larger than the hub takes (16 MiB)" });
  }

  /**
   * Returns {ids, fail} for the calls of a frame that is gone. fail(why) ends them once the reason is known. Calls whose tools
   * made the frame go away are not among them: they wait for the next document.
   */
  orphans(port) {
    const ids = [...this.#calls].filter(([, call]) => call.port === port && call.state !== LEAVES).map(([id]) => id);
    return { ids, fail: (why) => ids.forEach((id) => this.#calls.has(id) && this.#end(id, { result: null, error: why })) };
  }

  /** Cancels all calls, because the hub is gone. */
  cancelAll() {
    for (const callId of [...this.#calls.keys()]) this.cancel(callId);
  }
}

const shownIn = (url) => `The form was sent, and shows its result in a new tab: ${url.slice(0, 300)}. Its page's tools are listed with that tab.`;

// The hub uses the same texts over the debugging port.
const LED_NOWHERE = "The form was sent, and its page stays, because no page came of it: the server has nothing to show (204 No Content), " +
  "the browser downloads a file, another program opens the address, or the loading was stopped.";
const NOTHING_CAME = "The form was submitted, but within 10 seconds its tab went to no other page. " +
  "If its result belongs in a new tab, the browser has probably blocked that as a pop-up.";

const sameOrigin = (a, b) => a.origin === b.origin && a.origin !== undefined && a.origin !== "null";

const tell = (port, callId) => post(port, { type: "cancel", callId });

function post(port, message) {
  try {
    port.postMessage(message);
  } catch {} // closed
}
