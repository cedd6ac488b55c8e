// The half of polyfill.js in the page's own world, where a polyfill is an object: reads and calls its tools. It does nothing
// before the other half asks it to, and adds nothing to the page but one event: NAME-hello on the window, which hands an event
// target to the other half. All messages are events on that target. A script of the page that listens to NAME-hello has the
// target, too, and can read and forge messages, as it could change the polyfill itself: what comes is the page's word. What
// this half uses is taken when it comes, over CDP before the page's scripts run.

/**
 * Needs nothing around it: the extension's worker has Chrome run it in a page, the hub its text over CDP.
 * @param {string} name begins the names of its events; the extension and the hub each have their own
 * @param {{polls?: boolean, older?: boolean}} how whether it looks each second for a polyfill that comes late, and whether any
 *   polyfill counts that knows WebMCP's older name alone
 */
export const polyfillPage = (name, how) => {
  "use strict";
  const { apply } = Reflect, { parse, stringify } = JSON;
  const { addEventListener: add, dispatchEvent: dispatch } = EventTarget.prototype;
  const { setInterval, clearInterval, CustomEvent, MouseEvent, AbortController, Map, String } = globalThis;
  // Of the window, which can outlive the document.
  const link = new EventTarget();
  const up = (message) => apply(dispatch, link, [new CustomEvent("up", { detail: stringify(message) })]);
  const calls = new Map();
  let context, timer, ended = new AbortController();
  // said is the list that the other half has, as text; before the first one it may have another document's.
  let tools = [], said;
  // again: the list is to be read once more when it has been read.
  let listing = false, again = false;
  const on = (target, type, f) => apply(add, target, [type, f, { capture: true, signal: ended.signal }]);

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
      getTools: () => now.listTools(),
      executeTool: ({ name }, args, options) => now.executeTool(name, String(args), options),
    });
  };

  // The polyfill's object. @mcp-b/global's has an MCP server, which is spoken with, and Chrome's own is none.
  const find = () => {
    try {
      if (/\[native code\]/.test(globalThis.ModelContext)) return;
      const mc = document.modelContext ?? early() ?? (how.older && navigator.modelContext);
      if (typeof mc?.getTools === "function" && typeof mc.executeTool === "function" && !mc.__isBrowserMcpServer) return mc;
    } catch {}
  };

  // What a text is as JSON; one that is none is meant as it is.
  const parsed = (value) => {
    try {
      if (typeof value === "string") return parse(value);
    } catch {}
    return value;
  };
  const own = ({ name, title, description, inputSchema, annotations }) => ({ name, title, description, inputSchema: parsed(inputSchema), annotations });

  const list = async () => {
    again = listing;
    if (listing) return;
    listing = true;
    // It may be not allowed here, or no list.
    try {
      tools = context ? (await context.getTools()).filter((t) => !t.window || t.window === window) : [];
      const now = stringify(tools.map(own));
      if (now !== said) {
        said = now;
        up({ tools: parse(now) });
      }
    } catch {}
    listing = false;
    if (again) list();
  };

  const watch = (now) => {
    try {
      context?.removeEventListener?.("toolchange", list, true);
    } catch {}
    context = now;
    try {
      context?.addEventListener?.("toolchange", list, true);
    } catch {}
  };
  const look = () => {
    const now = find();
    // Nothing tells of a polyfill that a bundle brings later.
    if (how.polls || now?.silent) timer ??= apply(setInterval, window, [look, 1000]);
    if (now !== context) watch(now);
    else if (!now?.silent) return;
    list();
  };

  // An agent's arguments as an object, and as JSON text where that is what the polyfill reads (@mcp-b/webmcp-polyfill does).
  const input = (json) => Object.defineProperty(parse(json), "toString", { value: () => json });

  const call = async ({ id, name, args }) => {
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      const tool = tools.find((t) => t.name === name);
      if (!context || !tool) throw new Error(`no tool ${name} on this page`);
      up({ id, value: parsed(await context.executeTool(tool, input(args), { signal: controller.signal })) });
    } catch (e) {
      up({ id, error: String(e?.message ?? e) });
    }
    calls.delete(id);
  };

  const hello = () => apply(dispatch, window, [new MouseEvent(`${name}-hello`, { relatedTarget: link })]);
  const onLoad = (e) => e.target instanceof HTMLScriptElement && look();
  const stop = () => {
    ended.abort();
    timer = apply(clearInterval, window, [timer]);
    watch();
  };
  // Also for a window that has got another document.
  const start = () => {
    stop();
    ended = new AbortController();
    on(window, `${name}-anyone`, hello);
    for (const type of ["DOMContentLoaded", "load"]) on(window, type, look);
    on(document, "load", onLoad);
    look();
    if (!context) list();
  };

  apply(add, link, ["down", (e) => {
    const m = parse(e.detail);
    if (m.abort) calls.get(m.abort)?.abort();
    else if (m.id) call(m);
    else if (m.stop) stop();
    else start();
  }]);
  on(window, `${name}-anyone`, hello);
  hello();
};
