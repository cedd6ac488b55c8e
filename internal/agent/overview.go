package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/terminal"
)

// quiet is how long nothing must have changed before the overview counts as complete.
const quiet = 300 * time.Millisecond

// Overview is the part of list_webmcp_tools' result that people look at.
type Overview struct {
	Browser string
	Sites   []struct {
		Site        string
		Name        string
		Description string
		Tool        string
		Annotations Hints
	}
	Pages []OverviewPage
}

// OverviewPage is one page of an [Overview].
type OverviewPage struct {
	Page       int
	TabID      int
	URL, Title string
	Origin     string // if it is not the address's origin
	State      string
	Tools      []OverviewTool
	Refused    []struct{ Tool, Why string }
}

// OverviewTool is one tool of a page. Origin is that of a frame, "" for the page's own.
type OverviewTool struct {
	Name, Tool, Description, Origin string

	Introspected bool // the hub made it from the content of the page
	Annotations  Hints
}

// Hints are a tool's claims about its effects, as far as the hub believes them.
type Hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
}

// Has reports whether a page offers a tool with this name, which may be the hub's or the page's.
func (o Overview) Has(name string) bool {
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

// Empty reports whether there is no tool, and none was refused.
func (o Overview) Empty() bool {
	return !slices.ContainsFunc(o.Pages, func(p OverviewPage) bool { return len(p.Tools)+len(p.Refused) > 0 }) &&
		len(o.Sites) == 0
}

// Overview reads list_webmcp_tools until Chrome is connected and the result has stayed the same for a while, at most
// for wait. It repeats the call because no list_changed announces a page without tools.
func (a *Agent) Overview(ctx context.Context, wait time.Duration) (raw []byte, o Overview, err error) {
	deadline := time.After(wait)
	for again := false; ; {
		before := raw
		result, err := a.Call(ctx, "list_webmcp_tools", map[string]any{"detail": "full", "maxTokens": 0})
		if err != nil {
			return nil, o, err
		}
		if raw, err = jsonrpc.Encode(result.StructuredContent); err != nil {
			return nil, o, err
		}
		o = Overview{}
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

// maxDescription is how many characters of a tool's description are printed.
const maxDescription = 300

// Print writes the overview for people, in lines of at most width columns; 0 doesn't wrap.
func (o Overview) Print(w io.Writer, width int) {
	tool := func(name, description string) {
		fmt.Fprintf(w, "  %s\n%s\n", name, terminal.Wrap(shortened(description), width, "      ", "      "))
	}
	if len(o.Pages) == 0 {
		fmt.Fprintln(w, "No tab is open.")
	}
	for _, p := range o.Pages {
		fmt.Fprintf(w, "page %d  %s  %s", p.Page, cmp.Or(p.Title, "(no title)"), p.URL)
		if p.State != "" {
			fmt.Fprintf(w, "  [%s]", p.State)
		}
		fmt.Fprintln(w)
		for _, t := range p.Tools {
			tool(t.Name, t.Description)
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
		tool(t.Name, t.Description)
	}
}

// shortened returns the beginning of the first line of a text, and how many characters are left out.
func shortened(s string) string {
	line, _, more := strings.Cut(s, "\n")
	switch runes := []rune(line); {
	case len(runes) > maxDescription:
		left := utf8.RuneCountInString(s) - maxDescription
		return fmt.Sprintf("%s… (%d more characters; --json has all)", string(runes[:maxDescription]), left)
	case more:
		line += " …"
	}
	return line
}
