package node_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/api"
	"webmcphub/cluster/node"
	"webmcphub/registry"
)

// hand is an automation that says who called, and who is gone.
type hand struct {
	host  node.Host
	calls chan string
	gone  chan string
	hangs bool
}

func (h *hand) Categories() []string { return []string{"input", "debugging"} }

func (h *hand) Call(ctx context.Context, client string, a *api.Automation, progress func(string)) *api.Automated {
	progress("at it")
	h.calls <- client
	if h.hangs {
		<-ctx.Done()
	}
	return &api.Automated{Result: json.RawMessage(`{"content":[]}`), Page: a.Page}
}

func (h *hand) ClientGone(client string) { h.gone <- client }

func (h *hand) Close() { close(h.gone) }

// TestBrowserTools: a node says which browser tools it carries out, carries them out for clients that are each
// gateway's own, tells of progress, and ends what a client has once that, or its gateway, is gone.
func TestBrowserTools(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	h := &hand{calls: make(chan string, 10), gone: make(chan string, 10)}
	n := start(t, dialer{chrome}, func(o *node.Options) {
		o.Automation = func(host node.Host) node.Automation {
			h.host = host
			return h
		}
	})
	f, other := greet(t, n, "front"), greet(t, n, "other")
	if h := f.hello(); strings.Join(h.Automation, " ") != "input debugging" {
		t.Errorf("it carries out %q", h.Automation)
	}
	other.hello()
	call := &api.Automation{Tool: "click", Client: "a", Page: "p"}
	r, progress, err := f.begin(t.Context(), automation(call)).result()
	if err != nil || r.Error != nil || r.Automated.Page != "p" || string(r.Json) != `{"content":[]}` || strings.Join(progress, " ") != `"at it"` {
		t.Errorf("it came to %v, %q, %v", r, progress, err)
	}
	ask := func(f *front, a *api.Automation) {
		t.Helper()
		if _, _, err := f.begin(t.Context(), automation(a)).result(); err != nil {
			t.Error(err)
		}
	}
	ask(other, call)
	ask(f, &api.Automation{Tool: "click", Client: "b"})
	ask(f, &api.Automation{Tool: "click"})
	mine, others, second, nobody := <-h.calls, <-h.calls, <-h.calls, <-h.calls
	if mine == others || mine == second || nobody != "" {
		t.Errorf("the clients are %q, %q, %q and %q", mine, others, second, nobody)
	}

	if _, err := f.ClientGone(t.Context(), &api.ClientGoneRequest{Client: "a"}); err != nil {
		t.Error(err)
	}
	if gone := <-h.gone; gone != mine {
		t.Errorf("%q is gone, not %q", gone, mine)
	}
	f = greetAs(t, n, "front", "second", nil)
	f.hello()
	if gone := <-h.gone; gone != second {
		t.Errorf("%q is gone with the gateway, not %q", gone, second)
	}
	ask(f, call)
	if now := <-h.calls; now == mine {
		t.Error("a client of a gateway's next life is one of its last")
	}
	if h.host.InLife("own", "another") || !h.host.InLife("own", "") {
		t.Error("a browser is in a life that it isn't in, or in none")
	}
	if h.host.Await(t.Context(), func(*registry.Catalog) bool { return true }) == nil {
		t.Error("a catalog that satisfies wasn't given")
	}
}

// TestBrowserToolsAreCancelled: a call ends with who wants it.
func TestBrowserToolsAreCancelled(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	h := &hand{calls: make(chan string, 10), gone: make(chan string, 10), hangs: true}
	n := start(t, dialer{chrome}, func(o *node.Options) { o.Automation = func(node.Host) node.Automation { return h } })
	f := greet(t, n, "front")
	f.hello()
	c := f.begin(t.Context(), automation(&api.Automation{Tool: "click", Client: "a"}))
	<-h.calls
	if err := c.Send(&api.CallRequest{Event: &api.CallRequest_Cancel_{Cancel: &api.CallRequest_Cancel{Why: "nobody wants it"}}}); err != nil {
		t.Fatal(err)
	}
	if r, _, err := c.result(); err != nil || r.Error != nil {
		t.Errorf("it came to %v, %v", r, err)
	}
	ctx, end := context.WithCancel(t.Context())
	f.begin(ctx, automation(&api.Automation{Tool: "click", Client: "a"}))
	<-h.calls
	end() // the end of the stream ends the call, too: else the node could not be stopped
}
