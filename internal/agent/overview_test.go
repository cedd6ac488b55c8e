package agent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// A peerThatSays is the hub's end: list_webmcp_tools answers one after the other
// of these, and the last one from then on.
type peerThatSays struct {
	transport.Interface
	answers []string
	asked   int
}

func (p *peerThatSays) SendRequest(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	answer := p.answers[min(p.asked, len(p.answers)-1)]
	p.asked++
	return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: r.ID, Result: []byte(`{"content":[],"structuredContent":` + answer + `}`)}, nil
}

// A page without tools that comes late, on a busy machine, is seen, though no
// list_changed tells of it.
func TestOverviewWaitsForPagesWithoutTools(t *testing.T) {
	const none, one = `{"pages":[]}`, `{"pages":[{"page":0,"url":"http://a.test/","tools":[]}]}`
	for name, c := range map[string]struct {
		answers []string
		pages   int
		within  time.Duration
	}{
		"no tab at all":          {[]string{none}, 0, quiet},
		"a tab from the start":   {[]string{one}, 1, quiet},
		"a tab that comes late":  {[]string{none, one}, 1, 2 * quiet},
		"no browser for a while": {[]string{`{"browser":"No browser"}`, `{"browser":"No browser"}`, none, one}, 1, 4 * quiet},
		"no browser at all":      {[]string{`{"browser":"No browser"}`}, 0, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &Agent{Client: client.NewClient(&peerThatSays{answers: c.answers}, client.WithSession()), changed: make(chan struct{}, 1)}
				begun := time.Now()
				_, o, err := a.Overview(t.Context(), 10*time.Second)
				if err != nil || len(o.Pages) != c.pages || time.Since(begun) != c.within {
					t.Errorf("%d pages after %v, want %d after %v (%v)", len(o.Pages), time.Since(begun), c.pages, c.within, err)
				}
			})
		})
	}
}

// Long descriptions are cut, with a count, and lines fit the terminal.
func TestPrintIsShort(t *testing.T) {
	o := Overview{Pages: []OverviewPage{{Page: 1, Title: "Shop", URL: "http://a.test/", Tools: []OverviewTool{
		{Name: "long", Description: strings.Repeat("word ", 600)}, {Name: "lines", Description: "first\nsecond"},
	}}}}
	var b strings.Builder
	o.Print(&b, 60)
	if got := b.String(); !strings.Contains(got, "(2700 more") || !strings.Contains(got, "first …\n") {
		t.Errorf("got %s", got)
	}
	for line := range strings.Lines(b.String()) {
		if len([]rune(line)) > 61 {
			t.Errorf("a line is too long: %q", line)
		}
	}
}
