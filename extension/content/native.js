// Chrome's own document.modelContext, from the isolated world: it shows the same tools there as to the page, and a page can't
// tamper with it there. Classic script; adds to globalThis.webmcpHub.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // an element may have that id

  const noop = () => {};
  const SURE_MS = 50; // until Chrome has surely heard of the listener, and a page that is put away of that

  /**
   * Chromium 156 dies, the whole browser, when a document enters the back/forward cache with a getTools() pending. A document
   * that listens to "unload" never enters it. So a document is kept out from a while before its tools are read, and as long as
   * it has some. (Measured with a listener that was there during the reading only: that dies too, now and then.)
   */
  const out = { since: undefined, hidden: false };

  const onHide = () => (out.hidden = true);
  const onShow = () => (out.hidden = false);

  hub.keepOut = () => {
    addEventListener("pagehide", onHide); // again is no other
    addEventListener("pageshow", onShow);
    if (out.since !== undefined) return;
    out.since = performance.now();
    addEventListener("unload", noop);
  };

  hub.letIn = () => {
    out.since = undefined;
    removeEventListener("unload", noop);
  };

  /** Leaves the document as if nobody had read its tools. Not while they are read. */
  hub.leaveNative = () => {
    hub.letIn();
    removeEventListener("pagehide", onHide);
    removeEventListener("pageshow", onShow);
  };

  async function getTools(context, pause) {
    hub.keepOut();
    const wait = out.since + SURE_MS - performance.now();
    if (wait > 0) await pause(wait);
    if (out.hidden) return []; // it is read again when it is back
    return context.getTools();
  }

  /**
   * {context, late}: Chrome's ModelContext of this document, or undefined; it is missing where WebMCP is off and on insecure
   * pages. late is whether the page may have had it for a while: scripts at document_start run before there is a head or a body.
   */
  hub.nativeContext = () => {
    const context = document.modelContext;
    if (typeof context?.getTools !== "function") return undefined;
    return { context, late: Boolean(document.head || document.body) };
  };

  /**
   * The document's native tools as {own, names}: own are the tools of this very frame, names also those of same-origin
   * frames. pause(ms) promises that a moment has passed. {own: [], names: empty} where native WebMCP is off or forbidden (permissions policy).
   */
  hub.listNative = async (context, pause) => {
    let all;
    try {
      all = await getTools(context, pause);
    } catch (e) {
      if (e.name === "NotAllowedError" || e.name === "SecurityError") return { own: [], names: new Set() };
      throw e;
    }
    const own = all.filter((t) => t.window === window).map(({ name, title, description, inputSchema, annotations }) => ({
      name, description, inputSchema: inputSchema ?? { type: "object", properties: {} },
      ...(title ? { title } : undefined), ...(annotations ? { annotations } : undefined),
    }));
    return { own, names: new Set(all.map((t) => t.name)) };
  };

  /** What a native tool gives that makes its document go away: a form that is submitted. */
  hub.LEAVES = Symbol("leaves");

  /** Runs a native tool. The result is any JSON value, or the text that wasn't JSON, or LEAVES. */
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

  const DATA_SCRIPTS = 500; // that are read
  const DATA_CHARS = 1 << 20; // of them all

  /**
   * The document's data for agents (JSON-LD), once it is all there: what Chrome itself gives over the debugging port as the result of
   * a form that led here. The same scripts as there: of exactly this type, outside templates and shadow trees; those that aren't JSON don't count.
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
      } catch {} // Chrome passes over it too
    }
    return data;
  };
})();
