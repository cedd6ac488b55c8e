// Wraps registerTool, and reports of each call what Chrome doesn't report.
(() => {
  const tell = globalThis.BINDING;
  delete globalThis.BINDING;
  const proto = globalThis.ModelContext?.prototype;
  if (typeof tell !== "function" || !proto?.registerTool) return;
  const { stringify } = JSON, { ownKeys, apply, getOwnPropertyDescriptor } = Reflect, { Promise } = globalThis, { isArray } = Array, slice = (list, from) => [...list].splice(from), { then } = Promise.prototype;
  const { timeOrigin } = performance, now = performance.now.bind(performance); // pages' tests replace these
  const known = ["name", "title", "description", "inputSchema", "execute", "annotations"];
  const hints = ["readOnlyHint", "untrustedContentHint", "consequentialHint", "debugging"];
  let left = 2000;
  const members = (of, known, before) => {
    try {
      return ownKeys(of).filter((k) => typeof k === "string" && !known.includes(k)).slice(0, 20).map((k) => before + k.slice(0, 100));
    } catch { return []; }
  };
  const said = (annotations) => {
    try {
      return hints.filter((k) => getOwnPropertyDescriptor(annotations, k)?.value !== undefined);
    } catch { return []; }
  };
  const kind = (v) => v === undefined || v === null ? "" : isArray(v) ? "array" : typeof v;
  const note = (tool, options) => {
    const isObject = typeof tool === "object" && tool !== null;
    let exposed = [];
    try { exposed = [...(options?.exposedTo ?? [])].slice(0, 20).map((o) => String(o).slice(0, 300)); } catch {}
    return {
      name: isObject ? String(tool.name ?? "").slice(0, 200) : "",
      schema: isObject ? kind(tool.inputSchema) : "",
      titled: isObject && typeof tool.title === "string" && tool.title !== "",
      hinted: isObject ? said(tool.annotations ?? {}) : [],
      lost: isObject ? [...members(tool, known, ""), ...members(tool.annotations ?? {}, hints, "annotations.")] : [],
      exposed,
      origin: location.origin,
      frame: self !== top,
      at: timeOrigin + now(),
      error: "",
    };
  };
  // The timers that the page sets show how long the check should wait.
  let timers = 1000;
  const plan = globalThis.setTimeout, cancel = globalThis.clearTimeout;
  globalThis.setTimeout = new Proxy(plan, {
    apply(target, self, args) {
      const does = args[0], counts = typeof does === "function" && args[1] >= 300 && args[1] <= 60000 && timers-- > 0;
      if (!counts) return apply(target, self, args);
      const id = apply(target, self, [function (...given) {
        try { return apply(does, this, given); } finally { tell(stringify({ timer: String(id), after: -1 })); }
      }, ...slice(args, 1)]);
      tell(stringify({ timer: String(id), after: +args[1] }));
      return id;
    },
  });
  globalThis.clearTimeout = new Proxy(cancel, {
    apply(target, self, args) {
      if (args[0] > 0 && timers-- > 0) tell(stringify({ timer: String(args[0]), after: -1 }));
      return apply(target, self, args);
    },
  });
  const real = proto.registerTool;
  proto.registerTool = new Proxy(real, {
    apply(target, self, args) {
      let said;
      try { said = left-- > 0 ? note(args[0], args[1]) : undefined; } catch {}
      const done = (error) => {
        if (!said) return;
        if (error !== undefined) said.error = String(error?.name ? `${error.name}: ${error.message}` : error).slice(0, 500);
        tell(stringify(said));
      };
      let promise;
      try {
        promise = apply(target, self, args);
      } catch (error) {
        done(error);
        throw error;
      }
      // The page gets the derived promise, so that a rejection that the page doesn't catch isn't caught here, either.
      return promise instanceof Promise ? apply(then, promise, [(value) => { done(); return value; }, (error) => { done(error); throw error; }]) : promise;
    },
  });
})();
