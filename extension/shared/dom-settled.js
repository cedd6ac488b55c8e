// Reports when the document has come to rest after a change, and if it never rests, from time to time. The documents around a
// frame's document show it, so their changes count as well.
webmcpHub.parts.domSettled = ({ after, shown: dom }) => {
  const QUIET = 300, LATEST = 2000; // ms since the last change, and since the first unreported one
  const UPGRADES = 1000; // ms between two looks at undefined custom elements
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
  // One timer serves all changes: when it fires, look waits again if a later change needs that.
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
  // No observer sees a change when the class of an element is defined and gives the element a shadow tree.
  const lookForUpgrades = () => {
    upgrades = undefined;
    if (awaited.some((e) => dom.matches(e, ":defined"))) return changed();
    upgrades = after(UPGRADES, lookForUpgrades);
  };

  /** Stops watching. */
  const stop = () => {
    observer.disconnect();
    waiting?.();
    upgrades?.();
    waiting = upgrades = undefined;
    first = 0;
    for (const type of ["DOMContentLoaded", "load"]) removeEventListener(type, changed, true);
  };
  /**
   * Watches the document. It may be called again: for another document of the window, and after document.open(), which removes
   * all listeners.
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
