// Package names gives names to what pages offer, and says whose a document is.
//
// # What lives here
//
//   - [Style]: the parts of a tool's name, shortened so that names which differ stay
//     different, and [First], which gives each name once;
//   - [ExtractDomain], [DisplayHost] and [SiteOf]: an address as names, as people and
//     as MCP-B have it;
//   - [DocumentOrigin]: a document's origin, as the browser says or its address tells;
//   - [Origins]: which origins may offer anything, also as the scripts in pages and
//     Chrome's match patterns have it;
//   - [Template] and [URIPrefix]: the URIs under which clients know pages' resources.
//
// # What does not
//
// Which page holds a name: that is registry, which knows the pages.
//
// # Promises
//
// The same arguments give the same name, of [A-Za-z0-9_] and within its limit of
// bytes. Rules about origins never take an unknown origin for a known one.
//
// Functions may be called from any goroutine. The package imports the standard
// library and registry/sanitize only.
package names
