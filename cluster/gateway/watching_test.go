package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"webmcphub/cluster/api"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/cluster/node"
	"webmcphub/internal/proxytest"
	"webmcphub/mcpserver"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// watchable is a node's automation that shows tabs.
type watchable struct {
	*hand
	watched chan *api.ShowRequest
	ended   chan error
}

func newWatchable() *watchable {
	return &watchable{newHand(), make(chan *api.ShowRequest, 10), make(chan error, 10)}
}

func (w *watchable) Watch(ctx context.Context, _ string, of *api.ShowRequest, begun func()) error {
	w.watched <- of
	begun()
	<-ctx.Done()
	w.ended <- context.Cause(ctx)
	return context.Cause(ctx)
}

func (w *watchable) Look(_ context.Context, gateway string, of *api.ScreenRef) (*api.ScreenView, error) {
	return &api.ScreenView{Picture: "p", State: "looking", Document: gateway + " " + of.Screen}, nil
}

func (w *watchable) TakeOver(ctx context.Context, _ string, _ *api.ScreenRef, yours func()) error {
	yours()
	<-ctx.Done()
	return nil
}

func (w *watchable) Drive(_ context.Context, _ string, d *api.DriveRequest) error {
	return errors.New("not done: " + string(d.Events))
}

func shows(w *watchable) func(*node.Options) {
	return func(n *node.Options) { n.Automation = func(node.Host) node.Automation { return w } }
}

// overseeing notes how each tenant's overseer reaches nodes.
func overseeing(of map[string]gateway.Nodes) func(*gateway.Options) {
	return func(o *gateway.Options) {
		o.Oversee = func(tenant string) gateway.Overseer {
			return gateway.Overseer{Began: func(_ *mcpserver.Server, p gateway.Pages) { of[tenant] = p.Nodes() }}
		}
	}
}

// onlyPage waits for the tenant's page.
func onlyPage(t *testing.T, n gateway.Nodes) (page registry.PageID) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	n.Await(ctx, func(c *registry.Catalog) bool {
		for _, tab := range c.Tabs() {
			page = tab.Page
		}
		return page != ""
	})
	if page == "" {
		t.Fatal("there is no page")
	}
	return page
}

// TestWatching: a gateway has a node show a page and hand it to a person, until the link to the node is lost: that ends it at both.
func TestWatching(t *testing.T) {
	w := newWatchable()
	one := startNode(t, "one", shows(w))
	one.open("http://shop.test/", tool("buy", says("bought")))
	way, err := proxytest.Listen("", one.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer way.Close()
	of := map[string]gateway.Nodes{}
	g := startGateway(t, "front", nil, overseeing(of), func(o *gateway.Options) {
		o.Registry.Origins = (*names.Origins)(nil).WithOwn(names.NewOwn("8809", "10.0.0.2"))
	})
	g.SetNodes(map[string]string{"one": way.Addr()})
	n := of[""]
	at, is, err := n.ShowRequest(onlyPage(t, n))
	if err != nil || at != "one" || is.Browser.Browser != "chrome-1" || strings.HasPrefix(is.Page, "one/") ||
		!proto.Equal(is.Own, &api.OwnPage{Port: "8809", Hosts: []string{"10.0.0.2"}}) {
		t.Fatalf("it is watched as %+v at %s, %v", is, at, err)
	}
	is.Screen = "s"
	screen := n.Screen(at)
	shown, err := screen.Show(t.Context(), is)
	if err == nil {
		_, err = shown.Recv()
	}
	if err != nil {
		t.Fatal(err)
	}
	watched := make(chan error, 1)
	go func() {
		_, err := shown.Recv()
		watched <- err
	}()
	if got := <-w.watched; !proto.Equal(got, is) {
		t.Errorf("the node was asked %+v, not %+v", got, is)
	}
	if v, err := screen.Look(t.Context(), &api.ScreenRef{Screen: "s"}); err != nil || v.Picture != "p" || v.Document != "front s" {
		t.Errorf("it shows %+v, %v", v, err)
	}
	if s, err := one.Status(t.Context()); err != nil || s.Calls != 0 || one.Figures().Running != 0 || g.Figures().Running != 0 {
		t.Errorf("while it is watched, %d calls run; the node counts %d, and the gateway %d (%v)", s.Calls, one.Figures().Running, g.Figures().Running, err)
	}
	ctx, give := context.WithCancel(t.Context())
	taken, err := screen.TakeOver(ctx, &api.ScreenRef{Screen: "s"})
	if err == nil {
		_, err = taken.Recv()
	}
	if err != nil {
		t.Fatal(err)
	}
	give()
	if _, err := taken.Recv(); !errors.Is(err, context.Canceled) {
		t.Errorf("taken over and given back, it ended with %v", err)
	}
	if _, err := screen.Drive(t.Context(), &api.DriveRequest{Screen: "s", Events: []byte(`[1]`)}); err == nil || !strings.Contains(err.Error(), "not done: [1]") {
		t.Errorf("driven, the node says %v", err)
	}
	way.Set(proxytest.Refused)
	if err := <-watched; !errors.As(err, new(*gateway.NodeLost)) {
		t.Errorf("at the gateway it ended with %v", err)
	}
	if err := <-w.ended; err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("at the node it ended with %v", err)
	}
}

