// The one script that runs among the page's own, put there when the content scripts first ask for a polyfill's tools
// (transport.js): a small MCP server over the tools of a polyfill (@mcp-b/webmcp-polyfill and the like), whose
// document.modelContext exists in the page's world only. It speaks as @mcp-b/global's servers do, on a channel of ours, so that
// the same client serves both. It is silent until it is asked, and where Chrome's own WebMCP or a real server (@mcp-b/global)
// is, it has nothing to say. Whatever it says is the page's word, as all of a page is.
(() => {
  "use strict";
  const CHANNEL = "webmcp-hub-polyfill"; // POLYFILL_CHANNEL of transport.js
  const LEAVE = "webmcp-hub-polyfill-leave";
  const isObject = (v) => typeof v === "object" && v !== null;

  const calls = new Map(); // request id -> AbortController
  let watched; // the modelContext whose changes are told
  let testing, byTesting; // navigator.modelContextTesting, and a context made of it
  const LOOK_MS = 1000; // between two looks at a list whose changes nothing tells

  const post = (payload) =>
    window.postMessage({ channel: CHANNEL, type: "mcp", direction: "server-to-client", payload },
      self.origin === "null" ? "*" : self.origin);

  /**
   * What lists and calls the tools of @mcp-b/webmcp-polyfill before 4, whose navigator.modelContext can't do both. It tells one
   * listener of changes in 0.3, and the page may be it: so none is taken, and the list is looked at from time to time.
   */
  function early() {
    const now = navigator.modelContextTesting;
    if (navigator.modelContext?.__isWebMCPPolyfill !== true || typeof now?.listTools !== "function" || typeof now.executeTool !== "function") return;
    if (now === testing) return byTesting;
    testing = now;
    return (byTesting = {
      silent: true,
      getTools: async () => now.listTools(),
      executeTool: ({ name }, args, options) => now.executeTool(name, args, options),
    });
  }

  /** The polyfill's context, or undefined where there is none that this script should speak for. */
  function polyfill() {
    const context = document.modelContext ?? early() ?? navigator.modelContext;
    if (!isObject(context) || typeof context.getTools !== "function" || typeof context.executeTool !== "function") return;
    if (context.__isBrowserMcpServer) return; // has a server of its own
    if (typeof ModelContext === "function" && /\[native code\]/.test(Function.prototype.toString.call(ModelContext))) return;
    return context;
  }

  const changed = () => watched && post({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });

  function watch(context) {
    if (watched === context) return;
    watched?.removeEventListener?.("toolchange", changed);
    watched = context;
    if (context.silent) lookAt(context);
    else context.addEventListener?.("toolchange", changed);
  }

  function lookAt(context) {
    const print = async () => JSON.stringify(await context.getTools());
    let last = print();
    const timer = setInterval(async () => {
      const before = last;
      last = print();
      const [was, now] = await Promise.all([before, last].map((list) => list.catch(String)));
      if (watched !== context) clearInterval(timer);
      else if (was !== now) changed();
    }, LOOK_MS);
  }

  async function listTools(context) {
    const tools = await context.getTools();
    return tools.filter((t) => t.window === undefined || t.window === window).map((t) => {
      const schema = typeof t.inputSchema === "string" && t.inputSchema ? JSON.parse(t.inputSchema) : t.inputSchema;
      return {
        name: t.name, title: t.title || undefined, description: t.description,
        inputSchema: isObject(schema) ? schema : { type: "object", properties: {} },
        annotations: isObject(t.annotations) ? t.annotations : undefined,
      };
    });
  }

  async function callTool(context, { name, arguments: args }, signal) {
    const tool = (await context.getTools()).find((t) => t.name === name);
    if (!tool) throw new Error(`no tool ${name} on this page`);
    const text = await context.executeTool(tool, JSON.stringify(args ?? {}), { signal }); // the polyfills' way: JSON in, JSON out
    let value = text;
    try {
      value = JSON.parse(text);
    } catch {}
    return { value: value ?? null };
  }

  async function answer({ id, method, params }) {
    const context = polyfill();
    if (!context) throw new Error("the page's modelContext is gone");
    watch(context);
    if (method === "initialize") {
      return { protocolVersion: params?.protocolVersion, capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "webmcp-polyfill", version: "1" } };
    }
    if (method === "tools/list") return { tools: await listTools(context) };
    if (method !== "tools/call") throw new Error("Method not found");
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      return await callTool(context, params, controller.signal);
    } finally {
      calls.delete(id);
    }
  }

  const onMessage = (e) => {
    const d = e.data;
    if (!isObject(d) || d.channel !== CHANNEL || d.type !== "mcp" || d.direction !== "client-to-server") return;
    if (e.source !== window || e.origin !== self.origin) return;
    const m = d.payload;
    if (m === "mcp-check-ready") {
      const context = polyfill();
      if (context) {
        watch(context);
        post("mcp-server-ready");
      }
    } else if (isObject(m) && m.method === "notifications/cancelled") {
      calls.get(m.params?.requestId)?.abort();
    } else if (isObject(m) && m.id !== undefined && typeof m.method === "string") {
      answer(m).then(
        (result) => post({ jsonrpc: "2.0", id: m.id, result }),
        (error) => post({ jsonrpc: "2.0", id: m.id, error: { code: -32603, message: String(error?.message ?? error) } }));
    }
  };

  // The content scripts ask for that when they have no more business in this document, and a younger one of this script does.
  const onLeave = () => {
    removeEventListener("message", onMessage);
    removeEventListener(LEAVE, onLeave);
    watched?.removeEventListener?.("toolchange", changed);
    watched = undefined;
    for (const controller of calls.values()) controller.abort();
  };
  dispatchEvent(new Event(LEAVE));
  addEventListener("message", onMessage);
  addEventListener(LEAVE, onLeave);
})();
