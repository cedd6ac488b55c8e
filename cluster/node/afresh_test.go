package node_test

import (
	"context"
	"testing"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/api"
)

// gated is a dialer that starts another fake Chrome each time it is let.
type gated struct {
	chromes
	let chan struct{}
}

func (g gated) Dial(ctx context.Context) (cdpclient.Wire, error) {
	select {
	case <-g.let:
		return g.chromes.Dial(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A tab that was asked for in one life of a browser, and has waited for the browser, doesn't open in its next life: that
// may be another tenant's.
func TestNoTabInTheNextLife(t *testing.T) {
	g := gated{chromes{make(chan *cdptest.Browser, 10)}, make(chan struct{}, 2)}
	g.let <- struct{}{}
	n := start(t, g)
	first := <-g.started
	first.OpenPage("http://shop.test/").Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says("bought")})
	f := greet(t, n, "front")
	var life string
	f.until("the browser's life", func(m *api.WatchResponse) bool {
		for _, b := range m.GetDelta().GetBrowsers().GetAll() {
			life = b.Life
		}
		return life != ""
	})
	first.Die()
	f.until("its loss", func(m *api.WatchResponse) bool {
		all := m.GetDelta().GetBrowsers().GetAll()
		return len(all) == 1 && all[0].Status != ""
	})
	time.AfterFunc(200*time.Millisecond, func() { g.let <- struct{}{} }) // mostly it waits for the browser by then; either order must be refused
	opened, err := f.OpenTab(t.Context(), &api.OpenTabRequest{Url: "http://bank.test/", Browsers: []string{"own"}, Lives: map[string]string{"own": life}})
	if err == nil {
		t.Errorf("the tab opened in another life: %v", opened)
	}
	if next := <-g.started; len(next.Pages()) != 0 {
		t.Error("the browser has a tab of its life before")
	}
}
