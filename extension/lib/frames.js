// The frames' ports, by tab and document. An open port proves that its document lives: it closes when the document goes.

const TRIES = 10;
const TRY_MS = 50; // per try
const FOLLOW_MS = 250; // between two checks of a tab that a tool sends to its next document
const STAYS_MS = 10_000; // idle until the tab counts as staying
const EXPLAINED_MS = 1000; // the same if the browser has said why
const BARRED = "the hub's --allow-origin or --deny-origin does not permit this page";

/**
 * Frames passes on to the model what frames post, and finds the port for a call. describeTab(id) resolves with the tab's current
 * state, or undefined; refreshTab(id) updates the model's tab; tabState(id) resolves with the tab's {doc, url, loading}, or
 * undefined; originPermitted is the function of shared/origin-rules.js.
 */
export class Frames {
  #model;
  #calls;
  #describeTab;
  #refreshTab;
  #tabState;
  #pause;
  #ports = new Map(); // tab id -> Map document id -> {port, frame}
  #introspecting = false;
  #permitted; // (rules, origin)
  #rules; // the hub's, undefined if everything is permitted
  #arrivals = new Map(); // tab id -> connects at its newest main document; only tabs with a port
  connects = 0; // main documents connected

  constructor({ model, calls, originPermitted, describeTab, refreshTab, tabState, pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }) {
    this.#pause = pause;
    this.#model = model;
    this.#calls = calls;
    this.#permitted = originPermitted;
    this.#describeTab = describeTab;
    this.#refreshTab = refreshTab;
    this.#tabState = tabState;
    model.onDocument = (tabId) => this.#askAgain(tabId);
  }

  /**
   * Returns a number that grows whenever a main document connects in this tab. Frames keeps nothing about tabs without a port:
   * for them, the number counts the main documents of all tabs.
   */
  arrivals(tabId) {
    return this.#arrivals.get(tabId) ?? this.connects;
  }

