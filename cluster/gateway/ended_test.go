package gateway_test

import (
	"strings"
	"testing"

	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
)

// Who is given a browser that is lost before it appears hears that, and gets no handle that is good for nothing.
func TestLostBeforeItAppears(t *testing.T) {
	c := leasetest.NewMemory()
	w := leasetest.NewWorld(t, func(o leases.Options) *leases.Store { return c.Open(o, logger(t)) })
	n := w.Node("one", 1) // it is a member, and nothing listens at its address
	store := c.Open(leases.Options{Name: "g", Candidate: true}, logger(t))
	g := shared(t, "g", store)
	w.Knows(store, 2) // the gateway and the node; before it knows of a browser, the gateway refuses at once
	a := connect(t, g, "x")
	_, to := a.begin("tools/call", `{"name":"acquire_browser","arguments":{"wait":20}}`)
	leasedTo(t, store, 0, "x")
	n.Change(func(m *leases.Member) { m.Browsers[0].Life = "another" })
	if r := a.resultOf(a.await(to)); !r.IsError || !strings.Contains(r.text(), "was lost before you had it") {
		t.Errorf("answered %s", r.text())
	}
}
