// Package offer has what a page offers, one thing at a time: a tool, a resource, a
// template or a prompt, as the page registered it and as clients are shown it.
//
// # What lives here
//
//   - the ids of pages, frames, tabs and documents ([PageID], [FrameID], [TabID],
//     [Gen]), and what pages say: [PageTool], [PageResource], [PagePrompt], and what
//     their MCP servers ask of an agent ([PageRequest]);
//   - what comes of that: [HubTool], [Offer] and the [Set] of all offers, made by a
//     [Maker] by its [Rules], with their annotations ([HintPolicy]), descriptions and
//     _meta, which say where each comes from;
//   - [Meaning], which decides what a name that a client saw may still mean.
//
// Which pages there are, and which of what they offer gets which name, is decided in
// registry, and the tools of sites in registry/sites.
//
// # Concurrency
//
// A [Maker] and the [Page]s that it makes belong to one goroutine. Everything else is
// immutable once made, and may be read from any goroutine.
//
// It imports the standard library, registry/names and registry/sanitize only.
package offer
