package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry/mcpserver"
)

// quiet is how long nothing must have changed for what is told to count as complete.
const quiet = 300 * time.Millisecond

// toolsCmd prints the tools of the open tabs.
type toolsCmd struct {
	attachFlags
	JSON bool `name:"json" help:"Print what list_webmcp_tools returns, with schemas."`
}

// overview is the part of list_webmcp_tools' result that is printed.
type overview struct {
	Browser string
	Sites   []struct {
		Site        string
		Name        string
		Description string
	}
	Pages []overviewPage
}

type overviewPage struct {
	Page       int
	TabID      int
	URL, Title string
	State      string
	Tools      []struct{ Name, Tool, Description string }
	Refused    []struct{ Tool, Why string }
}

// has says whether a page offers a tool of this name, the hub's or its own.
func (o overview) has(name string) bool {
	for _, p := range o.Pages {
		for _, t := range p.Tools {
			if t.Name == name || t.Tool == name {
				return true
			}
		}
	}
	for _, t := range o.Sites {
		if t.Name == name {
			return true
		}
	}
	return false
}

// empty says whether there is no tool, and none was refused.
func (o overview) empty() bool {
	return !slices.ContainsFunc(o.Pages, func(p overviewPage) bool { return len(p.Tools)+len(p.Refused) > 0 }) && len(o.Sites) == 0
}

func (c *toolsCmd) Run() error {
	return withHub(c.attachFlags, mcpserver.DefaultCallTimeout, func(ctx context.Context, a *agent) error {
		raw, o, err := a.overview(ctx, c.Wait)
		if err == nil {
			err = c.reached(a, o)
		}
		if err != nil {
			return err
		}
		if o.empty() {
			defer fmt.Fprintln(os.Stderr, c.whyEmpty(ctx, a, o))
		}
		if c.JSON {
			_, err := fmt.Println(string(raw))
			return err
		}
		printOverview(os.Stdout, o)
		return nil
	})
}

// reached says why no browser is.
func (f attachFlags) reached(a *agent, o overview) error {
	switch {
	case o.Browser == "":
		return nil
	case a.hub != 0:
		return fmt.Errorf("the webmcp-hub that runs (process %d) has no browser: %s", a.hub, o.Browser)
	case f.unnamed():
		return fmt.Errorf("no webmcp-hub runs that could be asked, and %s", o.Browser)
	}
	return errors.New(o.Browser)
}

// whyEmpty says why there may be no tools. The commonest reason is WebMCP
// being off in a Chrome that the user started.
func (f attachFlags) whyEmpty(ctx context.Context, a *agent, o overview) string {
	ctx, cancel := context.WithTimeout(ctx, f.Wait)
	defer cancel()
	if len(o.Pages) == 0 {
		return "No tab is open, so there are no tools."
	}
	on, err := f.webmcpOn(ctx, a)
	if err == nil && !on {
		return "WebMCP is switched off in this Chrome, so its pages have tools of @mcp-b/global only. Start it with " + cdpclient.DebuggingFlags(f.chrome().BrowserURL) + ", or switch on chrome://flags/#enable-webmcp-testing."
	}
	why := "No open page offers tools."
	if err != nil {
		why += " If one should, WebMCP may be switched off in that Chrome (one that you start needs --enable-features=WebMCP; \"webmcp-hub doctor --browser-url=URL\" looks at it), or the page's address is neither https: nor on this computer."
	}
	return why + " \"webmcp-hub serve --help\" explains --introspect, which makes tools of forms, buttons and links."
}

// errUnseen means that no page can tell whether WebMCP is on.
var errUnseen = errors.New("no page can tell")

// webmcpOn asks a page whether it has WebMCP, without its noticing. Which Chrome a
// hub of another process has is known only if the flags name it.
func (f attachFlags) webmcpOn(ctx context.Context, a *agent) (bool, error) {
	if a.hub != 0 && !f.chromeNamed() {
		return false, errUnseen
	}
	dialer, err := f.chrome().dialer(nil, f.logger())
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

// pageHasWebMCP says whether an open page has document.modelContext. Only
// secure contexts can.
func pageHasWebMCP(ctx context.Context, conn *cdpclient.Conn, target string) (bool, error) {
	var attached struct{ SessionID cdpclient.SessionID }
	if err := conn.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &attached); err != nil {
		return false, err
	}
	defer func() {
		_ = conn.Call(ctx, "", "Target.detachFromTarget", map[string]any{"sessionId": attached.SessionID}, nil)
	}()
	var result cdpclient.EvaluateResult
	err := conn.Call(ctx, attached.SessionID, cdpclient.RuntimeEvaluate, cdpclient.EvaluateParams{Expression: `isSecureContext ? typeof document.modelContext : "insecure"`, ReturnByValue: true}, &result)
	switch {
	case err != nil:
		return false, err
	case string(result.Result.Value) == `"insecure"`:
		return false, errUnseen
	}
	return string(result.Result.Value) == `"object"`, nil
}

// overview reads list_webmcp_tools until Chrome is connected and it has said the
// same for a while, for at most wait. No list_changed tells of a page without tools.
func (a *agent) overview(ctx context.Context, wait time.Duration) (raw []byte, o overview, err error) {
	deadline := time.After(wait)
	for again := false; ; {
		before := raw
		result, err := a.callTool(ctx, "list_webmcp_tools", map[string]any{})
		if err != nil {
			return nil, o, err
		}
		if raw, err = plainJSON(result.StructuredContent); err != nil {
			return nil, o, err
		}
		o = overview{}
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, o, fmt.Errorf("list_webmcp_tools can't be read: %w", err)
		}
		if again && o.Browser == "" && bytes.Equal(raw, before) {
			return raw, o, nil
		}
		select {
		case <-a.changed:
			again = false
		case <-time.After(quiet):
			again = true
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
	for i, t := range o.Sites {
		if i == 0 || o.Sites[i-1].Site != t.Site {
			fmt.Fprintf(w, "site %s, in whichever of its tabs suits\n", t.Site)
		}
		fmt.Fprintf(w, "  %s\n      %s\n", t.Name, firstLine(t.Description))
	}
}

func firstLine(s string) string {
	line, _, more := strings.Cut(s, "\n")
	if more {
		line += " …"
	}
	return line
}
