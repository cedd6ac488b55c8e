// legacy.js for a hub with rules for origins. Chrome runs it by the frame's own address only, and whose page it is in counts as
// well; among the page's scripts the rules are not known. So it is for main frames, and for frames whose page has their origin.
(() => {
  "use strict";
  if (parent !== window && (self.origin === "null" || [...location.ancestorOrigins].some((origin) => origin !== self.origin))) return;
  if (!("modelContext" in Document.prototype) || "modelContext" in navigator) return;
  Object.defineProperty(Navigator.prototype, "modelContext", {
    configurable: true,
    enumerable: true,
    get() {
      return document.modelContext;
    },
  });
})();
