// The tab transport of @mcp-b/global, as the client's side sees it: MCP messages in window.postMessage envelopes.
// A classic script of the isolated world (content scripts can't be modules); it adds to globalThis.webmcpHub.
//
// A server in the main frame speaks with its own window on the channel "mcp-default". One in a frame hears only its parent
// window, on "mcp-iframe", so there this script's twin in the parent does the posting; it finds it only when both have the
// same origin. main-world.js speaks the same on a channel of ours, for polyfills that have no server.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // an element may have that id

  /** The channel on which main-world.js answers. */
  hub.POLYFILL_CHANNEL = "webmcp-hub-polyfill";

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
  /** Has the worker run main-world.js in this document; promises whether it is there. */
  hub.enterPage = async () => {
    try {
      const answer = await chrome.runtime.sendMessage({ to: "worker", ask: "enter" });
      return Boolean(answer) && !answer.error;
    } catch {
      return false; // the extension is gone, or the worker is being replaced
    }
  };

  const twinOf = (w) => hub.ofWindow(w)?.twins;

  /**
   * Starts listening. onPayload(channel, payload) gets what a server says, channel being "mcp" or POLYFILL_CHANNEL.
   * Returns {send(channel, payload), listen(), stop()}; listen() may be called again after document.open().
   * What comes is the page's word: any script of the page can say it. Nothing is heard of a document that may have no tools.
   */
  hub.openTransport = (onPayload) => {
    const framed = parent !== window;
    let stopped = false;
    let viaSelf = true;
    let viaParent = framed;

    twins.receive = (payload) => {
      if (!hub.mayHaveTools()) return;
      viaParent = true;
      viaSelf = false;
      onPayload("mcp", payload);
    };

    const onMessage = (e) => {
      const d = e.data;
      if (!hub.mayHaveTools() || !e.isTrusted || !d || d.type !== "mcp" || d.direction !== "server-to-client" || !d.payload) return;
      if (e.origin !== self.origin) return;
      if (e.source === window) {
        if (d.channel === hub.POLYFILL_CHANNEL) return onPayload(d.channel, d.payload);
        if (d.channel !== "mcp-default") return;
        viaSelf = true;
        viaParent = false;
        onPayload("mcp", d.payload);
      } else if (d.channel === "mcp-iframe") {
        try {
          if (e.source.parent === window) twinOf(e.source)?.receive?.(d.payload);
        } catch {} // a worker's port, or a window that is gone
      }
    };

    const listen = () => addEventListener("message", onMessage);
    listen();

    // main-world.js is put into the page when a polyfill is first asked for; once for each document that the window has.
    let entered;
    const enter = () => {
      if (entered?.document !== document) {
        const mine = (entered = { document });
        mine.done = hub.enterPage().then((there) => {
          if (!there && entered === mine) entered = undefined; // it is tried again at the next question
          return there;
        });
      }
      return entered.done;
    };
    return {
      listen,
      send(channel, payload) {
        if (!hub.mayHaveTools()) return;
        const message = { channel: channel === "mcp" ? "mcp-default" : channel, type: "mcp", direction: "client-to-server", payload };
        const asking = payload === "mcp-check-ready"; // before anything is known, both ways
        if (channel !== "mcp" && asking) return void enter().then((there) => there && !stopped && window.postMessage(message, target()));
        if (channel !== "mcp") return window.postMessage(message, target());
        if (viaSelf || asking) window.postMessage(message, target());
        if (framed && (viaParent || asking)) twinOf(parent)?.post(window, { ...message, channel: "mcp-iframe" });
      },
      stop() {
        stopped = true;
        if (entered) dispatchEvent(new Event("webmcp-hub-polyfill-leave"));
        removeEventListener("message", onMessage);
        twins.receive = undefined;
      },
    };
  };
})();
