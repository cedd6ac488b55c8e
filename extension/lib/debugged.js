// Which tabs the hub debugs, and in which tabs the user has ended that. For the offscreen document.

const TOO_LONG = "longer than the 16 MiB that the extension's connection takes";

/** Returns whether an event is a mere record, on which no later events depend. */
const isRecord = (method) => /^(Log|Network|Audits|Tracing)\.|^Runtime\.(consoleAPICalled|exceptionThrown)$/.test(method);

/** worker(ask, m) asks the service worker, send(m) sends to the hub, and Debugged calls changed() when a tab's state changes. */
export class Debugged {
  #worker;
  #send;
  #changed;
  #tabs = new Map(); // tabs debugged, or about to be -> the number of the hub's attempt to attach, if it has one
  #ended; // where the user ended debugging

  /** ended: the tabs in which the user has ended debugging, as the worker kept them for an earlier offscreen document. */
  constructor({ worker, send, changed, ended = [] }) {
    this.#ended = new Set(ended);
    this.#worker = worker;
    this.#send = send;
    this.#changed = changed;
  }

  /** Returns a tab's state: "on", "ended" by the user, or "". */
  state(tabId) {
    return this.#tabs.has(tabId) ? "on" : this.#ended.has(tabId) ? "ended" : "";
  }

  attach({ tabId, attempt }) {
    if (this.#ended.has(tabId)) {
      const message = "the user has ended automation of this tab; only they can allow it again, in the extension's popup";
      return this.#send({ type: "debuggerReply", tabId, id: 0, attempt, error: { code: -32000, message } });
    }
    this.#tabs.set(tabId, attempt);
    this.#changed();
    this.#ask("debuggerAttach", { tabId, attempt });
  }

  command(m) {
    if (this.#tabs.has(m.tabId)) return this.#ask("debuggerCommand", m);
    this.#send({ type: "debuggerReply", tabId: m.tabId, id: m.id, error: { code: -32001, message: "the tab is not debugged" } });
  }

  /** Ends debugging a tab, for the hub. */
  detach(tabId) {
    if (!this.#tabs.delete(tabId)) return;
    this.#changed();
    this.#ask("debuggerDetach", { tabId });
  }

  /** Ends debugging a tab, for the user, until they allow it again. */
  end(tabId) {
    this.detach(tabId);
    this.said({ type: "debuggerDetached", tabId, reason: "canceled_by_user" });
  }

  allow(tabId) {
    this.#userEnded(tabId, false);
    this.#changed();
  }

  #userEnded(tabId, is) {
    if (this.#ended.has(tabId) === is) return;
    if (is) this.#ended.add(tabId);
    else this.#ended.delete(tabId);
    this.#worker("debuggerEnded", { tabs: [...this.#ended] }).catch(() => {}); // then a later document doesn't know it
  }

  endAll() {
    for (const tabId of [...this.#tabs.keys()]) this.detach(tabId);
  }

  /** Passes the worker's message about a tab on to the hub. tooLong: the message came without its content. */
  said({ tooLong, ...m }) {
    if (m.type === "debuggerDetached") {
      this.#tabs.delete(m.tabId);
      this.#userEnded(m.tabId, m.reason === "canceled_by_user");
      this.#changed();
    } else if (m.type === "debuggerReply" && m.id === 0 && this.#tabs.has(m.tabId) && this.#tabs.get(m.tabId) !== m.attempt) {
      return; // the hub has given that attempt up and made another
    } else if (m.type === "debuggerReply" && m.id === 0 && m.error) {
      this.#tabs.delete(m.tabId);
      this.#changed();
    } else if (m.type === "debuggerReply" && m.id === 0 && !this.#tabs.has(m.tabId)) {
      return this.#ask("debuggerDetach", { tabId: m.tabId }); // it was ended while Chrome attached
    } else if (m.type === "debuggerEvent" && !this.#tabs.has(m.tabId)) {
      return; // it came before Chrome detached
    }
    if (tooLong || !this.#send(m)) this.#instead(m);
  }

  /** Tells the hub that it misses an answer, a record, or an event without which it can't know the tab's state any more. */
  #instead({ type, tabId, id, attempt, sessionId, method }) {
    if (type === "debuggerReply") {
      this.#send({ type, tabId, id, attempt, error: { code: -32000, message: `the answer is ${TOO_LONG}` } });
    } else if (type === "debuggerEvent" && isRecord(method)) {
      const text = `[webmcp-hub] A record of this page (${method}) is missing here: it is ${TOO_LONG}.`;
      this.#send({ type, tabId, sessionId, method: "Log.entryAdded", params: { entry: { source: "other", level: "warning", text, timestamp: Date.now() } } });
    } else if (type === "debuggerEvent") {
      this.detach(tabId);
      this.#send({ type: "debuggerDetached", tabId, reason: `what the page's ${method} told is ${TOO_LONG}; the next call attaches anew` });
    }
  }

  /** Sends a request to the worker. If that fails, tells the hub, except about a detach, which has no answer. */
  #ask(ask, m) {
    this.#worker(ask, m).catch((e) => {
      if (ask !== "debuggerDetach") this.said({ type: "debuggerReply", tabId: m.tabId, id: m.id ?? 0, attempt: m.attempt, error: { code: -32000, message: e.message } });
    });
  }
}
