// Package pages is how a gateway comes to know what a node's pages offer. It is pure, on both sides.
//
//	node:    catalogs ─▶ Source ─▶ Snapshot ─▶ Diff ─▶ api.Delta ─▶ Mirror ─▶ Content ─▶ Events    :gateway
//
// # What lives here
//
//   - [Source], at the node, makes a [Snapshot] of each catalog that is served. A snapshot has a version, and what
//     hasn't changed since the one before is the same pointers;
//   - [Diff] is what differs between two snapshots. The node sends each gateway what differs between the snapshot that
//     it sent last and the newest one, so changes are conflated while the way to a gateway is full;
//   - [Mirror], at the gateway, one for each node: what the node's pages are, by names that no other node can give
//     ([Named]), and whether they are shown;
//   - [Events], which tell a registry.State of a page; [Find], by which the node finds the tool that a call means.
//
// # Promises
//
//   - A Mirror's content is always a state that its node had, in one incarnation of it.
//   - It is hidden [Lost] after the connection was lost, and [Behind] after the gateway knows that the node may have
//     a later state. It is shown again when it is known to be new enough. A lost connection that is back within Lost
//     shows nowhere.
//   - A call finds the tool with the content that its caller saw, in the same document, or is refused.
//   - A node can name no page or browser of another, and what it says beyond the limits is left out, with the reason
//     ([LeftOut]).
//   - A gateway keeps at most 32 MiB of a node, counted as the bytes of the messages that tell of its pages, and 256
//     more for each page, frame, tool, resource, prompt and argument of one; besides 1,000 browsers. While a delta
//     comes in parts, it keeps at most 40 MiB of these, counted with all that they say. A node that tells more is
//     refused ([ErrTooMuch]). An honest node counts the same, and leaves out pages that have no room, until they have.
//
// The order of a node's pages in a Mirror is that in which they were opened, as in its own registry; a page that was
// closed and opened again while the gateway was away comes last.
//
// # Concurrency
//
// A Source or a Mirror belongs to one goroutine. What they give away is immutable.
package pages
