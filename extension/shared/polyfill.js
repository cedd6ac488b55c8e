// The tools of a polyfill, which is an object in the page's own world: polyfill-page.js reads and calls them there. The two
// exchange events on a target, which is handed over as that file says. What comes is the page's word.
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

  // The newest half counts: a window can outlive its initial empty document, and the scripts may come again.
  // An older one has still to answer its calls.
  const onHello = (e) => {
    if (!(e.relatedTarget instanceof EventTarget) || e.relatedTarget === link) return;
    send({ stop: true });
    link = e.relatedTarget;
    link.addEventListener("up", heard);
    send({ start: true });
  };

  return {
    /**
     * Waits for the other half, whether that is there already or comes later.
     * @param {() => void} onChange is called when the tools may be others
     * @param {string} name the same as the other half's
     */
    start: (onChange, name) => {
      changed = onChange;
      hello = `${name}-hello`;
      addEventListener(hello, onHello, true);
      dispatchEvent(new Event(`${name}-anyone`));
    },
    /** Looks again: in a window that may have got another document, or for what nothing tells of. */
    again: () => send({ start: true }),
    /** Looks no more. */
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
