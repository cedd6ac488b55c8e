package e2e

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCluster: two tenants work with real Chromiums of two nodes by way of two gateways, while a
// gateway and a node are killed, and the other node leaves.
func TestCluster(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	one, two := c.node(t, "one"), c.node(t, "two")
	a, b := c.gateway(t, "a"), c.gateway(t, "b")
	shop, bank := c.client(t, a, "shop"), c.client(t, b, "bank")

	handle, visit := recycled(t, shop, bank)
	visit = navigated(t, bank, visit)

	b.kill()
	_ = bank.client.Close()
	bank = c.client(t, a, "bank")
	if same := bank.waitOwn("visit"); same != visit {
		t.Errorf("another gateway calls %s %s", visit, same)
	}
	wantText(t, bank.call(visit, map[string]any{"name": "bank"}), "bank was here")

	nodeKilled(t, shop, two)
	wantText(t, bank.call(visit, map[string]any{"name": "bank"}), "bank was here")                               // of the other node
	if r := bank.call("open_tab", map[string]any{"browser": handle, "url": pages.url("shop.html")}); r.IsError { // by the token, the lease is known here, too
		t.Error(textOf(r))
	}
	nodeLeaves(t, bank, one)
}

// recycled: a browser comes to its next holder without anything of the one before, who has lost it.
// The next one keeps it.
func recycled(t *testing.T, first, second *hub) (handle, visit string) {
	t.Helper()
	over := first.acquire("one")
	visit = first.openIn(over, pages.url("visitor.html"), "visit")
	wantText(t, first.call(visit, map[string]any{"name": "first"}), "nobody was here")
	wantText(t, first.call(visit, map[string]any{"name": "first"}), "first was here")
	if got := pageTools(second.list()); len(got) > 0 {
		t.Errorf("a tenant sees tools of another's tab: %q", got)
	}
	if r := second.call("open_tab", map[string]any{"browser": over, "url": pages.url("shop.html")}); !r.IsError {
		t.Errorf("a tenant opened a tab in another's browser: %s", asJSON(r))
	}
	if r := first.call("release_browser", map[string]any{"browser": over}); r.IsError {
		t.Fatal(textOf(r))
	}
	handle = second.acquire("one")
	visit = second.openIn(handle, pages.url("visitor.html"), "visit")
	wantText(t, second.call(visit, map[string]any{"name": "bank"}), "nobody was here")
	first.waitNoPageTools()
	if r := first.call("open_tab", map[string]any{"browser": over, "url": pages.url("shop.html")}); !r.IsError {
		t.Errorf("a tab was opened by a handle that is over: %s", asJSON(r))
	}
	return handle, visit
}

// navigated: a client hears what a page offers that a tab has gone to, and when it is back.
func navigated(t *testing.T, h *hub, visit string) (again string) {
	t.Helper()
	leave := strings.TrimSuffix(visit, "visit") + "leave"
	wantText(t, h.call(leave, map[string]any{"url": pages.url("behaviours.html")}), "on my way")
	name := h.waitOwn("goes_away")
	if find(h.list(), visit) != nil {
		t.Errorf("%s is listed after its page has gone", visit)
	}
	if r := h.call(name, map[string]any{"url": pages.url("visitor.html")}); !strings.Contains(textOf(r), "navigated the page to "+pages.url("visitor.html")) {
		t.Errorf("a call whose page left was answered %s", asJSON(r))
	}
	return h.waitOwn("visit")
}

// nodeKilled: a call that runs at a node which is killed is answered with the reason, its tools go,
// and so does its Chromium.
func nodeKilled(t *testing.T, h *hub, node *member) {
	t.Helper()
	handle := h.acquire("two")
	dwell := h.openIn(handle, pages.url("visitor.html"), "dwell")
	gate := pages.held("cluster-killed")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	call := h.start(ctx, dwell, map[string]any{"gate": "cluster-killed"})
	<-gate.asked
	node.kill()
	at := time.Now()
	wantError(t, h.await(call), "two")
	if took := time.Since(at); took > 5*time.Second {
		t.Errorf("the call was answered %v after its node was killed", took)
	}
	h.waitNoPageTools()
	gate.open()
}

// nodeLeaves: a node that is told to end loses its tools, ends its calls well, and then goes.
func nodeLeaves(t *testing.T, h *hub, node *member) {
	t.Helper()
	dwell := h.waitOwn("dwell")
	gate := pages.held("cluster-leaves")
	call := h.start(context.Background(), dwell, map[string]any{"gate": "cluster-leaves"})
	<-gate.asked
	node.signal(syscall.SIGTERM)
	h.waitNoPageTools()
	gate.open()
	wantText(t, h.await(call), "the gate is open")
	node.waitLeft()
}
