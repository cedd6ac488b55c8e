// Package stockhub is plainhub's pages in front of mcp-go's own server, used
// as its documentation says: AddTool for each tool that a page registers,
// DeleteTools for each that goes, and its stdio server. It is what benchmarks hold
// the real hub's catalog and sessions against.
//
// There are two of it:
//
//   - as it comes: mcp-go sends list_changed at each change, by a queue of 100
//     notifications for each client; what doesn't fit is dropped;
//   - coalesced: mcp-go is told not to send list_changed, and this package sends
//     it, by SendNotificationToAllClients, at the pace of the real hub: for the
//     first change at once, then once an interval. The tools themselves are still
//     added and deleted at once, so every list is of that moment. This is the
//     fair comparison: what somebody who knows the storms would build of mcp-go's
//     server in thirty lines.
//
// mcp-go's stdio server has one client.
//
// # Concurrency
//
// As plainhub's; mcp-go's server has its own locks.
package stockhub
