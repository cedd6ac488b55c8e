package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"webmcphub/cmd/webmcp-hub/commands"
	"webmcphub/internal/agent"
	"webmcphub/internal/terminal"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxArguments is how many bytes of arguments callCmd reads from stdin: as many as a hub takes.
const maxArguments = 64 << 20

// callCmd calls one tool.
type callCmd struct {
	attachFlags
	CallTimeout time.Duration `default:"60s" help:"How long the tool may take to answer."`
	Name        string        `arg:"" help:"The tool's full name, or the page's own name for it where only one page has it."`
	Args        string        `arg:"" optional:"" default:"{}" placeholder:"JSON" help:"The arguments, a JSON object; - reads them from standard input."`
}

// Validate checks the flags. The parser calls it.
func (c *callCmd) Validate() error {
	if c.CallTimeout <= 0 {
		return usage(fmt.Errorf("--call-timeout must be more than 0, not %v", c.CallTimeout))
	}
	return c.attachFlags.Validate()
}

// arguments returns the arguments for the tool.
func (c *callCmd) arguments(stdin io.Reader) (args map[string]any, err error) {
	text := []byte(c.Args)
	if c.Args == "-" {
		if text, err = io.ReadAll(io.LimitReader(stdin, maxArguments)); err != nil {
			return nil, fmt.Errorf("the arguments can't be read from standard input: %w", err)
		}
	}
	err = json.Unmarshal(text, &args)
	if err == nil && args == nil {
		err = errors.New("it is null")
	}
	if err != nil {
		return nil, usage(fmt.Errorf("the arguments must be a JSON object, such as '{\"text\":\"milk\"}': %w", err))
	}
	return args, nil
}

func (c *callCmd) Run() error {
	args, err := c.arguments(os.Stdin)
	if err != nil {
		return err
	}
	return c.look(c.CallTimeout, func(ctx context.Context, a *agent.Agent, _ json.RawMessage, o agent.Overview) error {
		return c.call(ctx, a, o, args)
	})
}

// call calls a page's tool, or one of the hub's own, such as open_tab.
func (c *callCmd) call(ctx context.Context, a *agent.Agent, o agent.Overview, args map[string]any) error {
	tool, with := "call_webmcp_tool", map[string]any{"name": c.Name, "arguments": args}
	known := o.Has(c.Name)
	if !known {
		list, err := a.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return err
		}
		if slices.ContainsFunc(list.Tools, func(t mcp.Tool) bool { return t.Name == c.Name }) {
			tool, with, known = c.Name, args, true
		}
	}
	// The hub has the same limit. It should expire first, because the hub's error says more.
	ctx, cancel := context.WithTimeout(ctx, c.CallTimeout+time.Second)
	defer cancel()
	line := terminal.On(os.Stderr, c.Quiet || c.Verbose)
	line.Say("waiting for the answer of " + c.Name)
	result, err := a.Call(ctx, tool, with)
	line.Done()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s gave no answer within %v, and was cancelled; --call-timeout allows for more", c.Name,
			c.CallTimeout)
	}
	if err != nil {
		return err
	}
	agent.Print(os.Stdout, result)
	if !result.IsError {
		return nil
	}
	if !known {
		fmt.Fprintln(os.Stderr, `Run "webmcp-hub tools" to see what there is.`)
	}
	return commands.ExitCode(1)
}
