// Chrome's own document.modelContext, from the isolated world: it shows the same tools there as to the page, and a page can't
// tamper with it there. Classic script; adds to globalThis.webmcpHub.
(() => {
  "use strict";
  const hub = (globalThis.webmcpHub ??= {});

  const noop = () => {};

  /**
   * getTools, so that Chrome survives it. Chromium 156 dies, the whole browser, when a document enters the back/forward cache
   * with a getTools() pending; a document that listens to "unload" never enters it. The listener is there just that long.
   */
  async function getTools(context) {
    addEventListener("unload", noop);
    try {
      return await context.getTools();
    } finally {
      removeEventListener("unload", noop);
    }
  }

  /** Chrome's ModelContext of this document, or undefined: it is missing where WebMCP is off and on insecure pages. */
  hub.nativeContext = () => (typeof document.modelContext?.getTools === "function" ? document.modelContext : undefined);

  /**
   * The document's native tools as {own, names}: own are the tools of this very frame, names also those of same-origin
   * frames. {own: [], names: empty} where native WebMCP is off or forbidden (permissions policy).
   */
  hub.listNative = async (context) => {
    let all;
    try {
      all = await getTools(context);
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

  /** Runs a native tool. The result is any JSON value, or the text that wasn't JSON. */
  hub.callNative = async (context, tool, args, { signal }) => {
    const { name, description, title = "" } = tool;
    const text = await context.executeTool({ name, description, title, window, origin: self.origin }, args, { signal });
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
})();