// firstOf is what a node says first of a page that it is to show.
func firstOf(t *testing.T, n gateway.Nodes, at string, is *api.ShowRequest) error {
	shown, err := n.Screen(at).Show(t.Context(), is)
	if err == nil {
		_, err = shown.Recv()
	}
	return err
}

// TestNotWatched: a node without browser tools, and one that doesn't know of pictures, say so.
func TestNotWatched(t *testing.T) {
	one := startNode(t, "one")
	one.open("http://shop.test/", tool("buy", says("bought")))
	of := map[string]gateway.Nodes{}
	g := startGateway(t, "front", []*site{one}, overseeing(of))
	n := of[""]
	at, is, err := n.ShowRequest(onlyPage(t, n))
	if err != nil {
		t.Fatal(err)
	}
	if err := firstOf(t, n, at, is); err == nil || !strings.Contains(err.Error(), "without --automation") {
		t.Errorf("the node says %v", err)
	}
	old := scriptedNode(t, "old", nil) // it has no service for pictures
	g.SetNodes(map[string]string{"old": old})
	n.Await(t.Context(), func(c *registry.Catalog) bool { return c.Tab("old/p") != nil })
	if err := firstOf(t, n, "old", is); err == nil || !strings.Contains(err.Error(), "doesn't support this request") {
		t.Errorf("the node says %v", err)
	}
}

// TestWatchingTenants: a tenant's pages are watched in the life for which it has their browser, and by no other tenant, and
// not once it has given the browser back.
func TestWatchingTenants(t *testing.T) {
	c := leasetest.NewMemory()
	store := c.Open(leases.Options{Name: "node-one"}, logger(t))
	t.Cleanup(store.Close)
	one := startNode(t, "one", shows(newWatchable()), func(o *node.Options) { o.Store = store })
	one.open("http://shop.test/", tool("buy", says("bought")))
	gates := c.Open(leases.Options{Name: "front", Candidate: true}, logger(t))
	t.Cleanup(gates.Close)
	gates.Limit(leases.Limits{})
	of := map[string]gateway.Nodes{}
	g := startGateway(t, "front", nil, overseeing(of), func(o *gateway.Options) {
		o.Store, o.Tenants = gates, tenants("shop", "bank")
	})
	shop := connect(t, g, "shop")
	r := shop.call("acquire_browser", `{"wait":20}`)
	var given struct{ Browser string }
	if r.IsError || json.Unmarshal([]byte(r.text()), &given) != nil {
		t.Fatalf("none was acquired: %s", r.raw)
	}
	one.open("http://shop.test/", tool("buy", says("bought")))
	page := onlyPage(t, of["shop"])
	if _, is, err := of["shop"].ShowRequest(page); err != nil || is.Browser.Life == "" {
		t.Errorf("its tenant watches %+v, %v", is, err)
	}
	if _, is, err := of["bank"].ShowRequest(page); err == nil {
		t.Errorf("another tenant watches %+v", is)
	}
	if r := shop.call("release_browser", `{"browser":"`+given.Browser+`"}`); r.IsError {
		t.Fatal(r.text())
	}
	of["shop"].Await(t.Context(), func(c *registry.Catalog) bool { return c.Tab(page) == nil })
	if _, is, err := of["shop"].ShowRequest(page); err == nil {
		t.Errorf("its last tenant watches %+v", is)
	}
}
