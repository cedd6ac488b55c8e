// Returns what a page is like once its tools have settled; page.go reads the value as a probe. Elements can hide
// members of documents and forms by their names, so this script gets those members from prototypes.
(() => {
  const get = (prototype, name, of) => Reflect.get(prototype, name, of);
  const all = (selector) => [...Reflect.apply(Document.prototype.querySelectorAll, document, [selector])];
  const attribute = (element, name) => Reflect.apply(Element.prototype.getAttribute, element, [name]);
  const secret = (f) => f.type === "password" || /cc-number|cc-csc|current-password|new-password|one-time-code/.test(f.autocomplete ?? "");
  const forms = all("form[toolname]").slice(0, 200).map((f) => ({
    tool: attribute(f, "toolname"),
    description: attribute(f, "tooldescription") ?? "",
    autosubmit: attribute(f, "toolautosubmit") !== null,
    sensitive: [...get(HTMLFormElement.prototype, "elements", f)].filter(secret).map((e) => e.name || e.id || e.type).slice(0, 10),
  }));
  const shown = (e) => e.checkVisibility?.() ?? true;
  const filled = (f) => !["hidden", "submit", "button", "reset", "image"].includes(f.type) && /^(INPUT|SELECT|TEXTAREA)$/.test(f.nodeName) && shown(f);
  const plainForms = all("form:not([toolname])").filter(shown).map((f) => {
    const fields = [...get(HTMLFormElement.prototype, "elements", f)];
    if (fields.some(secret)) return undefined;
    const button = fields.find((e) => e.type === "submit");
    return {
      name: String(attribute(f, "name") || attribute(f, "id") || attribute(f, "aria-label") || button?.innerText || button?.value || "without a name").trim().slice(0, 100),
      fields: fields.filter(filled).map((e) => String(e.name || e.id || e.type).slice(0, 60)).slice(0, 10),
    };
  }).filter((f) => f?.fields.length > 0).slice(0, 100);
  return {
    url: location.href,
    title: get(Document.prototype, "title", document).slice(0, 300),
    secure: isSecureContext,
    password: all("input[type=password]").some((e) => e.checkVisibility?.() ?? true),
    status: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0,
    loaded: performance.timeOrigin + (performance.getEntriesByType("navigation")[0]?.loadEventStart ?? 0),
    forms,
    plainForms,
    links: [...new Set(all("a[href]:not([download])").slice(0, 2000).map((a) => String(a.href)))].filter((h) => h.startsWith(location.origin + "/") && h.length < 2000).slice(0, 500),
  };
})()
