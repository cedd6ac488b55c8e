// Package offer has the things that pages offer: tools, resources, templates and prompts, both as the page registered
// them and as clients see them.
//
// # What lives here
//
//   - the ids of pages, frames, tabs and documents ([PageID], [FrameID], [TabID], [Gen]), and what pages report:
//     [PageTool], [PageResource], [PagePrompt], and requests of their MCP servers ([PageRequest]);
//   - what clients see: [HubTool], [Offer] and the [Set] of all offers. A [Maker] makes them by its [Rules], with
//     annotations ([HintPolicy]), descriptions and _meta that say where each comes from;
//   - [Meaning] decides what a name that a client saw may still mean;
//   - [Sites]: the tools of sites, which MCP-B's names have beside those of tabs; which tab a call of such a tool goes
//     to ([ChooseTool]), and which of a tab's tools outlive it ([Cacheable]).
//
// Package registry decides which pages there are and what their tools are called, and tells Sites what has changed.
//
// # Concurrency
//
// A [Maker], the [Page]s that it makes, and a [Sites] belong to one goroutine. Everything else is immutable once
// made, and may be read from any goroutine.
package offer
