// An MCP client of a page's own server, with only what the hub needs: it finds the server, lists its tools, calls one, cancels a
// call, and receives progress and changes. Classic script; adds to globalThis.webmcpHub.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // not <p id="webmcpHub">

  const PROTOCOL = "2025-06-18";
  const ANSWER_MS = 10_000; // a server that doesn't answer initialize or tools/list in this time counts as absent
  const MAX_PAGES = 100; // of a paginated list

  /**
   * McpClient talks to one server with send(payload), and calls onChange() whenever the server's list may have changed. Its owner
   * passes it every payload of the server (deliver); nobody else calls its methods. Only a call can wait for ever; it ends with
   * its signal or with close().
   */
  hub.McpClient = class {
    #send;
    #onChange;
    #pending = new Map(); // id -> {resolve, reject, progress}
    #ready = false;
    #initialized; // a promise, once begun

    browser; // what the server declares under capabilities.browser, once initialized

    constructor({ send, onChange }) {
      this.#send = send;
      this.#onChange = onChange;
    }

    /** Returns whether a server has announced itself. */
    get ready() {
      return this.#ready;
    }

    /** Asks whether a server is there. A server answers with a payload. */
    check() {
      this.#send("mcp-check-ready");
    }

    deliver(payload) {
      if (payload === "mcp-server-ready") {
        this.#ready = true;
        this.#onChange();
      } else if (payload === "mcp-server-stopped") {
        this.close(new Error("the page's MCP server stopped"));
        this.#onChange();
      } else if (payload && typeof payload === "object" && !Array.isArray(payload)) {
        this.#message(payload);
      }
    }

    #message({ id, method, params, result, error }) {
      if (typeof method === "string") return this.#said(id, method, params);
      const waiting = this.#pending.get(id);
      if (!waiting) return; // answered, cancelled, or never ours
      this.#pending.delete(id);
      if (error) waiting.reject(new Error(typeof error.message === "string" ? error.message : JSON.stringify(error)));
      else waiting.resolve(result);
    }

    #said(id, method, params) {
      if (id !== undefined) {
        // The server sent a request. Answers only a ping; this client offered the server nothing else.
        const reply = method === "ping" ? { result: {} } : { error: { code: -32601, message: "Method not found" } };
        return this.#send({ jsonrpc: "2.0", id, ...reply });
      }
      if (method === "notifications/tools/list_changed") this.#onChange();
      else if (method === "notifications/progress") this.#pending.get(params?.progressToken)?.progress?.(params);
    }

    /** Resolves with the server's tools, or [] if there is no server. */
    async list() {
      if (!this.#ready) return [];
      await (this.#initialized ??= this.#initialize());
      const tools = [];
      let cursor;
      for (let page = 0; page < MAX_PAGES; page++) {
        const result = await this.#request("tools/list", cursor === undefined ? {} : { cursor }, { timeout: ANSWER_MS });
        if (!Array.isArray(result?.tools)) throw new Error("the page's MCP server answered tools/list without tools");
        tools.push(...result.tools);
        cursor = result.nextCursor;
        if (typeof cursor !== "string") break;
      }
      return tools;
    }

    async #initialize() {
      try {
        const server = await this.#request("initialize", {
          protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: "webmcp-hub-extension", version: "0.1.0" },
        }, { timeout: ANSWER_MS });
        this.browser = server?.capabilities?.browser;
        this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
      } catch (e) {
        this.#initialized = undefined; // the next list tries again
        throw e;
      }
    }

    /** Calls a tool; resolves with the CallToolResult as the server gave it. */
    call(name, args, { signal, progress } = {}) {
      return this.#request("tools/call", { name, arguments: args }, { signal, progress });
    }

    #request(method, params, { timeout, signal, progress } = {}) {
      // A page's own scripts read these ids, but can't guess one before it is used.
      const id = crypto.getRandomValues(new Uint32Array(1))[0] * 2 ** 20 + (crypto.getRandomValues(new Uint32Array(1))[0] >>> 12);
      if (progress) params = { ...params, _meta: { progressToken: id } };
      return new Promise((resolve, reject) => {
        const timer = timeout && setTimeout(() => fail(new Error(`the page's MCP server did not answer ${method} in ${timeout / 1000} s`)), timeout);
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          this.#pending.delete(id);
        };
        const fail = (e) => (end(), reject(e));
        const onAbort = () => {
          fail(signal.reason);
          this.#send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason: "cancelled" } });
        };
        this.#pending.set(id, { resolve: (v) => (end(), resolve(v)), reject: fail, progress });
        if (signal?.aborted) return fail(signal.reason);
        signal?.addEventListener("abort", onAbort);
        this.#send({ jsonrpc: "2.0", id, method, params });
      });
    }

    /** Rejects all pending requests with reason. A later "mcp-server-ready" begins anew. */
    close(reason) {
      this.#ready = false;
      this.#initialized = this.browser = undefined;
      for (const waiting of [...this.#pending.values()]) waiting.reject(reason);
    }
  };
})();
