// Package names gives names to what pages offer, and says which origin a document belongs to.
//
// # What lives here
//
//   - [Style]: the parts of a tool's name, shortened so that different names stay different; [First] finds a free
//     name;
//   - [ExtractDomain], [DisplayHost] and [SiteOf]: the host of an address as names, people and MCP-B write it;
//   - [DocumentOrigin]: a document's origin, from the browser or from the document's address;
//   - [Origins]: which origins may offer anything, also in the forms for scripts in pages and as Chrome's match
//     patterns;
//   - [Template] and [URIPrefix]: the URIs under which clients know pages' resources.
//
// # What does not
//
// Package registry, which knows the pages, decides which page holds a name.
//
// # Promises
//
// The same arguments give the same name, of [A-Za-z0-9_] and within its limit of bytes. Rules about origins never
// take an unknown origin for a known one.
//
// Functions may be called from any goroutine. The package imports the standard library and registry/sanitize only.
package names
