// Gives pages navigator.modelContext, which is what earlier drafts of WebMCP called document.modelContext. For a hub that runs
// with --legacy-modelcontext. Runs among the page's own scripts, before the first of them; lib/legacy.js, not the manifest,
// registers it in the extension, and cdpclient/bridge/legacy.go installs it over CDP.
(() => {
  "use strict";
  const spared = "webmcpHubSparesThis"; // see content/legacy-near.js
  if (Object.hasOwn(self, spared)) return void Reflect.deleteProperty(self, spared);
  if (!("modelContext" in Document.prototype) || "modelContext" in navigator) return;
  Object.defineProperty(Navigator.prototype, "modelContext", {
    configurable: true,
    enumerable: true,
    get() {
      return document.modelContext;
    },
  });
})();
