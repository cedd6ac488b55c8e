// Command webmcp-hub gives AI agents the tools of the web pages in their browser: every WebMCP tool of every open Chrome
// tab becomes an ordinary MCP tool.
//
// This package has the flags, the log, the wiring of the main command, serve, and how one process takes the hub over
// from another: what the owner of a hub leaves to the next one is its Chrome, that Chrome's tabs and their numbers, and
// the places of its clients. Where Chrome could not be handed over, the next owner opens the pages again in a new Chrome
// with the same profile; what was only in a page, such as half a form, is lost then.
//
// The other commands are in package commands; what both programs of this module need is in packages process, policy,
// endpoints and livepage. What the hub does is in rooms actors, registry, mcpserver, cdpclient and extlink.
//
// serve writes MCP messages to standard output and nothing else; the other commands write their results there. All
// other output goes to standard error.
package main
