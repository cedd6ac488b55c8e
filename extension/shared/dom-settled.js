// Tells when the document has come to rest after a change, and of a document that never rests, from time to time.
webmcpHub.parts.domSettled = () => {
  const QUIET = 300, LATEST = 2000; // ms since the last change, and since the first that wasn't told
  let first = 0, last = 0, timer = 0, tell;

  const look = () => {
    timer = 0;
    const now = performance.now(), due = Math.min(last + QUIET, first + LATEST);
    if (now < due) return wait(due - now);
    first = 0;
    tell();
  };
  // One timer, however often the document changes: it looks again when it is up.
  const wait = (ms) => (timer ||= setTimeout(look, ms));
  const changed = () => {
    last = performance.now();
    first ||= last;
    wait(QUIET);
  };
  const observer = new MutationObserver(changed);

  const stop = () => {
    observer.disconnect();
    clearTimeout(timer);
    timer = first = 0;
    for (const type of ["DOMContentLoaded", "load"]) removeEventListener(type, changed, true);
  };
  // Also again: for another document of the window, and after document.open(), which takes all listeners away.
  const start = (then) => {
    tell = then;
    observer.observe(document, {
      subtree: true, childList: true, characterData: true, attributeFilter: [
        "alt", "aria-disabled", "aria-hidden", "aria-label", "aria-labelledby", "class", "disabled", "for", "form", "hidden", "href",
        "id", "inert", "max", "min", "multiple", "name", "open", "pattern", "placeholder", "readonly", "required", "role", "step",
        "style", "title", "type",
      ],
    });
    for (const type of ["DOMContentLoaded", "load"]) addEventListener(type, changed, true);
    changed();
  };

  return { start, stop };
};
