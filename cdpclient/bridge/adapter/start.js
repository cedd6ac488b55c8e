// Chrome's own WebMCP is asked for in this world, where no script of the page can pretend. Where it is on, it is the one that
// speaks for the page. Otherwise the same documents have tools as it would allow: of secure contexts, and of frames whose
// parents all have their origin, because nobody here can tell which others were given allow="tools".
const allowed = !("modelContext" in Document.prototype) && isSecureContext &&
  [...location.ancestorOrigins].every((o) => o === self.origin);
Object.defineProperty(globalThis, "__mcpAdapter", {
  value: Object.freeze({ toServer: adapter.toServer, checkReady: adapter.checkReady, introspect: adapter.introspect }),
});
if (allowed) adapter.start();
