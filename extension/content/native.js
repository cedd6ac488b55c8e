// Chrome's own document.modelContext, in the isolated world: it has the same tools there as in the page's world, but the page
// can't tamper with it. Classic script; adds to globalThis.webmcpHub.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // not <p id="webmcpHub">

  const noop = () => {};
  const SURE_MS = 50; // until Chrome surely knows of the listener, and pagehide has surely come

  /**
   * All of Chromium 156 crashes when a document enters the back/forward cache while a getTools() is pending. A document that
   * listens to "unload" never enters it. So this script keeps a document out from a while before it reads its tools, for as
   * long as the document has tools. (Chrome also crashed, now and then, with a listener that was there only during the reading.)
   */
  const out = { since: undefined, hidden: false };

  const onHide = () => (out.hidden = true);
  const onShow = () => (out.hidden = false);

  hub.keepOut = () => {
    addEventListener("pagehide", onHide); // no duplicates
    addEventListener("pageshow", onShow, true); // before work.js reads again
    if (out.since !== undefined) return;
    out.since = performance.now();
    addEventListener("unload", noop);
  };

  hub.letIn = () => {
    out.since = undefined;
    removeEventListener("unload", noop);
  };

  /** Removes all listeners from the document. Don't call it during a reading. */
  hub.leaveNative = () => {
    hub.letIn();
    removeEventListener("pagehide", onHide);
    removeEventListener("pageshow", onShow, true);
  };

  async function getTools(context, pause) {
    hub.keepOut();
    const wait = out.since + SURE_MS - performance.now();
    if (wait > 0) await pause(wait);
    if (out.hidden) return undefined;
    return context.getTools();
  }

  /**
   * Returns {context, late}, or undefined where WebMCP is off and on insecure pages. context is Chrome's ModelContext of this
   * document. late: the page may have had it for a while, as there is a head or a body, which there isn't at document_start.
   */
  hub.nativeContext = () => {
    const context = document.modelContext;
    if (typeof context?.getTools !== "function") return undefined;
    return { context, late: Boolean(document.head || document.body) };
  };

  /**
   * Resolves with the document's native tools as {own, names}: own are this very frame's, names also those of same-origin frames.
   * pause(ms) resolves after that time. Both are empty where native WebMCP is off or forbidden (permissions policy). Resolves with
   * undefined while the document is in the back/forward cache.
   */
  hub.listNative = async (context, pause) => {
    let all;
    try {
      all = await getTools(context, pause);
    } catch (e) {
      if (e.name === "NotAllowedError" || e.name === "SecurityError") return { own: [], names: new Set() };
      throw e;
    }
    if (!all) return undefined;
    const own = all.filter((t) => t.window === window).map(({ name, title, description, inputSchema, annotations }) => ({
      name, description, inputSchema: inputSchema ?? { type: "object", properties: {} },
      ...(title ? { title } : undefined), ...(annotations ? { annotations } : undefined),
    }));
    return { own, names: new Set(all.map((t) => t.name)) };
  };

  /** The result of a native tool that makes its document go away: a form that is submitted. */
  hub.LEAVES = Symbol("leaves");

  /** Runs a native tool. Resolves with any JSON value, or text that isn't JSON, or LEAVES. */
  hub.callNative = async (context, tool, args, { signal }) => {
    const { name, description, title = "" } = tool;
    const text = await context.executeTool({ name, description, title, window, origin: self.origin }, args, { signal });
    if (text === null) return hub.LEAVES; // a tool that returns null gives "null"
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };

  const DATA_SCRIPTS = 500; // at most
  const DATA_CHARS = 1 << 20; // in total

  /**
   * Resolves with the document's data for agents (JSON-LD), once the document is parsed: what Chrome itself returns over CDP as
   * the result of a form that led here. Like Chrome, it takes scripts of exactly this type outside templates and shadow trees.
   */
  hub.pageData = async () => {
    if (document.readyState === "loading") {
      await new Promise((resolve) => addEventListener("DOMContentLoaded", resolve, { capture: true, once: true }));
    }
    const data = [];
    let chars = 0;
    for (const script of document.scripts) {
      if (script.type !== "application/ld+json" || !(script instanceof HTMLScriptElement)) continue;
      if (data.length === DATA_SCRIPTS) break;
      const { text } = script;
      if ((chars += text.length) > DATA_CHARS) break;
      try {
        data.push(JSON.parse(text));
      } catch {} // Chrome skips it, too
    }
    return data;
  };
})();
