// Looks for Chrome's own WebMCP in this isolated world, where the page's scripts can't fake it. If it is on, it serves
// the page's tools. Otherwise the adapter serves the same documents as Chrome would: those of secure contexts, and of
// frames, those whose ancestors all have their origin, because the adapter can't know which others have allow="tools".
const allowed = !("modelContext" in Document.prototype) && isSecureContext &&
  [...location.ancestorOrigins].every((o) => o === self.origin);
Object.defineProperty(globalThis, "__mcpAdapter", {
  value: Object.freeze({ toServer: adapter.toServer, checkReady: adapter.checkReady, introspect: adapter.introspect }),
});
if (allowed) adapter.start();
