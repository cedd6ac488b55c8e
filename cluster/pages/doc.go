// Package pages tells a gateway what a node's pages offer. It is pure, on both sides.
//
//	node:    catalogs ─▶ Source ─▶ Snapshot ─▶ Diff ─▶ api.Delta ─▶ Mirror ─▶ Content ─▶ Events    :gateway
//
// # What lives here
//
//   - [Source], at the node, makes a [Snapshot] of each catalog that the node's registry serves. A snapshot has a
//     version. It shares the pointers of the previous snapshot for whatever hasn't changed.
//   - [Diff] returns what differs between two snapshots. The node sends each gateway what differs between the
//     snapshot that it sent last and the newest one. So several changes become one message while a gateway can't
//     take more messages.
//   - [Mirror], at the gateway, holds the pages of one node, under names that no other node can use ([Named]). It
//     decides whether the gateway shows them.
//   - [Events] returns the events that bring a registry.State up to date with a page. [Find], at the node, finds the
//     tool that a gateway calls.
//
// # Promises
//
//   - A Mirror's content is always a state that one incarnation of its node had.
//   - The content is hidden when the connection has been lost for [Lost], and [Behind] after the gateway notices
//     that the node may have a later state. It is shown again when the gateway knows that it is new enough. If a
//     connection is lost and comes back within Lost, clients see no change.
//   - A call finds the tool with the content that its caller saw, in the same document, or it is refused.
//   - A node can't name a page or a browser of another node. Whatever exceeds a limit is left out, and [LeftOut] says
//     why.
//   - A gateway keeps at most 32 MiB of a node's pages. This counts the bytes of the messages that describe the
//     pages, and 256 bytes more for each page, frame, tool, resource, prompt and argument of a prompt. The gateway
//     keeps at most 1,000 browsers of a node. While it receives the parts of a delta, it keeps at most 40 MiB of
//     parts. A node that sends more is refused ([ErrTooMuch]). A node of this program counts in the same way, and
//     leaves out pages until there is room for them.
//
// A Mirror has a node's pages in the order in which they were opened, as the node's registry does. A page that was
// closed and opened again while the gateway wasn't connected comes last.
//
// # Concurrency
//
// A Source or a Mirror belongs to one goroutine. What they return is immutable.
package pages
