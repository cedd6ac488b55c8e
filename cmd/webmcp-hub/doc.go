// Command webmcp-hub gives AI agents the tools of the web pages in their browser: every WebMCP tool of every open
// Chrome tab becomes an ordinary MCP tool.
//
// This package has the flags, the log and the wiring of the main command, serve. It also implements how one process
// takes the hub over from another. The owner of a hub leaves the next owner its Chrome, the tabs of that Chrome and
// their numbers, and the places of its clients. If Chrome can't be handed over, the next owner opens the pages again
// in a new Chrome with the same profile. State that existed only in a page, such as a half-filled form, is lost then.
//
// The other commands are in package commands. The packages browsers, livepage, person, policy and process have what
// several commands need, also those of webmcp-hub-cluster. The hub itself is in actors, registry, mcpserver, cdpclient
// and extlink.
//
// serve writes only MCP messages to standard output; the other commands write their results there. All other output
// goes to standard error.
package main
