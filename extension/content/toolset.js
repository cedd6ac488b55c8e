// The tools of one frame, from all sources: Chrome's own WebMCP, the page's MCP server, a polyfill, and forms that declare tools.
// If the frame has none, and the hub wants it, the extension makes tools from what the frame shows.
// Classic script; adds to globalThis.webmcpHub.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // not <p id="webmcpHub">

  // Pauses between two readings of a list that changes all the time: short for the first MANY readings, then long.
  const PAUSE_MS = 30;
  const MANY = 10;
  const LONG_PAUSE_MS = 500;
  const LIMIT = 2000; // tools in a frame
  const CAPABILITIES = ["multiTabSupport", "cacheSupported", "elicitation"]; // MCP-B's, under capabilities.browser
  const LIMIT_CHARS = 8 << 20; // of a frame's tools, JSON
  // When to ask the page for a polyfill or a server, in ms after the start. The poll finds those that come later; servers also
  // announce themselves.
  const LOOKS = [30, 100, 500, 2000, 5000, 10_000];
  const POLL_MS = 60_000; // for servers that don't notify
  const KEPT_OUT_MS = 3000; // after the start: how long a document without native tools is kept out of the back/forward cache

  /**
   * Toolset reads a frame's tools and calls them. Whenever the tools have changed, it calls report(tools, browser) with all of
   * them, and with what the page's servers declare under capabilities.browser.
   * sources: {native(): {context, late} or undefined, listNative, callNative, keepOut, letIn, leave, transport(onPayload), polyfill,
   * forms, made}; the tests bring their own. late says that there may be tools already, which Chrome won't announce.
   * polyfill, forms and made are optional parts of shared/: polyfill, formWatch with formTools, and introspect.
   */
  hub.Toolset = class {
    #report;
    #pause; // (ms): resolves after that time, also in a tab behind another one
    #sources;
    #transport;
    #server; // the McpClient
    #native; // the ModelContext it listens to
    #nativeTools = { own: [], names: new Set() };
    #nativeDirty = false; // Chrome's list has changed since it was read
    #routes = new Map(); // tool name -> {server: true} | {native: tool} | {part: polyfill, forms or made}
    #introspecting = false;
    #reading = false;
    #dirty = false;
    #last = "[]{}";
    #timers = new Set();
    #stopped = false;

    constructor({ report, pause, sources = hub.sources }) {
      this.#report = report;
      this.#pause = pause;
      this.#sources = sources;
    }

    start() {
      this.#transport = this.#sources.transport((payload) => this.#server.deliver(payload));
      this.#server = new hub.McpClient({ send: this.#transport.send, onChange: this.changed });
      this.#sources.polyfill?.start(this.changed);
      this.look(); // before the page can register anything
      this.#sources.forms?.start(this.changed);
      for (const ms of LOOKS) this.#later(ms, this.look);
      this.#later(KEPT_OUT_MS, () => this.#native && !this.#nativeDirty && !this.#nativeTools.own.length && this.#sources.letIn());
      const poll = () => (this.changed(), this.look(), this.#later(POLL_MS, poll));
      this.#later(POLL_MS, poll);
    }

    #later(ms, f) {
      const timer = setTimeout(() => (this.#timers.delete(timer), f()), ms);
      this.#timers.add(timer);
    }

    /** Looks for the sources that the frame has by now. Also called when it has loaded, and when it is back from the cache. */
    look = () => {
      if (this.#stopped) return;
      this.#transport.listen();
      this.#sources.forms?.again();
      if (this.#introspecting) this.#sources.made.start(this.changed);
      const { context, late } = this.#sources.native() ?? {};
      if (context && context !== this.#native) {
        this.#native = context;
        this.#sources.keepOut(); // to report the first tools at once
        context.addEventListener("toolchange", this.#nativeChanged);
        if (late) this.#nativeChanged();
      }
      if (!this.#server.ready) this.#server.check();
      if (!context) this.#sources.polyfill?.again();
    };

    /** Sets whether to make tools from what the frame shows, if it has none of its own. */
    introspect(on) {
      if (on === this.#introspecting || !this.#sources.made || this.#stopped) return;
      this.#introspecting = on;
      if (on) return this.#sources.made.start(this.changed);
      this.#sources.made.stop();
      this.changed();
    }

    #nativeChanged = () => {
      this.#nativeDirty = true;
      this.changed();
    };

    /** Reads the list, which may have changed: now, or once more after the current reading. */
    changed = () => {
      this.#dirty = true;
      if (!this.#reading && !this.#stopped) this.#read();
    };

    async #read() {
      this.#reading = true;
      for (let readings = 1; this.#dirty && !this.#stopped; readings++) {
        this.#dirty = false;
        await Promise.resolve(); // to get all that the page registers in this task
        try {
          await this.#readOnce();
        } catch (e) {
          console.debug("WebMCP Hub: reading the page's tools:", e);
        }
        await this.#pause(readings < MANY ? PAUSE_MS : LONG_PAUSE_MS);
      }
      this.#reading = false;
      if (this.#stopped) this.#sources.leave();
    }

    async #readOnce() {
      if (this.#nativeDirty) await this.#readNative();
      const native = this.#nativeTools;
      const { polyfill, forms, made } = this.#sources;
      const routes = new Map();
      const tools = [];
      const add = (list, route, runtime) => {
        for (const tool of list) {
          if (typeof tool?.name !== "string" || routes.has(tool.name) || tools.length >= LIMIT) continue;
          routes.set(tool.name, route(tool));
          tools.push({ ...tool, runtime }); // our own, not the page's
        }
      };
      add(native.own, (tool) => ({ native: tool }));
      // A page's server mirrors its tools, those of all frames, to native WebMCP, which is the better way to call them.
      const listed = await this.#server.list().catch((e) => (console.debug("WebMCP Hub:", e), []));
      add(listed.filter((t) => !native.names.has(t?.name)), () => ({ server: true }));
      if (polyfill) add(polyfill.tools(), () => ({ part: polyfill }));
      if (forms) add(forms.tools(), () => ({ part: forms }), "form");
      if (!tools.length && this.#introspecting) add(made.tools(), () => ({ part: made }), "dom");
      if (this.#stopped) return;
      this.#routes = routes;
      const { ready, browser: declared } = this.#server;
      const browser = Object.fromEntries(CAPABILITIES.filter((c) => ready && declared?.[c] === true).map((c) => [c, true]));
      const text = JSON.stringify(tools);
      if (text + JSON.stringify(browser) === this.#last) return;
      if (text.length > LIMIT_CHARS) return console.debug("WebMCP Hub: the page's tools are too large to be told:", text.length);
      this.#last = text + JSON.stringify(browser);
      this.#report(JSON.parse(text), browser); // plain JSON, whatever the page made it of
    }

    async #readNative() {
      this.#nativeDirty = false;
      let tools;
      try {
        tools = await this.#sources.listNative(this.#native, this.#pause);
      } catch (e) {
        console.debug("WebMCP Hub: reading Chrome's list of tools:", e);
        if (!this.#nativeTools.own.length) this.#sources.letIn();
      }
      // The next reading tries again. When the document is back from the cache, work.js asks for one.
      if (!tools) return void (this.#nativeDirty = true);
      this.#nativeTools = tools;
      if (!this.#nativeTools.own.length && !this.#nativeDirty) this.#sources.letIn();
    }

    /** Calls a tool that was reported; resolves with a JSON value. */
    async call(name, args, { signal, progress }) {
      const route = this.#routes.get(name);
      if (!route || route.part?.has(name) === false) throw new Error(`the page has no tool ${name}`);
      if (route.part) return route.part.call(name, args, signal);
      if (route.native) return this.#sources.callNative(this.#native, route.native, args, { signal });
      return this.#server.call(name, args, { signal, progress });
    }

    /** Ends everything, and leaves the frame's page as it was. */
    stop(reason) {
      this.#stopped = true;
      for (const timer of this.#timers) clearTimeout(timer);
      this.#native?.removeEventListener("toolchange", this.#nativeChanged);
      if (this.#native && !this.#reading) this.#sources.leave();
      this.#transport?.stop();
      this.#sources.polyfill?.stop();
      this.#sources.forms?.stop();
      if (this.#introspecting) this.#sources.made.stop();
      this.#server?.close(reason);
    }
  };
})();