  /** Takes a port that a frame opened. Trust port.sender, which comes from Chrome, but not the messages, which the page makes. */
  connected(port) {
    const { tab, frameId, documentId, url, origin, documentLifecycle } = port.sender ?? {};
    if (port.name !== "frame" || !tab || !(tab.id > 0) || documentId === undefined) return port.disconnect();
    if (documentLifecycle !== undefined && documentLifecycle !== "active") return port.disconnect(); // connects once active
    const frame = { doc: documentId, frameId, url: url ?? "", origin };
    const page = frameId === 0 ? origin : this.#pageOrigin(tab);
    if (frameId === 0) this.#mainConnected(tab, frame);
    else if (!this.#model.tab(tab.id)) this.#model.tabIs(tabInfo(tab, ""));

    let ports = this.#ports.get(tab.id);
    if (!ports) this.#ports.set(tab.id, (ports = new Map()));
    const entry = { port, frame, page, barred: this.#bars(frame, page) };
    ports.set(documentId, entry);
    if (frameId === 0) {
      post(port, { type: "introspect", on: this.#introspecting });
      if (!entry.barred) this.#calls.arrived(tab.id, port);
    }
    port.onMessage.addListener((m) => {
      if (ports.get(documentId)?.port !== port) return; // a newer port of the same document has taken over
      if (m?.type === "tools" && Array.isArray(m.tools)) entry.barred || this.#model.frameHas(tab.id, frame, m.tools, m.browser);
      else if (m?.type === "result") this.#calls.result(port, m) && this.#follow(m.callId, tab.id, frame);
      else if (m?.type === "progress") this.#calls.progress(port, m);
    });
    port.onDisconnect.addListener(() => {
      void globalThis.chrome?.runtime?.lastError;
      this.#disconnected(tab.id, frame, port, ports);
    });
  }

  /** Returns the origin of a tab's main document, which no script of the page can forge. */
  #pageOrigin(tab) {
    for (const { frame } of this.#ports.get(tab.id)?.values() ?? []) if (frame.frameId === 0 && frame.url === tab.url) return frame.origin;
    return originOf(tab.url);
  }

  #bars({ origin, url }, page) {
    if (this.#rules === undefined) return false;
    if ([origin ?? originOf(url), page].some((o) => !this.#permitted(this.#rules, o))) return true;
    return !this.#permitted({ deny: this.#rules.deny }, originOf(url)); // a sandbox removes the origin, but not the URL
  }

  /**
   * Sets which origins may have tools: {allow, deny}, or undefined for all. They apply to a frame's origin and to its page's.
   * Frames' scripts stop and start by themselves (content/rules.js); until they do, Frames drops what forbidden frames post.
   */
  rules(rules) {
    this.#rules = rules;
    for (const [tabId, ports] of this.#ports) {
      for (const entry of ports.values()) {
        const { port, frame, page, barred } = entry;
        entry.barred = this.#bars(frame, page);
        if (entry.barred && !barred) {
          this.#model.frameGone(tabId, frame.doc);
          this.#calls.orphans(port).fail(BARRED);
        } else if (barred && !entry.barred) post(port, { type: "again" });
      }
    }
  }

  #mainConnected(tab, frame) {
    this.#arrivals.set(tab.id, ++this.connects);
    if (this.#model.tab(tab.id)?.doc === frame.doc) return;
    this.#model.tabIs({ ...tabInfo(tab, frame.doc), url: frame.url });
    this.#refreshTab(tab.id); // its title may be the old document's
  }

  /**
   * The model knows none of the tools of a tab's new document. Frames of the old document are gone or about to go; the others
   * post their tools again. They may have connected before the model learned of the document.
   */
  #askAgain(tabId) {
    for (const { port } of this.#ports.get(tabId)?.values() ?? []) post(port, { type: "again" });
  }

  #disconnected(tabId, frame, port, ports) {
    if (ports.get(frame.doc)?.port === port) {
      ports.delete(frame.doc);
      if (!ports.size) {
        this.#ports.delete(tabId);
        this.#arrivals.delete(tabId);
      }
      this.#model.frameGone(tabId, frame.doc);
      if (frame.frameId === 0) this.#refreshTab(tabId); // the tab has another document, or is gone
    }
    const orphans = this.#calls.orphans(port);
    if (orphans.ids.length) this.#why(tabId, frame).then(orphans.fail, () => orphans.fail("the page went away while the tool ran"));
  }

  /**
   * Follows a call whose tool makes its document go away, until the next document connects or it is clear that none will:
   * Chrome's own pages, such as error pages, have no port.
   */
  async #follow(callId, tabId, frame) {
    const now = this.#model.tab(tabId)?.doc;
    const main = frame.frameId === 0 ? frame.doc : now;
    if (now !== main && this.#ports.get(tabId)?.has(now)) this.#calls.arrived(tabId, this.#ports.get(tabId).get(now).port); // it came earlier
    for (let idle = 0; this.#calls.leaves(callId); await this.#pause(FOLLOW_MS)) {
      const tab = await this.#tabState(tabId).catch(() => undefined);
      if (!tab) return this.#calls.fail(callId, "the tab was closed while the tool ran");
      idle = tab.loading ? 0 : idle + 1;
      if (idle < 2) continue; // loading may soon begin, or the port may come
      if (tab.doc !== main) return this.#calls.fail(callId, `the page navigated to ${tab.url} while the tool ran`);
      if (!this.#ports.get(tabId)?.has(frame.doc)) return this.#calls.fail(callId, await this.#why(tabId, frame));
      if (idle * FOLLOW_MS >= (this.#calls.explained(callId) ? EXPLAINED_MS : STAYS_MS)) return this.#calls.stays(callId);
    }
  }

  async #why(tabId, frame) {
    let tab = await this.#describeTab(tabId);
    // A port may close a little before Chrome shows the next document. A crashed page has no next document.
    for (let i = 0; i < TRIES && frame.frameId === 0 && tab?.doc === frame.doc; i++) {
      await this.#pause(TRY_MS);
      tab = await this.#describeTab(tabId);
    }
    if (!tab) return "the tab was closed while the tool ran";
    if (frame.frameId !== 0) return "the frame was removed or navigated while the tool ran";
    if (tab.doc === frame.doc) return "the page crashed or was frozen while the tool ran";
    await this.#refreshTab(tabId); // the hub must learn of the new document before it gets the error
    return `the page navigated to ${tab.url} while the tool ran`;
  }

  /** Sets whether to make tools from pages that have none. Tells the main frames, now and when they connect. */
  introspect(on) {
    if (on === this.#introspecting) return;
    this.#introspecting = on;
    for (const ports of this.#ports.values()) {
      for (const { port, frame } of ports.values()) if (frame.frameId === 0) post(port, { type: "introspect", on });
    }
  }

  /** Sends the hub's call to the frame that it names, or to the frame that has the tool. */
  call(m) {
    const ports = this.#ports.get(m.tabId) ?? new Map();
    const { port, why } = this.#route(m, [...ports.values()]);
    this.#calls.begin(m, port, why);
  }

  #route({ tabId, toolName, frameId, doc }, entries) {
    if (!this.#model.tab(tabId)) return { why: `there is no tab ${tabId}` };
    if (doc) {
      const entry = entries.find(({ frame }) => frame.doc === doc);
      if (entry?.barred) return { why: BARRED };
      return entry ? { port: entry.port } : { why: "the document that had the tool is gone" };
    }
    const tool = this.#model.tools(tabId).find((t) => t.name === toolName && (frameId == null || t.frameId === frameId));
    const entry = tool && entries.find(({ frame }) => frame.doc === tool.doc);
    return entry ? { port: entry.port } : { why: `tab ${tabId} has no tool ${toolName}` };
  }
}

/** Returns the TabInfo of a chrome.tabs.Tab whose main document is doc. */
export function tabInfo(tab, doc) {
  return { id: tab.id, title: tab.title ?? "", url: tab.url || tab.pendingUrl || "about:blank", doc, active: Boolean(tab.active), windowId: tab.windowId };
}

/** Returns an address's origin as browsers write it, or "null" if it has none. */
function originOf(url) {
  try {
    return new URL(url).origin;
  } catch {
    return "null";
  }
}

function post(port, message) {
  try {
    port.postMessage(message);
  } catch {} // closed
}
