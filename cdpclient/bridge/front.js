// Tells the hub that the user looks at this tab: it is the visible one of its window, and its window has the focus.
// It runs in the isolated world "webmcp_hub" of main frames. Only events of the browser's own count, not a page's.
(() => {
  "use strict";
  if (parent !== window || Object.hasOwn(globalThis, "__mcpFrontWatch")) return;
  Object.defineProperty(globalThis, "__mcpFrontWatch", { value: true });
  const look = (e) => {
    if (e && !e.isTrusted) return;
    if (document.visibilityState !== "visible" || !document.hasFocus()) return;
    try {
      __mcpFrontToClient("");
    } catch {} // the hub has gone
  };
  addEventListener("focus", look);
  addEventListener("visibilitychange", look);
  look();
})();
