// The half of polyfill.js in the page's own world, where a polyfill is an object: it reads and calls the polyfill's tools. It
// does nothing until the other half asks, and adds nothing to the page but one event: NAME-hello on the window, which hands an
// event target to the other half. The halves exchange events on that target. A page's script that listens to NAME-hello gets the
// target, too, and can read and forge the events, as it could change the polyfill itself: don't trust them. This half takes the
// built-ins that it uses when it starts, which over CDP is before the page's scripts run.

/**
 * Uses no variables from outside: the extension's worker has Chrome inject the function, and the hub sends its text over CDP.
 * @param {string} name the prefix of its events' names; the extension and the hub each have their own
 * @param {{polls?: boolean, older?: boolean}} how polls: whether to look each second for a polyfill that comes late; older:
 *   whether to accept any polyfill that has only WebMCP's older name
 */
export const polyfillPage = (name, how) => {
  "use strict";
  const { apply } = Reflect, { parse, stringify } = JSON;
  const { addEventListener: add, dispatchEvent: dispatch } = EventTarget.prototype;
  const { setInterval, clearInterval, CustomEvent, MouseEvent, AbortController, Map, String } = globalThis;
  // One for the window, which can outlive the document.
  const link = new EventTarget();
  const up = (message) => apply(dispatch, link, [new CustomEvent("up", { detail: stringify(message) })]);
  const calls = new Map();
  let context, timer, ended = new AbortController();
  // said: the list that the other half has, as text. Before the first list, the other half may have another document's.
  let tools = [], said;
  // again: whether to read the list once more after the current reading.
  let listing = false, again = false;
  const on = (target, type, f) => apply(add, target, [type, f, { capture: true, signal: ended.signal }]);

  // @mcp-b/webmcp-polyfill before 4 has only navigator.modelContext, which can't call tools; navigator.modelContextTesting can.
  // In 0.3 that has a single listener for changes, which may be the page's, so each look reads the list instead.
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

  // Returns the polyfill's object. Skips Chrome's own, and that of @mcp-b/global, whose MCP server the hub uses instead.
  const find = () => {
    try {
      if (/\[native code\]/.test(globalThis.ModelContext)) return;
      const mc = document.modelContext ?? early() ?? (how.older && navigator.modelContext);
      if (typeof mc?.getTools === "function" && typeof mc.executeTool === "function" && !mc.__isBrowserMcpServer) return mc;
    } catch {}
  };

  // Parses a text as JSON; returns any other value, and text that isn't JSON, as it is.
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
    // The page may not be allowed to list tools, or may return no list.
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
    // No event announces a polyfill that a bundle brings later.
    if (how.polls || now?.silent) timer ??= apply(setInterval, window, [look, 1000]);
    if (now !== context) watch(now);
    else if (!now?.silent) return;
    list();
  };

  // An agent's arguments as an object whose toString gives them as JSON text, which @mcp-b/webmcp-polyfill reads.
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
  // Also starts again for a window that has got another document.
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
