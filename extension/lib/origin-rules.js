// Loads shared/origin-rules.js into the extension's own documents. It adds to a global, as content scripts do.
globalThis.webmcpHub ??= {};
await import("../shared/origin-rules.js");

/** Returns whether rules ({allow, deny}) let documents of an origin have tools. */
export const { originPermitted } = globalThis.webmcpHub;
