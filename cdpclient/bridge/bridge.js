// WebMCP Hub's bridge passes messages between a page's MCP server (window.postMessage) and the hub (a CDP binding). It
// runs in the isolated world "webmcp_hub" of every frame, and is invisible to the page. Of MCP, it knows only which
// answer belongs to which request. bridge.go describes the envelope that the hub gets. extension/shared provides
// webmcpHub.mayHaveTools.
(() => {
  "use strict";
  const LIMIT = 16 << 20; // UTF-16 units of one payload's JSON text
  const own = (w, name) => (Object.hasOwn(w, name) ? w[name] : undefined); // not an element with that id
  if (!own(globalThis, "__mcpBridge")) {
    const framed = parent !== window;
    // Servers in a frame normally talk to the parent window ("mcp-iframe"), but may talk to their own ("mcp-default").
    let viaSelf = true, viaParent = framed;
    const awaited = new Map(); // request id -> function that takes the answer

    // Reads the origin each time: a window can outlive its initial empty document. As a target, "null" fits no window.
    const target = () => (self.origin === "null" ? "*" : self.origin);

    // Returns the bridge, in this world, of a same-origin window, else undefined. It ignores windows of opaque origins.
    const bridgeOf = (w) => {
      try {
        return self.origin !== "null" && w.origin === self.origin ? own(w, "__mcpBridge") : undefined;
      } catch {
        return undefined; // cross-origin
      }
    };

    const toHub = (text) => {
      try {
        __mcpBridgeToClient(text);
      } catch {} // the hub has gone
    };

    const ferry = (payload, fromParent) => {
      if (!webmcpHub.mayHaveTools()) return;
      viaParent = fromParent;
      viaSelf = !fromParent;
      let text;
      try {
        text = JSON.stringify(payload);
      } catch {} // circular, or a BigInt: not a message
      if (text === undefined) return;
      if (payload === "mcp-server-stopped") awaited.forEach((answered) => answered());
      const { id, method } = payload;
      const say = (method === undefined && awaited.get(id)) || toHub;
      if (text.length <= LIMIT) return say('{"t":"mcp","p":' + text + "}");
      const cheap = Number.isSafeInteger(id) || (typeof id === "string" && id.length <= 100);
      say(JSON.stringify({ t: "oversize", n: text.length, id: cheap ? id : undefined }));
    };

    const onMessage = (e) => {
      const d = e.data;
      if (!e.isTrusted || !d || d.type !== "mcp" || d.direction !== "server-to-client") return;
      if (e.origin !== self.origin || !d.payload) return;
      if (e.source === window) {
        if (d.channel === "mcp-default") ferry(d.payload, false);
      } else if (d.channel === "mcp-iframe") {
        try {
          if (e.source.parent === window) bridgeOf(e.source)?.ferry(d.payload, true);
        } catch {} // a worker's port, or a window that is gone
      }
    };

    const send = (payload, toSelf, toParent) => {
      if (!webmcpHub.mayHaveTools()) return;
      const message = { channel: "mcp-default", type: "mcp", direction: "client-to-server", payload };
      if (toSelf) window.postMessage(message, target());
      // A server in a frame accepts messages only from its parent window, so the parent's bridge has to post them.
      if (toParent) bridgeOf(parent)?.post(window, { ...message, channel: "mcp-iframe" });
    };

    const onPageShow = (e) => {
      if (e.persisted) bridge.checkReady(); // back from the back/forward cache: the server won't announce itself
    };

    const bridge = Object.freeze({
      toServer: (json) => {
        const m = JSON.parse(json);
        send(m, viaSelf, viaParent);
        if (m.method === "notifications/cancelled") awaited.get(m.params.requestId)?.();
      },
      // Sends a request and resolves to the answer, which then isn't a message of its own to the hub. It resolves to
      // undefined if the hub cancels the request or the server stops.
      request: (json) => {
        const m = JSON.parse(json);
        send(m, viaSelf, viaParent);
        return new Promise((done) => awaited.set(m.id, (text) => {
          awaited.delete(m.id);
          done(text);
        }));
      },
      isAvailable: () => typeof own(globalThis, "__mcpBridgeToClient") === "function",
      checkReady: () => {
        bridge.listen();
        send("mcp-check-ready", true, framed);
      },
      // Adding a listener twice is a no-op. document.open() and a reused window remove listeners; this adds them again.
      listen: () => {
        addEventListener("message", onMessage);
        addEventListener("pageshow", onPageShow);
      },
      ferry, // called by the parent's bridge
      post: (w, message) => w.postMessage(message, target()), // called by a child's bridge
    });
    Object.defineProperty(globalThis, "__mcpBridge", { value: bridge });
  }
  __mcpBridge.checkReady();
})();
