package node_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/allot"
	"webmcphub/cluster/allot/memory"
	"webmcphub/cluster/link"
	"webmcphub/cluster/node"
	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

type dialer struct{ chrome *cdptest.Browser }

func (d dialer) Dial(context.Context) (cdpclient.Wire, error) { return d.chrome.Connect(), nil }

// start starts a node with one browser of its own.
func start(t *testing.T, d actors.Dialer, set ...func(*node.Options)) *node.Node {
	o := node.Options{Name: "one", Listen: "127.0.0.1:0", Build: "test",
		Browsers: []node.Browser{
			{Own: true, Browser: actors.Browser{NamedBrowser: registry.NamedBrowser{Name: "own"}, Reach: actors.Reach{Dialer: d}, Key: "1"}},
		}}
	for _, f := range set {
		f(&o)
	}
	n, err := node.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	return n
}

// front is a gateway that a test speaks for.
type front struct {
	t    *testing.T
	link *link.Link
	to   link.Peer
	said chan wire.Message
	last uint64
	page wire.Page // the newest that was told of
}

func greet(t *testing.T, n *node.Node, name string) *front {
	f := &front{t: t, to: link.Peer{Role: link.Node, Name: "one", Address: n.Addr()}, said: make(chan wire.Message, 1000)}
	var err error
	f.link, err = link.Open(link.Options{Self: link.Peer{Role: link.Gateway, Name: name}, Listen: "127.0.0.1:0",
		Receive: func(_ link.Peer, m wire.Message) { f.said <- m }, Lost: func(link.Peer, error) {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.link.Close)
	f.say(wire.Hello{Oldest: wire.Oldest, Newest: wire.Newest, Incarnation: "first", Talk: "first.1"})
	return f
}

func (f *front) say(m wire.Message) {
	if err := f.link.Send(f.to, m); err != nil {
		f.t.Fatal(err)
	}
}

// until waits for a message that will do.
func (f *front) until(what string, does func(wire.Message) bool) {
	f.t.Helper()
	late := time.After(patience)
	for {
		select {
		case m := <-f.said:
			switch m := m.(type) {
			case wire.Whole:
				for _, p := range m.Pages {
					f.page = p
				}
			case wire.Changes:
				for _, p := range m.Pages {
					f.page = p
				}
			}
			if does(m) {
				return
			}
		case <-late:
			f.t.Fatalf("waited for %s", what)
		}
	}
}

// tool waits until the page offers one with that description.
func (f *front) tool(description string) wire.Call {
	f.t.Helper()
	var c wire.Call
	f.until(description, func(wire.Message) bool {
		for _, t := range f.page.Tools {
			if t.Description == description {
				p := t.PageTool()
				c = wire.Call{Page: f.page.ID, Frame: string(p.Frame), Doc: uint64(p.Doc), Runtime: p.Runtime, Tool: p.Name, Digest: wire.Digest(p), Args: json.RawMessage(`{}`)}
				return true
			}
		}
		return false
	})
	return c
}

func (f *front) begin(kind wire.RequestKind, body any) uint64 {
	raw, err := json.Marshal(body)
	if err != nil {
		f.t.Fatal(err)
	}
	f.last++
	f.say(wire.Request{ID: f.last, Kind: kind, Body: raw})
	return f.last
}

func (f *front) reply(id uint64) (r wire.Reply) {
	f.t.Helper()
	f.until("a reply", func(m wire.Message) bool {
		var is bool
		r, is = m.(wire.Reply)
		return is && r.ID == id
	})
	return r
}

// called calls a tool, and gives what came of it.
func (f *front) called(c wire.Call) (r wire.Called) {
	f.t.Helper()
	got := f.reply(f.begin(wire.CallTool, c))
	if got.Error != nil {
		f.t.Fatal(got.Error)
	}
	if err := json.Unmarshal(got.Result, &r); err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *front) refuses(c wire.Call, want string) {
	f.t.Helper()
	if r := f.called(c); !r.IsError || r.Ending != "gone" || !strings.Contains(string(r.Result), want) {
		f.t.Errorf("the call gave %+v, %s; want %q", r, r.Result, want)
	}
}

func says(text string) func(context.Context, json.RawMessage) (any, error) {
	return func(context.Context, json.RawMessage) (any, error) { return text, nil }
}

// A call reaches the tool that was listed: what its page has changed since, taken away, or left
// with its document is refused with the reason, and so is what no gateway in a talk asks.
func TestWhatChangedIsRefused(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	n := start(t, dialer{chrome})
	page := chrome.OpenPage("http://shop.test/")
	page.Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says("bought")})
	f := greet(t, n, "front")
	buy := f.tool("buys")
	if r := f.called(buy); r.IsError || !strings.Contains(string(r.Result), "bought") {
		t.Errorf("the call gave %s", r.Result)
	}
	page.Unregister("buy")
	page.Register(cdptest.Tool{Name: "buy", Description: "sells", Execute: says("sold")})
	sell := f.tool("sells")
	f.refuses(buy, "has changed since it was listed")
	page.Navigate("http://shop.test/")
	page.Register(cdptest.Tool{Name: "buy", Description: "lends", Execute: says("lent")})
	f.tool("lends")
	f.refuses(sell, "no longer offers")
	page.Close()
	f.until("the page's end", func(m wire.Message) bool { c, is := m.(wire.Changes); return is && len(c.Gone) > 0 })
	f.refuses(sell, "was closed")

	f.last++
	stranger := &front{t: t, to: f.to, said: f.said}
	var err error
	stranger.link, err = link.Open(link.Options{Self: link.Peer{Role: link.Gateway, Name: "stranger"}, Listen: "127.0.0.1:0",
		Receive: func(_ link.Peer, m wire.Message) { stranger.said <- m }, Lost: func(link.Peer, error) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.link.Close()
	stranger.last = 1000
	if r := stranger.reply(stranger.begin(wire.CallTool, sell)); r.Error == nil {
		t.Errorf("one that said no Hello was served: %+v", r)
	}
}

// A gateway that has started anew has nothing under way: what the one before had is ended.
func TestNewIncarnationEndsWhatWasUnderWay(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	n := start(t, dialer{chrome})
	ended := make(chan struct{})
	began := make(chan struct{})
	chrome.OpenPage("http://shop.test/").Register(cdptest.Tool{Name: "slow", Description: "is slow", Execute: func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}})
	f := greet(t, n, "front")
	f.begin(wire.CallTool, f.tool("is slow"))
	<-began
	f.say(wire.Hello{Oldest: wire.Oldest, Newest: wire.Newest, Incarnation: "second", Talk: "second.1"})
	<-ended
}

// chromes is a dialer that starts another fake Chrome each time, and ends it with its connection.
type chromes struct{ started chan *cdptest.Browser }

func (c chromes) Dial(context.Context) (cdpclient.Wire, error) {
	b := cdptest.New()
	c.started <- b
	return dying{b.Connect(), b}, nil
}

type dying struct {
	cdpclient.Wire
	chrome *cdptest.Browser
}

func (d dying) Close() error {
	defer d.chrome.Die()
	return d.Wire.Close()
}

// A browser whose lease has ended is another one afterwards, without the tabs of the one before.
func TestRecycle(t *testing.T) {
	c := memory.New()
	lends := c.Open(allot.Options{Name: "node-one"}, slog.New(slog.DiscardHandler))
	defer lends.Close()
	gives := c.Open(allot.Options{Name: "front", Allots: true}, slog.New(slog.DiscardHandler))
	defer gives.Close()
	gives.Limit(allot.Limits{})
	all := chromes{make(chan *cdptest.Browser, 10)}
	n := start(t, all, func(o *node.Options) { o.Store = lends })
	first := <-all.started
	first.OpenPage("http://shop.test/").Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says("bought")})
	f := greet(t, n, "front")
	f.tool("buys")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	lease, err := gives.Acquire(ctx, allot.Wish{Tenant: "x", Wait: patience}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := gives.Release(ctx, "x", lease.Handle); err != nil {
		t.Fatal(err)
	}
	select {
	case second := <-all.started:
		if len(second.Pages()) != 0 {
			t.Error("the fresh browser has tabs")
		}
	case <-ctx.Done():
		t.Fatal("no fresh browser was started")
	}
	f.until("the old tab's end", func(m wire.Message) bool { c, is := m.(wire.Changes); return is && len(c.Gone) > 0 })
	if again, err := gives.Acquire(ctx, allot.Wish{Tenant: "y", Wait: patience}, nil); err != nil || again.Life == lease.Life {
		t.Errorf("then it was lent as %+v (%v), and before as %+v", again, err, lease)
	}
}
