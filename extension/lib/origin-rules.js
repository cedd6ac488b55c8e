// shared/origin-rules.js for the extension's own documents: it adds to a global, as content scripts do.
globalThis.webmcpHub ??= {};
await import("../shared/origin-rules.js");

/** Whether rules ({allow, deny}) let documents of an origin have tools. */
export const { originPermitted } = globalThis.webmcpHub;
