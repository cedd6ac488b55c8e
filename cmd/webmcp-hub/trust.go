package main

import (
	"webmcphub/registry/mcpserver"
	"webmcphub/trust"
)

// oversight is what the hub's MCP server tells of calls, and by what it is told which
// may be carried out.
func (x extras) oversight() mcpserver.Oversight {
	o := mcpserver.Oversight{Called: x.called}
	if x.trust.Decides() {
		o.Trust = trust.New(x.trust)
	}
	return o
}
