// The tools of a polyfill, an object in the page's own world, where polyfill-page.js reads and calls them. The two scripts
// exchange events on a target, which polyfill-page.js hands over. The page can forge these events.
webmcpHub.parts.polyfill = () => {
  const calls = new Map();
  let link, lastID = 0, listed = [], hello, changed;

  const send = (message) => link?.dispatchEvent(new CustomEvent("down", { detail: JSON.stringify(message) }));

  const heard = (e) => {
    const { tools, id, value, error } = JSON.parse(e.detail);
    if (Array.isArray(tools)) {
      if (e.target !== link) return;
      listed = tools;
      return changed();
    }
    const call = calls.get(id);
    calls.delete(id);
    if (error !== undefined) call?.reject(new Error(error));
    else call?.resolve(value);
  };

  // Only the newest other half counts: a window can outlive its initial empty document, and the scripts may run again.
  // An older half still answers its calls.
  const onHello = (e) => {
    if (!(e.relatedTarget instanceof EventTarget) || e.relatedTarget === link) return;
    send({ stop: true });
    link = e.relatedTarget;
    link.addEventListener("up", heard);
    send({ start: true });
  };

  return {
    /**
     * Waits for the other half, which may exist already or come later.
     * @param {() => void} onChange is called when the tools may have changed
     * @param {string} name the same as the other half's
     */
    start: (onChange, name) => {
      changed = onChange;
      hello = `${name}-hello`;
      addEventListener(hello, onHello, true);
      dispatchEvent(new Event(`${name}-anyone`));
    },
    /** Looks again, because the window may have another document, or a polyfill may have come without an event. */
    again: () => send({ start: true }),
    /** Stops looking. */
    stop: () => {
      removeEventListener(hello, onHello, true);
      send({ stop: true });
    },
    /** @returns {object[]} the tools, as MCP lists them */
    tools: () => listed,
    /** @param {string} name @returns {boolean} whether there is a tool of that name */
    has: (name) => listed.some((t) => t?.name === name),
    /**
     * @param {string} name
     * @param {Object<string, *>} args
     * @param {AbortSignal} signal ends the call
     * @returns {Promise<*>} the tool's own value
     */
    call: (name, args, signal) => new Promise((resolve, reject) => {
      const id = ++lastID;
      calls.set(id, { resolve, reject });
      signal.addEventListener("abort", () => {
        calls.delete(id);
        send({ abort: id });
        reject(signal.reason);
      });
      send({ id, name, args: JSON.stringify(args) });
    }),
  };
};
