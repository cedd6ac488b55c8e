// Runs a frame's content scripts where the rules permit it: the toolset, and the line that reports its tools.
// Classic script; adds to globalThis.webmcpHub.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // not <p id="webmcpHub">

  const object = (v) => (typeof v === "object" && v !== null ? v : undefined);

  /**
   * Wraps polyfill, so that it has tools only where a document may have tools. Its first look in each document of the window has
   * the worker inject polyfill-page.js, which reads the tools, into the page.
   */
  const permitted = (polyfill) => {
    let enteredIn; // the document
    return {
      ...polyfill,
      start: (changed) => polyfill.start(changed, `webmcp-hub-${chrome.runtime?.id}`),
      tools: () => (hub.mayHaveTools() ? polyfill.tools() : []).map((t) => ({
        ...t, title: t?.title || undefined, inputSchema: object(t?.inputSchema) ?? { type: "object", properties: {} }, annotations: object(t?.annotations),
      })),
      has: (name) => hub.mayHaveTools() && polyfill.has(name),
      async again() {
        if (!hub.mayHaveTools()) return;
        if (enteredIn === document) return polyfill.again();
        const mine = (enteredIn = document);
        let answer;
        try {
          answer = await chrome.runtime.sendMessage({ to: "worker", ask: "enter" });
        } catch {} // the extension is gone, or the worker is being replaced
        if ((!answer || answer.error) && enteredIn === mine) enteredIn = undefined; // the next look tries again
      },
    };
  };

  /** Starts; calls onOrphaned() when the extension is gone for good. Returns {look, stop, setIntrospecting, introspecting}. */
  hub.work = ({ onOrphaned }) => {
    const { after, polyfill, formTools, formWatch, introspect } = hub.makeParts();
    // Scripts can't tell which frames of other origins allow="tools" permits. Where Chrome has WebMCP, it reads the forms itself.
    const near = [...location.ancestorOrigins].every((origin) => origin === self.origin) && (parent === window || self.origin !== "null");
    const readsForms = near && isSecureContext && !("modelContext" in Document.prototype);
    hub.sources = {
      native: hub.nativeContext, listNative: hub.listNative, callNative: hub.callNative, keepOut: hub.keepOut, letIn: hub.letIn, leave: hub.leaveNative,
      transport: hub.openTransport, polyfill: permitted(polyfill), forms: readsForms ? { ...formTools, ...formWatch } : undefined, made: near ? introspect : undefined,
    };
    const pause = (ms) => new Promise((done) => after(ms, done));
    const toolset = new hub.Toolset({ report: (tools, browser) => line.report(tools, browser), pause });
    const line = new hub.Line({ toolset, onOrphaned, onIntrospect: setIntrospecting });

    // The extension tells only the main frame, which tells the frames of its origin: they have no line until they have tools.
    let introspecting = false;
    function setIntrospecting(on) {
      introspecting = on;
      toolset.introspect(on);
      for (let i = 0; i < frames.length; i++) hub.ofWindow(frames[i])?.running?.setIntrospecting(on);
    }

    const look = () => toolset.look();
    const onPageShow = (e) => {
      if (!e.persisted) return;
      line.reconnect();
      toolset.look();
      toolset.changed();
    };
    const onActivated = () => line.reconnect();

    document.addEventListener("DOMContentLoaded", look);
    addEventListener("load", look);
    addEventListener("pageshow", onPageShow);
    document.addEventListener("prerenderingchange", onActivated);
    toolset.start();
    line.start();
    if (parent !== window && hub.ofWindow(parent)?.running?.introspecting()) setIntrospecting(true);

    return {
      look, setIntrospecting, introspecting: () => introspecting,
      /** Ends everything. Calls that still run fail with the reason why. */
      stop(why) {
        document.removeEventListener("DOMContentLoaded", look);
        removeEventListener("load", look);
        removeEventListener("pageshow", onPageShow);
        document.removeEventListener("prerenderingchange", onActivated);
        line.stop(why);
        formTools.deafen();
        toolset.stop(new Error(why));
      },
    };
  };
})();
