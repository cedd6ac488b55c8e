// Starts what the frame's other content scripts have brought. It may come twice, by the manifest and by the worker after an
// install or a reload of the extension: the older one gives way if its extension is gone, else the younger does nothing.
(() => {
  "use strict";
  const hub = globalThis.webmcpHub;
  if (hub.running) {
    if (!hub.running.orphaned()) return;
    hub.running.stop();
  }
  if (!/^(https?|file|about|data|blob|filesystem):$/.test(location.protocol)) return;

  const { orphaned } = hub; // of this run: it asks this run's chrome
  hub.sources = {
    native: hub.nativeContext, listNative: hub.listNative, callNative: hub.callNative, keepOut: hub.keepOut, letIn: hub.letIn,
    transport: hub.openTransport,
  };
  const toolset = new hub.Toolset({ report: (tools) => line.report(tools), pause: (ms) => line.pause(ms) });
  const line = new hub.Line({ toolset, onOrphaned: stop });

  const look = () => toolset.look();
  const onPageShow = (e) => {
    if (!e.persisted) return;
    line.reconnect();
    toolset.look();
    toolset.changed();
  };
  const onActivated = () => line.reconnect();

  function stop() {
    hub.running = undefined;
    document.removeEventListener("DOMContentLoaded", look);
    removeEventListener("load", look);
    removeEventListener("pageshow", onPageShow);
    document.removeEventListener("prerenderingchange", onActivated);
    line.stop();
    toolset.stop(new Error("the extension was reloaded"));
  }

  hub.running = { stop, orphaned };
  document.addEventListener("DOMContentLoaded", look);
  addEventListener("load", look);
  addEventListener("pageshow", onPageShow);
  document.addEventListener("prerenderingchange", onActivated);
  toolset.start();
  line.start();
})();
