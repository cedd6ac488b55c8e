// Package stockhub is plainhub's pages in front of mcp-go's own server, used
// as its documentation says: AddTool for each tool that a page registers,
// DeleteTools for each that goes, and its stdio server. It is what benchmarks hold
// the real hub's catalog and sessions against.
//
// mcp-go sends list_changed at each change, by a queue of 100 notifications for
// each client; what doesn't fit is dropped. Its stdio server has one client.
//
// # Concurrency
//
// As plainhub's; mcp-go's server has its own locks.
package stockhub
