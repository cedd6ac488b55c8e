package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// quiet is how long the tool list must not have changed to count as complete.
const quiet = 300 * time.Millisecond

// toolsCmd prints the tools of a running Chrome.
type toolsCmd struct {
	attachFlags
	JSON bool `name:"json" help:"Print what list_webmcp_tools returns, with schemas."`
}

// overview is the part of list_webmcp_tools' result that is printed.
type overview struct {
	Browser string
	Pages   []struct {
		Page       int
		TabID      int
		URL, Title string
		State      string
		Tools      []struct{ Name, Tool, Description string }
		Refused    []struct{ Tool, Why string }
	}
}

func (c *toolsCmd) Run() error {
	return withHub(c.attachFlags, func(ctx context.Context, a *agent) error {
		raw, o, err := a.overview(ctx, c.Wait)
		if err != nil {
			return err
		}
		if o.Browser != "" {
			return fmt.Errorf("%s", o.Browser)
		}
		if c.JSON {
			_, err := fmt.Println(string(raw))
			return err
		}
		printOverview(os.Stdout, o)
		return nil
	})
}

// overview reads list_webmcp_tools until Chrome is connected and nothing has
// changed for a while, for at most wait.
func (a *agent) overview(ctx context.Context, wait time.Duration) (raw []byte, o overview, err error) {
	deadline := time.After(wait)
	for {
		result, err := a.callTool(ctx, "list_webmcp_tools", map[string]any{})
		if err != nil {
			return nil, o, err
		}
		if raw, err = json.Marshal(result.StructuredContent); err != nil {
			return nil, o, err
		}
		o = overview{}
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, o, fmt.Errorf("list_webmcp_tools can't be read: %w", err)
		}
		settled := time.After(quiet)
		select {
		case <-a.changed:
		case <-settled:
			if o.Browser == "" {
				return raw, o, nil
			}
		case <-deadline:
			return raw, o, nil
		}
	}
}

func printOverview(w io.Writer, o overview) {
	if len(o.Pages) == 0 {
		fmt.Fprintln(w, "No tab is open.")
	}
	for _, p := range o.Pages {
		title := p.Title
		if title == "" {
			title = "(no title)"
		}
		fmt.Fprintf(w, "page %d  %s  %s", p.Page, title, p.URL)
		if p.State != "" {
			fmt.Fprintf(w, "  [%s]", p.State)
		}
		fmt.Fprintln(w)
		for _, t := range p.Tools {
			fmt.Fprintf(w, "  %s\n      %s\n", t.Name, firstLine(t.Description))
		}
		for _, r := range p.Refused {
			fmt.Fprintf(w, "  %s was refused: %s\n", r.Tool, r.Why)
		}
		if len(p.Tools)+len(p.Refused) == 0 {
			fmt.Fprintln(w, "  no tools")
		}
	}
}

func firstLine(s string) string {
	line, _, more := strings.Cut(s, "\n")
	if more {
		line += " …"
	}
	return line
}

// callCmd calls one tool.
type callCmd struct {
	attachFlags
	Name string `arg:"" help:"The tool's full name, or the page's own name for it where only one page has it."`
	Args string `arg:"" optional:"" default:"{}" placeholder:"JSON" help:"The arguments, a JSON object; - reads them from standard input."`
}

// maxArguments is how many bytes of arguments are read from stdin: what a hub takes.
const maxArguments = 64 << 20

// arguments are what the tool is called with.
func (c *callCmd) arguments(stdin io.Reader) (args map[string]any, err error) {
	text := []byte(c.Args)
	if c.Args == "-" {
		if text, err = io.ReadAll(io.LimitReader(stdin, maxArguments)); err != nil {
			return nil, fmt.Errorf("the arguments can't be read from standard input: %w", err)
		}
	}
	if err := json.Unmarshal(text, &args); err != nil {
		return nil, usage(fmt.Errorf("the arguments must be a JSON object, such as '{\"text\":\"milk\"}': %w", err))
	}
	return args, nil
}

func (c *callCmd) Run() error {
	args, err := c.arguments(os.Stdin)
	if err != nil {
		return err
	}
	return withHub(c.attachFlags, func(ctx context.Context, a *agent) error {
		_, o, err := a.overview(ctx, c.Wait)
		if err != nil {
			return err
		}
		if o.Browser != "" {
			return fmt.Errorf("%s", o.Browser)
		}
		result, err := a.callTool(ctx, "call_webmcp_tool", map[string]any{"name": c.Name, "arguments": args})
		if err != nil {
			return err
		}
		printResult(os.Stdout, result)
		if result.IsError {
			return exitCode(1)
		}
		return nil
	})
}

func printResult(w io.Writer, r *mcp.CallToolResult) {
	for _, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok {
			fmt.Fprintln(w, t.Text)
			continue
		}
		raw, err := json.Marshal(c)
		if err == nil {
			fmt.Fprintln(w, string(raw))
		}
	}
}
