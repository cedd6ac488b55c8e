package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"webmcphub/internal/agent"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

func startAgent(ctx context.Context, hub, endpoint string, log *hubLog, flags ...string) (*agent.Agent, error) {
	args := append([]string{"serve", "--ws-endpoint", endpoint, "--ui"}, flags...)
	return agent.New(ctx, transport.NewStdioWithOptions(hub, nil, args, transport.WithCommandStderrWriter(log)),
		"an agent", "1")
}

// tool waits for the page tool of this name and returns the name that the agent calls it by.
func tool(ctx context.Context, a *agent.Agent, name string) (full string, err error) {
	_, err = a.Until(ctx, func(list []mcp.Tool) bool {
		i := slices.IndexFunc(list, func(t mcp.Tool) bool {
			return strings.HasPrefix(t.Name, "webmcp_") && strings.HasSuffix(t.Name, "_"+name)
		})
		if i >= 0 {
			full = list[i].Name
		}
		return i >= 0
	})
	if err != nil {
		return "", fmt.Errorf("the tool %s did not come: %w", name, err)
	}
	return full, nil
}

// play is the script: what the person says, and the calls that an agent makes of it.
func play(ctx context.Context, a *agent.Agent, f *film) error {
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
		name, err := tool(ctx, a, call.tool)
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
		result, err := a.Call(ctx, name, call.args)
		if err != nil {
			return err
		}
		text, ok := firstText(result)
		if result.IsError || !ok {
			return fmt.Errorf("%s: %v", name, result.Content)
		}
		f.add("result", text)
		if call.tool == "add_to_cart" {
			if _, err := tool(ctx, a, "checkout"); err != nil {
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
