// Records which parts of a document change, in the check's own world, from the document's beginning on. A form's field
// hides the member of the form that has the field's name, so this script gets members from prototypes.
(() => {
  const get = (prototype, name, of) => Reflect.get(prototype, name, of);
  const started = performance.now();
  let changed = new Set(), last = started;
  const ever = new Set();
  const place = (node) => {
    const parts = [];
    for (let e = node; e !== null && parts.length < 4; e = get(Node.prototype, "parentNode", e)) {
      if (!(e instanceof Element)) continue;
      const tag = get(Element.prototype, "localName", e);
      if (/^(script|style|link|meta|title|head)$/.test(tag)) return "";
      const id = get(Element.prototype, "id", e);
      parts.unshift(id ? `${tag}#${id}` : tag);
      if (id) break;
    }
    return parts.join(" > ").slice(0, 200);
  };
  new MutationObserver((records) => {
    for (const r of records) {
      if (changed.size > 500) return;
      const at = place(r.target);
      if (!at) continue;
      changed.add(at);
      if (!ever.has(at) && ever.size < 5000) {
        ever.add(at);
        last = performance.now();
      }
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["hidden", "open", "value", "checked", "selected"] });
  // Returns what the document has stored, by names such as "localStorage cart".
  const stored = () => {
    const all = new Map();
    const add = (kind, entries) => { for (const [k, v] of entries.slice(0, 1000)) all.set(`${kind} ${k}`, String(v).slice(0, 10000)); };
    try { add("the cookie", get(Document.prototype, "cookie", document).split("; ").filter(Boolean).map((c) => c.split(/=(.*)/s))); } catch {}
    try { add("localStorage", Object.entries(localStorage)); } catch {}
    try { add("sessionStorage", Object.entries(sessionStorage)); } catch {}
    return all;
  };
  let before = stored();
  globalThis.webmcpHubObserver = {
    still: () => performance.now() - last, // ms since something changed that had not changed before
    take: () => {
      const now = stored(), names = new Set([...before.keys(), ...now.keys()]);
      const taken = { changed: [...changed], stored: [...names].filter((n) => before.get(n) !== now.get(n)) };
      changed = new Set();
      before = now;
      return taken;
    },
  };
})();
