// Tells the hub that the user looks at this tab: it is the visible tab of its window, and its window has the focus. It
// runs in the isolated world "webmcp_hub" of main frames. It ignores events that the page dispatches itself.
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
