// Describes the effect of an action: compares what the page shows before and after it.
webmcpHub.parts.changes = ({ after, shown: dom, pageContent }) => {
  const QUIET = 200, FIRST = 500, LATEST = 1500; // ms since the last change, without any, and at most
  const LINES = 5, LINE = 100; // of what is new

  // leaving resolves when the page has come to rest, or with the address it goes to, which onLeave gets before Chrome navigates.
  const rest = (onLeave) => {
    let end, timer, seen = false;
    const leaving = new Promise((resolve) => (end = resolve));
    const start = performance.now();
    const look = () => {
      timer?.();
      const left = start + LATEST - performance.now();
      timer = after(Math.max(0, Math.min(left, seen ? QUIET : FIRST)), () => end({ seen }));
    };
    const observer = new MutationObserver(() => {
      seen = true;
      look();
    });
    for (const root of dom.roots(document)) observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    const onNavigate = (e) => {
      if (e.destination.sameDocument || e.downloadRequest) return;
      onLeave(e.destination.url);
      end({ seen, leaves: e.destination.url });
    };
    globalThis.navigation?.addEventListener("navigate", onNavigate);
    const stop = () => {
      observer.disconnect();
      timer?.();
      globalThis.navigation?.removeEventListener("navigate", onNavigate);
    };
    return { look, leaving, stop };
  };

  const lines = () => pageContent.text().split("\n").map((line) => line.trim()).filter(Boolean);

  const difference = (before, now) => {
    const known = new Set(before), left = new Set(now);
    const fresh = now.filter((line) => !known.has(line)), gone = before.filter((line) => !left.has(line)).length;
    const shown = fresh.slice(0, LINES).map((line) => (line.length > LINE ? `${line.slice(0, LINE)}…` : line));
    const more = fresh.length > LINES ? ` and ${fresh.length - LINES} more lines` : "";
    return [
      fresh.length > 0 && `New in the page: ${shown.map((line) => JSON.stringify(line)).join(", ")}${more}.`,
      gone > 0 && `Gone from the page: ${gone} line${gone > 1 ? "s" : ""} of text.`,
    ];
  };

  /**
   * Carries out act, and adds to its answer what effect it had. If the page leaves, last gets the answer, too, at once: on a busy
   * machine the next document can be there before a promise settles, and then the promise's answer can't reach the hub any more.
   * @param {() => string | Promise<string>} act resolves with the beginning of the answer
   * @param {(answer: string) => void} [last]
   * @returns {Promise<string>} the answer
   */
  return async (act, last = () => {}) => {
    let said = "Done.";
    const goes = (to) => `${said} The page goes to ${to}: its tools may change, list them again.`;
    const before = lines(), address = location.href, wait = rest((to) => last(goes(to)));
    try {
      const left = await Promise.race([wait.leaving, Promise.resolve().then(act)]);
      if (typeof left === "string") said = left;
      wait.look();
      const { seen, leaves } = typeof left === "string" ? await wait.leaving : left;
      if (leaves) return goes(leaves);
      const told = [location.href !== address && `The page's address is now ${location.href}.`, ...difference(before, lines())].filter(Boolean);
      if (told.length === 0) told.push(seen ? "The page changed, but neither its text nor its address." : "Nothing in the page has changed since: it may not react to this.");
      return [said, ...told].join(" ");
    } finally {
      wait.stop();
    }
  };
};
