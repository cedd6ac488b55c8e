// The tab transport of @mcp-b/global, as the client's side sees it: MCP messages in window.postMessage envelopes.
// A classic script of the isolated world (content scripts can't be modules); it adds to globalThis.webmcpHub.
//
// A server in the main frame speaks with its own window on the channel "mcp-default". One in a frame hears only its parent
// window, on "mcp-iframe", so there this script's twin in the parent does the posting; it finds it only when both have the
// same origin.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // an element may have that id

  const own = (w, name) => (Object.hasOwn(w, name) ? w[name] : undefined); // not an element with that id
  // Asked each time: a window can outlive its initial empty document. "null" names no one.
  const target = () => (self.origin === "null" ? "*" : self.origin);

  // What the twins in other windows of this world call; made anew by each run of the script.
  const twins = { receive: undefined, post: (w, message) => w.postMessage(message, target()) };
  hub.twins = twins;

  /** What this world's scripts have put together in another window, or undefined where it has not this one's origin. */
  hub.ofWindow = (w) => {
    try {
      return self.origin !== "null" && w.origin === self.origin ? own(w, "webmcpHub") : undefined;
    } catch {
      return undefined; // cross-origin
    }
  };

  const twinOf = (w) => hub.ofWindow(w)?.twins;

  /**
   * Starts listening. onPayload(payload) gets what a server says.
   * Returns {send(payload), listen(), stop()}; listen() may be called again after document.open().
   * What comes is the page's word: any script of the page can say it. Nothing is heard of a document that may have no tools.
   */
  hub.openTransport = (onPayload) => {
    const framed = parent !== window;
    let viaSelf = true;
    let viaParent = framed;

    twins.receive = (payload) => {
      if (!hub.mayHaveTools()) return;
      viaParent = true;
      viaSelf = false;
      onPayload(payload);
    };

    const onMessage = (e) => {
      const d = e.data;
      if (!hub.mayHaveTools() || !e.isTrusted || !d || d.type !== "mcp" || d.direction !== "server-to-client" || !d.payload) return;
      if (e.origin !== self.origin) return;
      if (e.source === window) {
        if (d.channel !== "mcp-default") return;
        viaSelf = true;
        viaParent = false;
        onPayload(d.payload);
      } else if (d.channel === "mcp-iframe") {
        try {
          if (e.source.parent === window) twinOf(e.source)?.receive?.(d.payload);
        } catch {} // a worker's port, or a window that is gone
      }
    };

    const listen = () => addEventListener("message", onMessage);
    listen();

    return {
      listen,
      send(payload) {
        if (!hub.mayHaveTools()) return;
        const message = { channel: "mcp-default", type: "mcp", direction: "client-to-server", payload };
        const asking = payload === "mcp-check-ready"; // before anything is known, both ways
        if (viaSelf || asking) window.postMessage(message, target());
        if (framed && (viaParent || asking)) twinOf(parent)?.post(window, { ...message, channel: "mcp-iframe" });
      },
      stop() {
        removeEventListener("message", onMessage);
        twins.receive = undefined;
      },
    };
  };
})();
