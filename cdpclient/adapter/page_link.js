// The link to the adapter's half in the page's own world (page.js): events on an element that is in no document, so that
// the page neither hears nor forges them. How it is handed over is told there.
const pageLink = (() => {
  const calls = new Map(); // id -> {resolve, reject}
  let link, lastID = 0, listed = [], changed;

  const send = (message) => link?.dispatchEvent(new CustomEvent("down", { detail: JSON.stringify(message) }));

  const heard = (e) => {
    const { tools, id, value, error } = JSON.parse(e.detail);
    if (tools) {
      listed = tools;
      return changed();
    }
    const call = calls.get(id);
    calls.delete(id);
    if (error !== undefined) call?.reject(new Error(error));
    else call?.resolve(value);
  };

  const alive = () => link && !link.dispatchEvent(new CustomEvent("ping", { cancelable: true }));

  const onHello = (e) => {
    if (!(e.relatedTarget instanceof Element) || alive()) return;
    link = e.relatedTarget;
    link.addEventListener("up", heard);
    send({ start: true });
  };

  return {
    connect: (onChange) => {
      changed = onChange;
      addEventListener("webmcp-hub-hello", onHello, true);
      if (!alive()) dispatchEvent(new Event("webmcp-hub-anyone"));
    },
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
