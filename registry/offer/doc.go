// Package offer has what pages offer, one thing at a time: a tool, a resource, a template or a prompt, as the page
// registered it and as clients are shown it.
//
// # What lives here
//
//   - the ids of pages, frames, tabs and documents ([PageID], [FrameID], [TabID], [Gen]), and what pages say: [PageTool],
//     [PageResource], [PagePrompt], and what their MCP servers ask of an agent ([PageRequest]);
//   - what comes of that: [HubTool], [Offer] and the [Set] of all offers, made by a [Maker] by its [Rules], with their
//     annotations ([HintPolicy]), descriptions and _meta, which say where each comes from;
//   - [Meaning] decides what a name that a client saw may still mean;
//   - [Sites]: the tools of sites, which MCP-B's names have beside those of tabs; which tab a call of one goes to
//     ([ChooseTool]), and what of a tab's tools outlives it ([Cacheable]).
//
// Which pages there are, and what their tools are called, is decided in registry, which tells Sites what has changed.
//
// # Concurrency
//
// A [Maker], the [Page]s that it makes, and a [Sites] belong to one goroutine. Everything else is immutable once made,
// and may be read from any goroutine.
package offer
