// WebMCP Hub's adapter, the half in the page's own world: it reads and calls the tools of a polyfill, which is an object
// there. It does nothing before the other half, in the hub's isolated world, asks it to, and nothing of it can be seen by the
// page but one event: "webmcp-hub-hello" on the window, which hands an event target to the other half. All that is said later is
// said by events on that. What it uses is taken before the page's scripts run.
(() => {
  "use strict";
  const { apply } = Reflect, { parse, stringify } = JSON;
  const { addEventListener: add, removeEventListener: remove, dispatchEvent: dispatch } = EventTarget.prototype;
  const { setInterval, clearInterval, CustomEvent, MouseEvent, AbortController, Map, String } = globalThis;
  const on = (target, type, f) => apply(add, target, [type, f, true]);
  const link = new EventTarget(); // of the window, which can outlive the document
  const up = (message) => apply(dispatch, link, [new CustomEvent("up", { detail: stringify(message) })]);
  const calls = new Map(); // id -> AbortController
  let context, tools = [], said = "[]", listing = false, again = false;

  // @mcp-b/webmcp-polyfill before 4 knows navigator.modelContext alone, which can't call; navigator.modelContextTesting can.
  // In 0.3 that tells one listener of changes, and the page may be it: the list is read at each look instead.
  let testing, byTesting;
  const early = () => {
    const now = navigator.modelContextTesting;
    if (navigator.modelContext?.__isWebMCPPolyfill !== true || typeof now?.listTools !== "function" || typeof now.executeTool !== "function") return;
    if (now === testing) return byTesting;
    testing = now;
    return (byTesting = {
      silent: true,
      getTools: () => now.listTools().map((t) => ({ ...t, inputSchema: t.inputSchema && parse(t.inputSchema) })),
      executeTool: ({ name }, args, options) => now.executeTool(name, String(args), options),
    });
  };

  // The polyfill's object. @mcp-b/global's has an MCP server, which the hub speaks with.
  const find = () => {
    try {
      const mc = document.modelContext;
      if (!mc) return early();
      if (typeof mc.getTools === "function" && typeof mc.executeTool === "function" && mc.__isBrowserMcpServer !== true) return mc;
    } catch {}
  };

  const own = ({ name, title, description, inputSchema, annotations }) => ({ name, title, description, inputSchema, annotations });

  const list = async () => {
    again = listing;
    if (listing) return;
    listing = true;
    try {
      tools = context ? (await context.getTools()).filter((t) => !t.window || t.window === window) : [];
      const now = stringify(tools.map(own));
      if (now !== said) {
        said = now;
        up({ tools: parse(now) });
      }
    } catch {} // not allowed here, or not a list
    listing = false;
    if (again) list();
  };

  const look = () => {
    const now = find();
    if (now === context) {
      if (now?.silent) list();
      return;
    }
    try {
      if (context) apply(remove, context, ["toolchange", list, true]);
    } catch {}
    context = now;
    try {
      if (context) on(context, "toolchange", list);
    } catch {} // no event target
    list();
  };

  // An agent's arguments as an object, and as JSON text where that is what the polyfill reads (@mcp-b/webmcp-polyfill does).
  const input = (json) => Object.defineProperty(parse(json), "toString", { value: () => json });

  const FAILED = "Tool was executed but the invocation failed. For example, the script function threw an error: ";
  const message = (e) => {
    const text = String(e?.message ?? e);
    return text.startsWith(FAILED) ? text.slice(FAILED.length) : text;
  };

  const call = async ({ id, name, args }) => {
    const controller = new AbortController();
    calls.set(id, controller);
    let out;
    try {
      const tool = tools.find((t) => t.name === name);
      const text = await context.executeTool(tool, input(args), { signal: controller.signal });
      out = { id, value: text };
      try {
        out.value = parse(text);
      } catch {} // a text that is no JSON is meant as it is
    } catch (e) {
      out = { id, error: message(e) };
    }
    calls.delete(id);
    up(out);
  };

  let timer;
  const lookNow = () => timer && look();
  const onLoad = (e) => e.target instanceof HTMLScriptElement && lookNow();
  // Also for a window that has got another document.
  const start = () => {
    stop();
    // Nothing tells of a polyfill that a bundle brings later.
    timer = apply(setInterval, window, [look, 1000]);
    look();
    for (const type of ["DOMContentLoaded", "load"]) on(window, type, lookNow);
    on(document, "load", onLoad);
  };
  const stop = () => {
    apply(clearInterval, window, [timer]);
    timer = 0;
  };

  on(link, "down", (e) => {
    const m = parse(e.detail);
    if (m.abort) calls.get(m.abort)?.abort();
    else if (m.name) call(m);
    else if (m.stop) stop();
    else start();
  });
  const hello = () => apply(dispatch, window, [new MouseEvent("webmcp-hub-hello", { relatedTarget: link })]);
  on(window, "webmcp-hub-anyone", hello);
  hello();
})();
