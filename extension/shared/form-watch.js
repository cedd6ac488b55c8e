// Keeps the declarative tools as the document's forms are, by looking at them again when something changes.
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
  // Until that look nothing more has to be observed, however much the document changes.
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
    /** Looks again: in a window that may have got another document, or whose listeners document.open() has taken away. */
    again: () => {
      if (!running) return;
      listen();
      rest();
      lookSoon();
    },
    /** Looks no more. */
    stop: () => {
      running = false;
      observer.disconnect();
      rest();
      removeEventListener("DOMContentLoaded", lookSoon, true);
      formTools.deafen();
    },
  };
};
