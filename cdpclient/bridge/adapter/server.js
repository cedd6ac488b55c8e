// A small MCP server for a document without one. It serves the tools of a polyfill and of forms; if there are none and
// the hub asked for it, those of introspect.js. The hub calls it without window messages: see adapter.go.
const adapter = (() => {
  const parts = webmcpHub.makeParts(), { polyfill, formTools, formWatch } = parts;
  // The limit of one message, in UTF-16 units.
  const LIMIT = 16 << 20;
  const running = new Map(); // id -> AbortController
  // The list that the hub knows, or will ask for.
  let told = "[]";

  const post = (payload) => {
    try {
      __mcpBridgeToClient('{"t":"dom","p":' + payload + "}");
    } catch {} // the hub has gone
  };
  const say = (message) => post(JSON.stringify({ jsonrpc: "2.0", ...message }));

  const answer = (id, result = null) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id, result });
    if (text.length <= LIMIT) return post(text);
    fail(id, `The tool's answer has ${text.length} characters, which is too large`);
  };
  const fail = (id, message, code = -32000) => say({ id, error: { code, message: message.slice(0, 65536) } });

  // A polyfill's tools come before forms: it may have made a tool of a form, with what the page needs to answer calls.
  const list = () => {
    const named = (runtime) => (t) => ({ ...t, _meta: { "webmcp-hub/runtime": runtime } });
    const own = [...polyfill.tools().map(named("polyfill")), ...formTools.tools().filter((t) => !polyfill.has(t.name)).map(named("form"))];
    return own.length > 0 ? own : (extra?.tools() ?? []).map(named("dom"));
  };

  const update = () => {
    const now = JSON.stringify(list());
    if (now === told) return;
    const first = told === "[]" && !ready;
    told = now;
    if (first) checkReady();
    else say({ method: "notifications/tools/list_changed" });
  };

  // What introspect.js makes, if the hub asked for it.
  let extra;
  // Whether the adapter offers the tools of polyfills and of forms with a toolname in this document.
  let declared = false;
  // Whether the adapter has told the hub that the document has tools.
  let ready = false;
  const checkReady = () => {
    if (!declared && !extra) return;
    // A window can outlive its initial empty document, so this looks at everything anew.
    extra?.start(update);
    if (declared) {
      formWatch.again();
      polyfill.again();
    }
    if (told === "[]" && !ready) return;
    ready = true;
    post('"mcp-server-ready"');
  };

  const FAILED = /^Tool was executed but the invocation failed\. For example.*?: /;
  const call = async (id, { name, arguments: args = {} }) => {
    const owner = [polyfill, formTools, extra].find((o) => o?.has(name));
    if (!owner) return fail(id, `Tool ${name} not found`, -32602);
    const controller = new AbortController();
    running.set(id, controller);
    const done = (result) => running.delete(id) && answer(id, result);
    try {
      done(await owner.call(name, args, controller.signal, done));
    } catch (e) {
      if (running.delete(id) && !controller.signal.aborted) fail(id, String(e?.message ?? e).replace(FAILED, ""));
    }
  };

  const methods = {
    initialize: (id, { protocolVersion }) => answer(id, {
      protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "webmcp-hub-adapter", version: "1" },
    }),
    ping: (id) => answer(id, {}),
    "tools/list": (id) => answer(id, { tools: list() }),
    "tools/call": call,
    "notifications/cancelled": (_, { requestId }) => running.get(requestId)?.abort(),
  };

  return {
    start: () => {
      declared = true;
      polyfill.start(update, "webmcp-hub");
      formWatch.start(update);
    },
    introspect: (make) => {
      if (extra) return;
      extra = make(parts).introspect;
      extra.start(update);
    },
    checkReady,
    toServer: (json) => {
      const m = JSON.parse(json);
      if (m === "mcp-check-ready") return checkReady();
      if (Object.hasOwn(methods, m.method)) methods[m.method](m.id, m.params ?? {});
      else if (m.id !== undefined) fail(m.id, "Method not found", -32601);
    },
  };
})();
