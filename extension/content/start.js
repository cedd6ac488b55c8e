// Runs the frame's other content scripts while the hub's rules permit that (rules.js). Chrome may inject this script twice: for
// the manifest, and for the worker after an install or a reload of the extension. If the older run's extension is gone, that run
// ends; else the newer run only has the older one look again.
(() => {
  "use strict";
  const hub = globalThis.webmcpHub;
  if (hub.running) {
    if (!hub.running.orphaned()) return hub.running.look(); // the window may have got another document
    hub.running.stop();
  }
  if (!/^(https?|file|about|data|blob|filesystem):$/.test(location.protocol)) return;

  const { orphaned } = hub; // of this run: it asks this run's chrome
  let work;

  const rules = hub.watchRules((permitted) => {
    if (permitted) {
      work = hub.work({ onOrphaned: stop });
    } else {
      work?.stop("the hub's --allow-origin or --deny-origin no longer permits this page");
      work = undefined;
    }
  });

  function stop() {
    hub.running = undefined;
    rules.stop();
    work?.stop("the extension was reloaded");
  }

  hub.running = {
    stop, orphaned,
    look: () => (rules.look(), work?.look()),
    setIntrospecting: (on) => work?.setIntrospecting(on),
    introspecting: () => work?.introspecting() ?? false,
  };
})();
