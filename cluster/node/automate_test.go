package node_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/node"
	"webmcphub/cluster/wire"
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

func (h *hand) Call(ctx context.Context, client string, a wire.Automation, progress func(string)) wire.Automated {
	progress("at it")
	h.calls <- client
	if h.hangs {
		<-ctx.Done()
	}
	return wire.Automated{Result: json.RawMessage(`{"content":[]}`), Page: a.Page}
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
	f.until("a welcome", func(m wire.Message) bool {
		w, is := m.(wire.Welcome)
		return is && strings.Join(w.Automation, " ") == "input debugging"
	})
	call := wire.Automation{Tool: "click", Client: "a", Page: "p", Progress: true}
	id := f.begin(wire.Automate, call)
	f.until("progress", func(m wire.Message) bool { p, is := m.(wire.Progress); return is && string(p.Params) == `"at it"` })
	var done wire.Automated
	if r := f.reply(id); r.Error != nil || json.Unmarshal(r.Result, &done) != nil || done.Page != "p" {
		t.Errorf("the reply is %+v", r)
	}
	other.reply(other.begin(wire.Automate, call))
	f.reply(f.begin(wire.Automate, wire.Automation{Tool: "click", Client: "b"}))
	f.reply(f.begin(wire.Automate, wire.Automation{Tool: "click"}))
	mine, others, second, nobody := <-h.calls, <-h.calls, <-h.calls, <-h.calls
	if mine == others || mine == second || nobody != "" {
		t.Errorf("the clients are %q, %q, %q and %q", mine, others, second, nobody)
	}

	f.reply(f.begin(wire.ClientGone, wire.Gone{Client: "a"}))
	if gone := <-h.gone; gone != mine {
		t.Errorf("%q is gone, not %q", gone, mine)
	}
	f.say(wire.Hello{Oldest: wire.Oldest, Newest: wire.Newest, Incarnation: "second", Talk: "second.1"})
	if gone := <-h.gone; gone != second {
		t.Errorf("%q is gone with the gateway, not %q", gone, second)
	}
	f.reply(f.begin(wire.Automate, call))
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
	id := f.begin(wire.Automate, wire.Automation{Tool: "click", Client: "a"})
	<-h.calls
	f.say(wire.Cancel{ID: id, Why: "nobody wants it"})
	if r := f.reply(id); r.Error != nil {
		t.Errorf("the reply is %+v", r)
	}
}
