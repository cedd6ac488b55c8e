// Package agent has MCP clients over HTTP for measuring a cluster: thin ones, which list tools,
// call them, hear of changes, and ask for browsers.
//
//	a := agent.New("http://127.0.0.1:8808", token, agent.Modern)
//	list, err := a.List(ctx)
//	said, err := a.Call(ctx, list.Names["k17_echo"], "hello")
//
// # Concurrency
//
// An [Agent]'s methods may be called from any goroutine.
package agent
