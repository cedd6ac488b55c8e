// Package agent is an MCP client like an AI agent's, for commands and programs that look at a hub as an agent does.
// [Agent] connects and calls tools, [Overview] is the result of list_webmcp_tools, and [Print] shows a result to
// people.
//
// The client is mcp-go's. An Agent's methods may be called from any goroutine, but only one at a time may call Until
// and Overview, because both wait for the same notifications.
package agent
