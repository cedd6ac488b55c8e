// Package pageserver keeps the MCP servers of a page's documents: what they offer,
// calls of their tools, and what the hub and they ask each other.
//
// A frame's document has up to two, its [Servers]: the page's own (@mcp-b/global), and
// the hub's adapter, which makes a server of tools that are reached in no other way.
// How messages get there is the link's affair, which gives each server a [Home].
//
// A [Server] belongs to the tab's actor, in whose turn all its methods are called.
// Goroutines that talk to the server come back as a [Message]; if the document has
// another server by then, or none, that comes to nothing.
package pageserver
