// Package agent is an MCP client as an AI agent has one, for the commands and
// programs that look at a hub as an agent does: [Agent] connects and calls tools,
// [Overview] is what list_webmcp_tools says, and [Print] shows a result to people.
//
// The client is mcp-go's. An Agent's methods may be called from any goroutine, but
// Until and Overview by one at a time: they wait for the same news.
package agent
