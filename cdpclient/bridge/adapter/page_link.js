// The link to the adapter's half in the page's own world (page.js): events on a target that only the two have, so that
// the page neither hears nor forges them. How it is handed over is told there.
const pageLink = (() => {
  const calls = new Map(); // id -> {resolve, reject}
  let link, lastID = 0, listed = [], changed;

  const send = (message) => link?.dispatchEvent(new CustomEvent("down", { detail: JSON.stringify(message) }));

  const heard = (e) => {
    const { tools, id, value, error } = JSON.parse(e.detail);
    if (tools) {
      if (e.target !== link) return;
      listed = tools;
      return changed();
    }
    const call = calls.get(id);
    calls.delete(id);
    if (error !== undefined) call?.reject(new Error(error));
    else call?.resolve(value);
  };

  // The newest half counts: a window can outlive its initial empty document, and the hub can install the scripts again.
  // An older one has still to answer its calls.
  const onHello = (e) => {
    if (!(e.relatedTarget instanceof EventTarget) || e.relatedTarget === link) return;
    send({ stop: true });
    link = e.relatedTarget;
    link.addEventListener("up", heard);
    send({ start: true });
  };

  return {
    connect: (onChange) => {
      changed = onChange;
      addEventListener("webmcp-hub-hello", onHello, true);
      dispatchEvent(new Event("webmcp-hub-anyone"));
    },
    again: () => send({ start: true }),
    tools: () => listed,
    has: (name) => listed.some((t) => t.name === name),
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
})();
