// The hub's rules (--allow-origin, --deny-origin) as this document keeps to them. What they are the extension's worker writes
// down in chrome.storage.session; until it has, nothing is known and nothing is permitted.
// Classic script; adds to globalThis.webmcpHub.
(() => {
  "use strict";
  const hub = Object.hasOwn(globalThis, "webmcpHub") ? globalThis.webmcpHub : (globalThis.webmcpHub = {}); // an element may have that id

  /**
   * Tells whether scripts may be at work in this document: tell(permitted) is called when it is known, and when it is another.
   * Returns {look, stop}; look asks again, for a window that may have got another document.
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
        if (heard === before) judge(rules); // else it is an old answer
      } catch {} // the worker has yet to open it, which is heard; or the extension is gone
    };
    const onPageShow = (e) => e.persisted && look(); // a page that was put away hears of no change

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
