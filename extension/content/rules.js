// Applies the hub's rules (--allow-origin, --deny-origin) to this document. The extension's worker stores the rules in
// chrome.storage.session; until it has, scripts don't know them, and do nothing in the document.
// Classic script; adds to globalThis.webmcpHub.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // not <p id="webmcpHub">

  /**
   * Watches whether scripts may work in this document: calls tell(permitted) once it knows, and whenever the answer changes.
   * Returns {look, stop}; look reads the rules again, for a window that may have got another document.
   */
  hub.watchRules = (tell) => {
    const { session } = chrome.storage ?? {}; // this run's; none where the extension is gone
    let heard = 0; // changes
    let permitted, stopped = false;

    const judge = (rules) => {
      const now = Boolean(rules) && hub.documentPermitted(rules);
      if (!stopped && now !== permitted) tell((permitted = now));
    };
    const onChanged = ({ rules }) => {
      if (!rules) return;
      heard++;
      judge(rules.newValue);
    };
    const look = async () => {
      const before = heard;
      try {
        const { rules } = await session.get("rules");
        if (heard === before) judge(rules); // else the answer is old
      } catch {} // storage not open yet (onChanged follows), or the extension is gone
    };
    const onPageShow = (e) => e.persisted && look(); // a cached page gets no onChanged

    session?.onChanged.addListener(onChanged);
    addEventListener("pageshow", onPageShow);
    document.addEventListener("prerenderingchange", look);
    look();
    return {
      look,
      stop() {
        stopped = true;
        removeEventListener("pageshow", onPageShow);
        document.removeEventListener("prerenderingchange", look);
        try {
          session?.onChanged.removeListener(onChanged);
        } catch {} // the extension is gone
      },
    };
  };
})();
