// Starts what the frame's other content scripts have brought. It may come twice, by the manifest and by the worker after an
// install or a reload of the extension: the older one gives way if its extension is gone, else the younger does nothing.
(() => {
  "use strict";
  const hub = globalThis.webmcpHub;
  if (hub.running) {
    if (!hub.running.orphaned()) return hub.running.look(); // the window may have got another document
    hub.running.stop();
  }
  if (!/^(https?|file|about|data|blob|filesystem):$/.test(location.protocol)) return;

  const { orphaned } = hub; // of this run: it asks this run's chrome
  const { formTools, formWatch, introspect } = hub.makeParts();
  // What allow="tools" permits to frames of other origins is not known here, and where Chrome has WebMCP it reads the forms.
  const near = [...location.ancestorOrigins].every((origin) => origin === self.origin) && (parent === window || self.origin !== "null");
  const readsForms = near && isSecureContext && !("modelContext" in Document.prototype);
  hub.sources = {
    native: hub.nativeContext, listNative: hub.listNative, callNative: hub.callNative, keepOut: hub.keepOut, letIn: hub.letIn,
    transport: hub.openTransport, forms: readsForms ? { ...formTools, ...formWatch } : undefined, made: near ? introspect : undefined,
  };
  const toolset = new hub.Toolset({ report: (tools) => line.report(tools), pause: (ms) => line.pause(ms) });
  const line = new hub.Line({ toolset, onOrphaned: stop, onIntrospect: setIntrospecting });

  // The main frame is told by the extension, and tells the frames of its origin, which have no line before they have tools.
  let introspecting = false;
  function setIntrospecting(on) {
    introspecting = on;
    toolset.introspect(on);
    for (let i = 0; i < frames.length; i++) hub.ofWindow(frames[i])?.running?.setIntrospecting(on);
  }

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
    formTools.deafen();
    toolset.stop(new Error("the extension was reloaded"));
  }

  hub.running = { stop, orphaned, look, setIntrospecting, introspecting: () => introspecting };
  document.addEventListener("DOMContentLoaded", look);
  addEventListener("load", look);
  addEventListener("pageshow", onPageShow);
  document.addEventListener("prerenderingchange", onActivated);
  toolset.start();
  line.start();
  if (parent !== window && hub.ofWindow(parent)?.running?.introspecting()) setIntrospecting(true);
})();
