// Whether this document may have tools, as WebMCP has it: the permissions policy's "tools", which an iframe of another origin is
// given by allow="tools". Where Chrome's own WebMCP is off, nobody here can tell which frames were given it; then those may whose
// parents all have their origin. It is asked each time, because a window can outlive its document, and in an isolated world, where
// no script of the page can stand between.
/** @returns {boolean} whether this document may have tools */
webmcpHub.mayHaveTools = () => {
  const policy = document.permissionsPolicy ?? document.featurePolicy;
  if ("modelContext" in Document.prototype && policy) return policy.allowsFeature("tools");
  return parent === window || (self.origin !== "null" && [...location.ancestorOrigins].every((o) => o === self.origin));
};
