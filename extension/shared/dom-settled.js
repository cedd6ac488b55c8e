// Tells when the document has come to rest after a change, and of a document that never rests, from time to time. A frame's
// document is shown in others, so their changes count as well.
webmcpHub.parts.domSettled = ({ after, shown: dom }) => {
  const QUIET = 300, LATEST = 2000; // ms since the last change, and since the first that wasn't told
  const UPGRADES = 1000; // ms between two looks at elements that are to be defined yet
  const WHAT = {
    subtree: true, childList: true, characterData: true, attributeFilter: [
      "alt", "aria-disabled", "aria-hidden", "aria-label", "aria-labelledby", "aria-modal", "class", "disabled", "for", "form",
      "hidden", "href", "id", "inert", "max", "min", "multiple", "name", "open", "pattern", "placeholder", "readonly", "required",
      "role", "slot", "step", "style", "title", "type",
    ],
  };
  let first = 0, last = 0, waiting, tell;
  let awaited = [], upgrades;

  const look = () => {
    waiting = undefined;
    const now = performance.now(), due = Math.min(last + QUIET, first + LATEST);
    if (now < due) return wait(due - now);
    first = 0;
    observe();
    tell();
  };
  // One timer, however often the document changes: it looks again when it is up.
  const wait = (ms) => (waiting ??= after(ms, look));
  const changed = () => {
    last = performance.now();
    first ||= last;
    wait(QUIET);
  };
  const observer = new MutationObserver(changed);

  const observe = () => {
    const roots = dom.roots(document);
    for (const root of roots) observer.observe(root, WHAT);
    for (let w = window; w !== w.parent; w = w.parent) observer.observe(w.parent.document, WHAT);
    awaited = roots.flatMap((root) => [...dom.select(root, ":not(:defined)")]).slice(0, 500);
    if (awaited.length > 0) upgrades ??= after(UPGRADES, lookForUpgrades);
  };
  // An element that gets a shadow tree when its class is defined changes nothing that an observer is told of.
  const lookForUpgrades = () => {
    upgrades = undefined;
    if (awaited.some((e) => dom.matches(e, ":defined"))) return changed();
    upgrades = after(UPGRADES, lookForUpgrades);
  };

  /** Watches no more. */
  const stop = () => {
    observer.disconnect();
    waiting?.();
    upgrades?.();
    waiting = upgrades = undefined;
    first = 0;
    for (const type of ["DOMContentLoaded", "load"]) removeEventListener(type, changed, true);
  };
  /**
   * Watches the document. It may be called again: for another document of the window, and after document.open(), which takes
   * all listeners away.
   * @param {() => void} then is called each time the document has come to rest
   */
  const start = (then) => {
    tell = then;
    observer.observe(document, WHAT);
    for (const type of ["DOMContentLoaded", "load"]) addEventListener(type, changed, true);
    changed();
  };

  return { start, stop };
};
