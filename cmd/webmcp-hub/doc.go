// Command webmcp-hub gives AI agents the tools of the web pages in their
// browser: every WebMCP tool of every open Chrome tab as an ordinary MCP tool.
//
// This package holds flags, logging and wiring, and the subcommands around the main
// one, serve: demo, tools, call, doctor, extension, token, help, version. Packages demo,
// doctor and process below it have what stands alone. What the hub does is in packages
// actors, registry, cdpclient and extlink; the audit log and the store of cached tools
// are opened here, see policy.go.
//
// To standard output serve writes MCP messages alone, and each other command
// what it was asked for; everything else said goes to standard error.
package main
