// What a page is like once its tools have settled. Its value is read as probe in page.go.
(() => {
  const secret = (f) => f.type === "password" || /cc-number|cc-csc|current-password|new-password|one-time-code/.test(f.autocomplete ?? "");
  const forms = [...document.querySelectorAll("form[toolname]")].slice(0, 200).map((f) => ({
    tool: f.getAttribute("toolname"),
    description: f.getAttribute("tooldescription") ?? "",
    autosubmit: f.hasAttribute("toolautosubmit"),
    sensitive: [...f.elements].filter(secret).map((e) => e.name || e.id || e.type).slice(0, 10),
  }));
  return {
    url: location.href,
    title: document.title.slice(0, 300),
    secure: isSecureContext,
    password: [...document.querySelectorAll("input[type=password]")].some((e) => e.checkVisibility?.() ?? true),
    status: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0,
    loaded: performance.timeOrigin + (performance.getEntriesByType("navigation")[0]?.loadEventStart ?? 0),
    forms,
  };
})()
