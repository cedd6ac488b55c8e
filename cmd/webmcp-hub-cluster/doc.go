// Command webmcp-hub-cluster makes one MCP endpoint of many machines' browsers: its command node runs
// beside browsers, gateway serves MCP, and cluster is for operators. "webmcp-hub node" and so on
// start it. See docs/cluster.md.
package main
