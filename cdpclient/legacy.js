// Earlier drafts of WebMCP had navigator.modelContext for what is document.modelContext now. Runs in the page's own world; nothing of
// the origins is to be found by the page, so the getter is one of its own.
((allow, deny) => {
  "use strict";
  const is = (expression) => new RegExp(expression).test(self.origin);
  if (deny.some(is) || (allow.length && !allow.some(is))) return;
  if (!("modelContext" in Document.prototype) || "modelContext" in navigator) return;
  Object.defineProperty(Navigator.prototype, "modelContext", {
    configurable: true,
    enumerable: true,
    get() {
      return document.modelContext;
    },
  });
});
