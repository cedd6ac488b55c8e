// Package agent is an MCP client like an AI agent's, for commands and programs that look at a hub as an agent does.
// [Agent] connects and calls tools, [Overview] is the result of list_webmcp_tools, and [Print] shows a result to
// people.
//
// The client is mcp-go's. An Agent's methods may be called from any goroutine, but only one at a time may call Until
// and Overview, because both wait for the same notifications.
package agent

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
)

// Agent is an MCP client of a hub.
type Agent struct {
	*client.Client
	changed chan struct{} // filled when the tool list has changed
	Hub     int           // the process that runs the hub, if known
}

// New connects over a transport, and introduces itself by name and version.
func New(ctx context.Context, t transport.Interface, name, version string) (*Agent, error) {
	a := &Agent{Client: client.NewClient(t, client.WithLegacyProtocolOnly()), changed: make(chan struct{}, 1)}
	a.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == string(mcp.MethodNotificationToolsListChanged) {
			select {
			case a.changed <- struct{}{}:
			default:
			}
		}
	})
	if err := a.Start(ctx); err != nil {
		return nil, err
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: name, Version: version}
	if _, err := a.Initialize(ctx, request); err != nil {
		return nil, fmt.Errorf("the hub did not answer: %w", err)
	}
	return a, nil
}

// Until lists the tools, and lists them again at each change, until done returns true or ctx ends.
func (a *Agent) Until(ctx context.Context, done func([]mcp.Tool) bool) ([]mcp.Tool, error) {
	for {
		list, err := a.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return nil, err
		}
		if done(list.Tools) {
			return list.Tools, nil
		}
		select {
		case <-a.changed:
		case <-ctx.Done():
			return list.Tools, ctx.Err()
		}
	}
}

// Call calls a tool with the given arguments.
func (a *Agent) Call(ctx context.Context, name string, args any) (*mcp.CallToolResult, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name = name
	request.Params.Arguments = args
	return a.CallTool(ctx, request)
}

// Over connects to a hub that reads from out's other end and writes to in.
func Over(ctx context.Context, in io.Reader, out io.WriteCloser, version string) (*Agent, error) {
	return New(ctx, transport.NewIO(in, out, io.NopCloser(strings.NewReader(""))), "webmcp-hub", version)
}

// Print writes a result: its text as it stands, the rest as JSON.
func Print(w io.Writer, r *mcp.CallToolResult) {
	for _, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok {
			fmt.Fprintln(w, t.Text)
			continue
		}
		raw, err := jsonrpc.Encode(c)
		if err == nil {
			fmt.Fprintln(w, string(raw))
		}
	}
}
