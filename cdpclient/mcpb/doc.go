// Package mcpb is the MCP client of a page's own MCP server (@mcp-b/global and the like), over the bridge.
package mcpb
