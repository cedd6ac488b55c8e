package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/cdpclient"
	"webmcphub/internal/agent"
	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/terminal"
	"webmcphub/mcpserver"
)

// toolsCmd prints the tools of the open tabs.
type toolsCmd struct {
	attachFlags
	JSON bool `name:"json" help:"Print what list_webmcp_tools returns, with schemas."`
}

func (c *toolsCmd) Run() error {
	return c.look(mcpserver.DefaultCallTimeout, func(ctx context.Context, a *agent.Agent, raw json.RawMessage,
		o agent.Overview) error {
		if o.Empty() {
			defer fmt.Fprintln(os.Stderr, c.whyEmpty(ctx, a, o))
		}
		if c.JSON {
			_, err := fmt.Println(string(raw))
			return err
		}
		o.Print(os.Stdout, terminal.Width(os.Stdout))
		return nil
	})
}

// reached returns an error that says why the hub has no browser; nil if it has one.
func (f attachFlags) reached(a *agent.Agent, o agent.Overview) error {
	switch {
	case o.Browser == "":
		return nil
	case a.Hub != 0:
		return fmt.Errorf("the webmcp-hub that runs (process %d) has no browser: %s", a.Hub, o.Browser)
	case f.unnamed():
		return fmt.Errorf("no webmcp-hub runs that could be asked, and %s", o.Browser)
	}
	return errors.New(o.Browser)
}

// whyEmpty says why there may be no tools. The most common reason is that the user started a Chrome with WebMCP
// switched off.
func (f attachFlags) whyEmpty(ctx context.Context, a *agent.Agent, o agent.Overview) string {
	ctx, cancel := context.WithTimeout(ctx, f.Wait)
	defer cancel()
	if len(o.Pages) == 0 {
		return "No tab is open, so there are no tools."
	}
	on, err := f.webmcpOn(ctx, a)
	if err == nil && !on {
		return "WebMCP is switched off in this Chrome, so its pages have tools of @mcp-b/global only. Start it with " +
			cdpclient.DebuggingFlags(strings.Join(f.chrome().BrowserURL[:min(1, len(f.chrome().BrowserURL))], "")) +
			", or switch on chrome://flags/#enable-webmcp-testing."
	}
	why := "No open page offers tools."
	if err != nil {
		why += " If one should, WebMCP may be switched off in that Chrome (one that you start needs " +
			"--enable-features=WebMCP; \"webmcp-hub doctor --browser-url=URL\" looks at it), or the page's address " +
			"is neither https: nor on this computer."
	}
	return why + " \"webmcp-hub serve --help\" explains --introspect, which makes tools of forms, buttons and links."
}

// errUnseen means that no page can tell whether WebMCP is on.
var errUnseen = errors.New("no page can tell")

// webmcpOn asks a page whether it has WebMCP; the page doesn't notice. If the hub belongs to another process, its
// Chrome is known only if the flags name it.
func (f attachFlags) webmcpOn(ctx context.Context, a *agent.Agent) (bool, error) {
	if a.Hub != 0 && !f.chromeNamed() {
		return false, errUnseen
	}
	dialer, err := f.chrome().dialerOfFlags(&OwnedChrome{}, f.logger())
	if err != nil {
		return false, err
	}
	wire, err := dialer.Dial(ctx)
	if err != nil {
		return false, err
	}
	conn := cdpclient.NewConn(wire, func(cdpclient.Message) {})
	defer conn.Close()
	var targets cdpclient.GetTargetsResult
	if err := conn.Call(ctx, "", cdpclient.TargetGetTargets, nil, &targets); err != nil {
		return false, err
	}
	for _, t := range targets.TargetInfos {
		if t.Type != cdpclient.TypePage || !strings.HasPrefix(t.URL, "http") && !strings.HasPrefix(t.URL, "file:") {
			continue
		}
		if has, err := pageHasWebMCP(ctx, conn, t.TargetID); err == nil {
			return has, nil
		}
	}
	return false, errUnseen
}

// pageHasWebMCP reports whether an open page has document.modelContext. Only secure contexts can have it.
func pageHasWebMCP(ctx context.Context, conn *cdpclient.Conn, target string) (bool, error) {
	session, err := conn.AttachTo(ctx, target)
	if err != nil {
		return false, err
	}
	defer func() {
		_ = conn.Call(ctx, "", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: session}, nil)
	}()
	has, err := conn.Evaluate(ctx, session, `isSecureContext ? typeof document.modelContext : "insecure"`)
	switch {
	case err != nil:
		return false, err
	case string(has) == `"insecure"`:
		return false, errUnseen
	}
	return string(has) == `"object"`, nil
}

// tokensCmd says how many tokens the tools of the open tabs cost in a model's context.
type tokensCmd struct {
	attachFlags
	Tools int  `default:"5" placeholder:"N" help:"How many tools of each tab to print, the most expensive first; 0 prints all."`
	JSON  bool `name:"json" help:"Print JSON, with all tools."`
}

// Validate checks the flags. The parser calls it.
func (c *tokensCmd) Validate() error {
	if c.Tools < 0 {
		return usage(fmt.Errorf("--tools must be 0 (all) or more, not %d", c.Tools))
	}
	return c.attachFlags.Validate()
}

func (c *tokensCmd) Run() error {
	return c.look(mcpserver.DefaultCallTimeout, func(ctx context.Context, a *agent.Agent, _ json.RawMessage,
		o agent.Overview) error {
		list, err := a.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return err
		}
		costs, err := agent.Count(o, list.Tools)
		if err != nil {
			return err
		}
		if c.JSON {
			raw, err := jsonrpc.Encode(costs)
			if err == nil {
				_, err = fmt.Println(string(raw))
			}
			return err
		}
		costs.Print(os.Stdout, c.Tools)
		return nil
	})
}
