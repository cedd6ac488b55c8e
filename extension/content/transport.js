// The client's side of @mcp-b/global's tab transport: MCP messages in window.postMessage envelopes.
// A classic script of the isolated world (content scripts can't be modules); it adds to globalThis.webmcpHub.
//
// A server in the main frame exchanges messages with its own window, on the channel "mcp-default". A server in a frame accepts
// messages only from its parent window, on "mcp-iframe". So this script's twin, the same script in the parent, posts for it; this
// script finds its twin only if both windows have the same origin.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // not <p id="webmcpHub">

  const own = (w, name) => (Object.hasOwn(w, name) ? w[name] : undefined); // not an element with that id
  // Computed each time: a window can outlive its initial empty document. "null" is no valid target origin.
  const target = () => (self.origin === "null" ? "*" : self.origin);

  // The functions that twins in other windows of this world call. Each run of the script makes them anew.
  const twins = { receive: undefined, post: (w, message) => w.postMessage(message, target()) };
  hub.twins = twins;

  /** Returns another window's webmcpHub, of the same world, or undefined if that window has another origin. */
  hub.ofWindow = (w) => {
    try {
      return self.origin !== "null" && w.origin === self.origin ? own(w, "webmcpHub") : undefined;
    } catch {
      return undefined; // cross-origin
    }
  };

  const twinOf = (w) => hub.ofWindow(w)?.twins;

  /**
   * Starts listening; calls onPayload(payload) with each message of a server.
   * Returns {send(payload), listen(), stop()}; listen() may be called again after document.open().
   * Any script of the page can forge these messages. In a document that may have no tools, the transport ignores and sends none.
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
        const asking = payload === "mcp-check-ready"; // the server is unknown: both ways
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
