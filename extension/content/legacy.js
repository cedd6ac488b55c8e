// For a hub that runs with --legacy-modelcontext, registered by lib/legacy.js and not in the manifest: gives pages
// navigator.modelContext, the name that earlier drafts of WebMCP had for document.modelContext. Runs among the page's own scripts,
// before the first of them.
(() => {
  "use strict";
  if (!("modelContext" in Document.prototype) || "modelContext" in navigator) return;
  Object.defineProperty(Navigator.prototype, "modelContext", {
    configurable: true,
    enumerable: true,
    get() {
      return document.modelContext;
    },
  });
})();
