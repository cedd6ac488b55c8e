// Whether this document may have tools, as WebMCP defines it: by the permissions policy's "tools", which allow="tools" grants to
// an iframe of another origin. Where Chrome's own WebMCP is off, scripts can't tell which frames have that grant; then a frame
// may have tools if all its parents have its origin. The function checks this each time, because a window can outlive its
// document, and in an isolated world, where no script of the page can interfere.
/** @returns {boolean} whether this document may have tools */
webmcpHub.mayHaveTools = () => {
  const policy = document.permissionsPolicy ?? document.featurePolicy;
  if ("modelContext" in Document.prototype && policy) return policy.allowsFeature("tools");
  return parent === window || (self.origin !== "null" && [...location.ancestorOrigins].every((o) => o === self.origin));
};
