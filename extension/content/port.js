// The frame's line to the extension: a port to the offscreen document, which is reopened when it breaks, and its messages:
// Classic script; adds to globalThis.webmcpHub.
//
//   frame -> extension   {type: "tools", tools, browser}  {type: "result", callId, result | error}  {type: "progress", callId, params}
//   extension -> frame   {type: "call", callId, toolName, args}  {type: "cancel", callId}  {type: "again"}: post the tools again
//                        {type: "introspect", on}: whether to make tools from a page that has none; only for main frames
//                        {type: "data", callId}: the call has led to this document, and the document's data is the result
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // not <p id="webmcpHub">

  const RETRY_MS = [50, 200, 500, 1000, 2000, 5000];

  /** Returns whether the extension was reloaded or removed: this script lives on, but can't reach the extension. */
  hub.orphaned = () => !chrome.runtime?.id;

  /**
   * Line holds the port. Main frames connect at once, because the extension learns of documents by their ports; other frames
   * connect when they have tools to report. Line calls onOrphaned() when the extension is gone for good, and onIntrospect(on)
   * when the hub wants tools made from pages, or no longer wants that.
   */
  hub.Line = class {
    #toolset;
    #onOrphaned;
    #onIntrospect;
    #port;
    #tools = [];
    #browser = {}; // what the page's servers declare of MCP-B's capabilities
    #calls = new Map(); // callId -> AbortController
    #failures = 0;
    #timer;
    #stopped = false;

    constructor({ toolset, onOrphaned, onIntrospect }) {
      this.#toolset = toolset;
      this.#onOrphaned = onOrphaned;
      this.#onIntrospect = onIntrospect;
    }

    start() {
      if (parent === window) this.connect();
    }

    /** Posts the whole set of the frame's tools. */
    report(tools, browser = {}) {
      this.#tools = tools;
      this.#browser = browser;
      if (this.#port) this.#postTools();
      else this.connect();
    }

    connect = () => {
      clearTimeout(this.#timer);
      if (this.#stopped || this.#port || document.prerendering) return;
      if (hub.orphaned()) return this.#onOrphaned();
      const port = (this.#port = chrome.runtime.connect({ name: "frame" }));
      port.onMessage.addListener((m) => {
        this.#failures = 0;
        this.#heard(m);
      });
      port.onDisconnect.addListener(() => {
        void chrome.runtime.lastError; // else Chrome logs an error
        if (this.#port === port) this.#broken();
      });
      this.#postTools();
    };

    /** Connects anew, after the back/forward cache, in which Chrome closes ports, perhaps without an event. */
    reconnect() {
      const old = this.#port;
      this.#port = undefined;
      old?.disconnect();
      if (old || parent === window || this.#tools.length) this.connect();
    }

    #broken() {
      this.#port = undefined;
      for (const controller of this.#calls.values()) controller.abort(new DOMException("the extension has gone", "AbortError"));
      this.#calls.clear();
      if (this.#stopped) return;
      if (hub.orphaned()) return this.#onOrphaned();
      // No listener: the offscreen document is gone, or doesn't exist yet. The worker makes it.
      chrome.runtime.sendMessage({ to: "worker", ask: "wake" }).catch(() => {});
      this.#timer = setTimeout(this.connect, RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)]);
    }

    #postTools() {
      this.#post({ type: "tools", tools: this.#tools, browser: this.#browser });
    }

    #post(message) {
      try {
        this.#port?.postMessage(message);
      } catch (e) {
        console.debug("WebMCP Hub:", e); // broken; onDisconnect comes
      }
    }

    #heard(m) {
      if (m?.type === "again") this.#postTools();
      else if (m?.type === "call") this.#call(m);
      else if (m?.type === "data") this.#data(m);
      else if (m?.type === "introspect") this.#onIntrospect(m.on === true);
      else if (m?.type === "cancel") this.#calls.get(m.callId)?.abort(new DOMException("the call was cancelled", "AbortError"));
    }

    async #call({ callId, toolName, args }) {
      const controller = new AbortController();
      const port = this.#port;
      this.#calls.set(callId, controller);
      const answer = { type: "result", callId };
      try {
        const progress = (params) => this.#post({ type: "progress", callId, params });
        const result = (await this.#toolset.call(toolName, args, { signal: controller.signal, progress })) ?? null;
        if (result === hub.LEAVES) answer.leaves = true;
        answer.result = result === hub.LEAVES ? null : result;
      } catch (e) {
        answer.error = String(e?.message || e);
      }
      this.#calls.delete(callId);
      if (this.#port === port) this.#post(answer);
    }

    async #data({ callId }) {
      const port = this.#port;
      const result = await hub.pageData();
      if (this.#port === port) this.#post({ type: "result", callId, result });
    }

    /** Ends for good. Calls fail with the reason why, but get no answers: the closed port tells the extension. */
    stop(why) {
      this.#stopped = true;
      clearTimeout(this.#timer);
      for (const controller of this.#calls.values()) controller.abort(new DOMException(why, "AbortError"));
      this.#calls.clear();
      this.#port?.disconnect();
      this.#port = undefined;
    }
  };
})();
