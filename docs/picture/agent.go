package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// agent is an MCP client of the hub, which it runs.
type agent struct {
	*client.Client
	changed chan struct{} // filled when the tool list changed
}

func startAgent(ctx context.Context, hub, endpoint string) (*agent, error) {
	t := transport.NewStdio(hub, nil, "serve", "--ws-endpoint", endpoint, "--log-level", "error")
	a := &agent{client.NewClient(t, client.WithLegacyProtocolOnly()), make(chan struct{}, 1)}
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
	request.Params.ClientInfo = mcp.Implementation{Name: "picture", Version: "1"}
	_, err := a.Initialize(ctx, request)
	return a, err
}

// tool waits for the page tool of this name and returns the name that the agent calls it by.
func (a *agent) tool(ctx context.Context, name string) (string, error) {
	for {
		list, err := a.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return "", err
		}
		i := slices.IndexFunc(list.Tools, func(t mcp.Tool) bool {
			return strings.HasPrefix(t.Name, "webmcp_") && strings.HasSuffix(t.Name, "_"+name)
		})
		if i >= 0 {
			return list.Tools[i].Name, nil
		}
		select {
		case <-a.changed:
		case <-ctx.Done():
			return "", fmt.Errorf("the tool %s did not come: %w", name, ctx.Err())
		}
	}
}

// play is the script: what the person says, and the calls that an agent makes of it.
func play(ctx context.Context, a *agent, f *film) error {
	f.add("you", "Put two bags of coffee into my cart and buy them.")
	if err := f.shoot(ctx, 2500); err != nil {
		return err
	}
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"search", map[string]any{"query": "coffee"}},
		{"add_to_cart", map[string]any{"product": "coffee", "count": 2}},
		{"checkout", map[string]any{}},
	} {
		name, err := a.tool(ctx, call.tool)
		if err != nil {
			return err
		}
		args, err := json.Marshal(call.args)
		if err != nil {
			return err
		}
		f.add("call", name+" "+string(args))
		if err := f.shoot(ctx, 1200); err != nil {
			return err
		}
		request := mcp.CallToolRequest{}
		request.Params.Name, request.Params.Arguments = name, call.args
		result, err := a.CallTool(ctx, request)
		if err != nil {
			return err
		}
		text, ok := firstText(result)
		if result.IsError || !ok {
			return fmt.Errorf("%s: %v", name, result.Content)
		}
		f.add("result", text)
		if call.tool == "add_to_cart" {
			if _, err := a.tool(ctx, "checkout"); err != nil {
				return err
			}
			f.add("news", "list_changed: the page now offers checkout, too")
		}
		if err := f.shoot(ctx, 2000); err != nil {
			return err
		}
	}
	return f.shoot(ctx, 2500)
}

func firstText(result *mcp.CallToolResult) (string, bool) {
	for _, c := range result.Content {
		if text, ok := mcp.AsTextContent(c); ok {
			return text.Text, true
		}
	}
	return "", false
}
