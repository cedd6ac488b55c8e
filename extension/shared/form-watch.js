// Keeps the declarative tools up to date with the document's forms, by reading the forms again when something changes.
webmcpHub.parts.formWatch = ({ after, formTools }) => {
  const PAUSE = 50; // ms between two looks at the document's forms
  let waiting, last = 0, running = false, tell;

  const look = () => {
    waiting = undefined;
    last = performance.now();
    observer.observe(document, {
      subtree: true, childList: true, characterData: true, attributeFilter: [
        "toolname", "tooldescription", "tooltitle", "toolautosubmit", "toolparamdescription", "aria-description", "name", "type",
        "value", "min", "max", "step", "pattern", "required", "disabled", "readonly", "multiple", "for", "id", "form",
      ],
    });
    formTools.scan();
    tell();
  };
  // Stops observing until that look: further changes before it make no difference.
  const lookSoon = () => {
    observer.disconnect();
    waiting ??= after(Math.max(0, last + PAUSE - performance.now()), look);
  };
  const observer = new MutationObserver(lookSoon);
  const rest = () => {
    waiting?.();
    waiting = undefined;
  };
  const listen = () => {
    formTools.listen();
    addEventListener("DOMContentLoaded", lookSoon, true);
  };

  return {
    /** Looks at once. @param {() => void} changed is called after each look */
    start: (changed) => {
      running = true;
      tell = changed;
      listen();
      look();
    },
    /** Looks again, because the window may have another document, or document.open() may have removed its listeners. */
    again: () => {
      if (!running) return;
      listen();
      rest();
      lookSoon();
    },
    /** Stops looking. */
    stop: () => {
      running = false;
      observer.disconnect();
      rest();
      removeEventListener("DOMContentLoaded", lookSoon, true);
      formTools.deafen();
    },
  };
};
