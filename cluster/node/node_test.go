package node_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/api"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/cluster/node"
	"webmcphub/cluster/pages"
	"webmcphub/cluster/transport"
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
			{Own: true, BrowserOptions: actors.BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: "own"}, ConnectOptions: actors.ConnectOptions{Dialer: d}, Key: "1"}},
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
	api.NodeClient
	t     *testing.T
	conn  *transport.Conn
	watch grpc.BidiStreamingClient[api.WatchRequest, api.WatchResponse]
	said  chan *api.WatchResponse
	ended chan error // takes why the stream ended
	page  *api.Page  // the newest that was told of
	tools map[uint64]*api.Tool
}

func greet(t *testing.T, n *node.Node, name string) *front { return greetAs(t, n, name, "first", nil) }

// dial makes a gateway's connection to a node.
func dial(t *testing.T, n *node.Node, name, incarnation string) *transport.Conn {
	t.Helper()
	d, err := transport.NewDialer(transport.Caller{Role: transport.Gateway, Name: name, Incarnation: incarnation}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Dial("one", n.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// greetAs watches a node, from what the gateway has; nil is nothing.
func greetAs(t *testing.T, n *node.Node, name, incarnation string, has *api.WatchRequest_Open) *front {
	t.Helper()
	if has == nil {
		has = &api.WatchRequest_Open{}
	}
	f := &front{t: t, conn: dial(t, n, name, incarnation), said: make(chan *api.WatchResponse, 1000),
		ended: make(chan error, 1), tools: map[uint64]*api.Tool{}}
	f.NodeClient = api.NewNodeClient(f.conn)
	var err error
	if f.watch, err = f.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.say(&api.WatchRequest{Event: &api.WatchRequest_Open_{Open: has}})
	go func() {
		for {
			m, err := f.watch.Recv()
			if err != nil {
				f.ended <- err
				return
			}
			f.said <- m
		}
	}()
	return f
}

func (f *front) say(m *api.WatchRequest) {
	if err := f.watch.Send(m); err != nil {
		f.t.Fatal(err)
	}
}

// until waits for a message that will do.
func (f *front) until(what string, does func(*api.WatchResponse) bool) {
	f.t.Helper()
	late := time.After(patience)
	for {
		select {
		case m := <-f.said:
			for _, p := range m.GetDelta().GetPages() {
				for _, t := range p.GetTools().GetNew() {
					f.tools[t.Number] = t
				}
				if f.page != nil && f.page.Id == p.Id && p.Tools == nil {
					p.Tools = f.page.Tools
				}
				f.page = p
			}
			if does(m) {
				return
			}
		case err := <-f.ended:
			f.t.Fatalf("waited for %s: %v", what, err)
		case <-late:
			f.t.Fatalf("waited for %s", what)
		}
	}
}

// hello waits until the node has said what it is.
func (f *front) hello() (h *api.WatchResponse_Hello) {
	f.until("hello", func(m *api.WatchResponse) bool { h = m.GetHello(); return h != nil })
	return h
}

// tool waits until the page offers one with that description.
func (f *front) tool(description string) *api.ToolCall {
	f.t.Helper()
	var c *api.ToolCall
	f.until(description, func(*api.WatchResponse) bool {
		for _, n := range f.page.GetTools().GetNumbers() {
			if t := f.tools[n]; t.GetDescription() == description {
				c = &api.ToolCall{Document: &api.Document{Page: f.page.Id, Frame: t.Frame, Generation: t.Document},
					Runtime: t.Runtime, Tool: t.Name, Digest: pages.DigestOf(t), Args: []byte(`{}`)}
				return true
			}
		}
		return false
	})
	return c
}

// gone waits until the node tells that a page is closed.
func (f *front) gone() {
	f.t.Helper()
	f.until("a page's end", func(m *api.WatchResponse) bool { return len(m.GetDelta().GetGone()) > 0 })
}

// begin begins a call.
func (f *front) begin(ctx context.Context, start *api.CallRequest_Start) *calling {
	f.t.Helper()
	s, err := f.Call(ctx)
	if err == nil {
		err = s.Send(&api.CallRequest{Event: &api.CallRequest_Start_{Start: start}})
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return &calling{s, f.t}
}

// calling is a call that is under way.
type calling struct {
	grpc.BidiStreamingClient[api.CallRequest, api.CallResponse]
	t *testing.T
}

// result waits for what came of it; progress is what was said before.
func (c *calling) result() (r *api.CallResponse_Result, progress []string, err error) {
	var parts []byte
	for {
		m, err := c.Recv()
		if err != nil {
			return nil, progress, err
		}
		switch e := m.Event.(type) {
		case *api.CallResponse_Progress:
			progress = append(progress, string(e.Progress))
		case *api.CallResponse_Part:
			if parts = append(parts, e.Part...); len(e.Part) > 1<<20 {
				c.t.Errorf("a part has %d bytes", len(e.Part))
			}
		case *api.CallResponse_Result_:
			e.Result.Json = append(parts, e.Result.Json...)
			return e.Result, progress, nil
		}
	}
}

func toolCall(c *api.ToolCall) *api.CallRequest_Start {
	return &api.CallRequest_Start{What: &api.CallRequest_Start_Tool{Tool: c}}
}

func automation(a *api.Automation) *api.CallRequest_Start {
	return &api.CallRequest_Start{Progress: true, What: &api.CallRequest_Start_Automation{Automation: a}}
}

// called calls a tool, and gives what came of it.
func (f *front) called(c *api.ToolCall) *api.CallResponse_Result {
	f.t.Helper()
	r, _, err := f.begin(f.t.Context(), toolCall(c)).result()
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *front) refuses(c *api.ToolCall, want string) {
	f.t.Helper()
	if r := f.called(c); !r.Called.IsError || r.Called.Ending != "gone" || !strings.Contains(string(r.Json), want) {
		f.t.Errorf("the call gave %v; want %q", r, want)
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
	if r := f.called(buy); r.Called.IsError || !strings.Contains(string(r.Json), "bought") {
		t.Errorf("the call gave %v", r)
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
	f.gone()
	f.refuses(sell, "was closed")

	stranger := &front{NodeClient: api.NewNodeClient(dial(t, n, "stranger", "first")), t: t}
	if _, _, err := stranger.begin(t.Context(), toolCall(sell)).result(); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("one that doesn't watch was served: %v", err)
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
	f.begin(t.Context(), toolCall(f.tool("is slow")))
	<-began
	second := greetAs(t, n, "front", "second", nil)
	<-ended
	if err := <-f.ended; !strings.Contains(err.Error(), "has taken its place") {
		t.Errorf("the watch before ended with %v", err)
	}
	second.tool("is slow")
	again := greet(t, n, "front") // it doesn't take the place back: else the two would go on so for ever
	if err := <-again.ended; !strings.Contains(err.Error(), "has taken its place") {
		t.Errorf("the watch before, again, ended with %v", err)
	}
	if len(second.ended) > 0 {
		t.Error("the second lost its place")
	}
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
	c := leasetest.NewMemory()
	lends := c.Open(leases.Options{Name: "node-one"}, slog.New(slog.DiscardHandler))
	defer lends.Close()
	gives := c.Open(leases.Options{Name: "front", Candidate: true}, slog.New(slog.DiscardHandler))
	defer gives.Close()
	gives.Limit(leases.Limits{})
	all := chromes{make(chan *cdptest.Browser, 10)}
	n := start(t, all, func(o *node.Options) { o.Store = lends })
	first := <-all.started
	first.OpenPage("http://shop.test/").Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says("bought")})
	f := greet(t, n, "front")
	f.tool("buys")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	lease, err := gives.Acquire(ctx, leases.Request{Tenant: "x", Wait: patience}, nil)
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
	f.gone()
	if again, err := gives.Acquire(ctx, leases.Request{Tenant: "y", Wait: patience}, nil); err != nil || again.Life == lease.Life {
		t.Errorf("then it was lent as %+v (%v), and before as %+v", again, err, lease)
	}
}

// A gateway that comes back is told what differs from what it has, if the node remembers that, and else all.
func TestComesBack(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	n := start(t, dialer{chrome})
	page := chrome.OpenPage("http://shop.test/")
	page.Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says("bought")})
	f := greet(t, n, "front")
	hello := f.hello()
	var version uint64
	f.until("the tool", func(m *api.WatchResponse) bool {
		version = max(version, m.GetDelta().GetVersion())
		return len(f.tools) > 0
	})
	if err := f.conn.Close(); err != nil {
		t.Fatal(err)
	}
	page.Register(cdptest.Tool{Name: "sell", Description: "sells", Execute: says("sold")})
	first := func(incarnation string, version uint64) (d *api.Delta) {
		t.Helper()
		f := greetAs(t, n, "front", "first", &api.WatchRequest_Open{Incarnation: incarnation, Version: version})
		f.until("both tools", func(m *api.WatchResponse) bool {
			if d == nil {
				d = m.GetDelta()
			}
			return len(f.page.GetTools().GetNumbers()) == 2
		})
		if err := f.conn.Close(); err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := first(hello.Incarnation, version); d.From != version || len(d.Pages) != 1 || d.Pages[0].Info != nil || len(d.Pages[0].Tools.New) != 1 {
		t.Errorf("it is told %v", d)
	}
	if d := first("another", version); d.From != 0 || d.Pages[0].Info == nil || len(d.Pages[0].Tools.New) != 2 {
		t.Errorf("with another incarnation it is told %v", d)
	}
	if d := first(hello.Incarnation, version+1000); d.From != 0 {
		t.Errorf("with a version that never was it is told %v", d)
	}
}

// While the way to a gateway is full, changes are sent together. Pings are answered after what came before them.
func TestConflation(t *testing.T) {
	const changes, large = 60, 100 << 10
	chrome := cdptest.New()
	defer chrome.Die()
	n := start(t, dialer{chrome})
	page := chrome.OpenPage("http://shop.test/")
	quick := greet(t, n, "quick")
	slow, err := api.NewNodeClient(dial(t, n, "slow", "first")).Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := slow.Send(&api.WatchRequest{Event: &api.WatchRequest_Open_{Open: &api.WatchRequest_Open{}}}); err != nil {
		t.Fatal(err)
	}
	for i := range changes {
		page.Unregister("buy")
		text := fmt.Sprint(i, strings.Repeat(" ", large))
		page.Register(cdptest.Tool{Name: "buy", Description: text, Execute: says("bought")})
		quick.tool(text)
	}
	if err := slow.Send(&api.WatchRequest{Event: &api.WatchRequest_Ping_{Ping: &api.WatchRequest_Ping{Seq: 7}}}); err != nil {
		t.Fatal(err)
	}
	deltas, last := 0, ""
	for {
		m, err := slow.Recv()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.GetDelta().GetPages() {
			for _, tool := range p.GetTools().GetNew() {
				deltas, last = deltas+1, tool.Description
			}
		}
		if m.GetPong().GetSeq() == 7 {
			break
		}
	}
	if deltas > changes/2 || !strings.HasPrefix(last, fmt.Sprint(changes-1, " ")) {
		t.Errorf("%d changes were told in %d, the last of %.5q", changes, deltas, last)
	}
}

// A large result comes in parts.
func TestLargeResult(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	n := start(t, dialer{chrome})
	chrome.OpenPage("http://shop.test/").Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says(strings.Repeat("x", 3<<20))})
	f := greet(t, n, "front")
	if r := f.called(f.tool("buys")); len(r.Json) < 3<<20 || !json.Valid(r.Json) {
		t.Errorf("it has %d bytes", len(r.Json))
	}
}

// Calls that come while the node stops are answered or refused, and nothing waits for one that was not begun.
func TestCallsWhileItStops(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	n := start(t, dialer{chrome})
	chrome.OpenPage("http://a.test/").Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says("bought")})
	f := greet(t, n, "front")
	tool := f.tool("buys")
	var calls sync.WaitGroup
	first := make(chan struct{}, 8)
	for range cap(first) {
		calls.Go(func() {
			for said := false; ; said = true {
				stream, err := f.Call(t.Context())
				if err == nil {
					err = stream.Send(&api.CallRequest{Event: &api.CallRequest_Start_{Start: toolCall(tool)}})
				}
				for err == nil {
					_, err = stream.Recv()
				}
				if !said {
					first <- struct{}{}
				}
				if status.Code(err) != codes.OK && !errors.Is(err, io.EOF) {
					return
				}
			}
		})
	}
	for range cap(first) {
		<-first
	}
	n.Stop()
	calls.Wait()
}
