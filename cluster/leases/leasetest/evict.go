package leasetest

import (
	"slices"
	"testing"
	"time"

	"webmcphub/cluster/leases"
)

// evicted: a removed tenant loses its leases, whoever granted them, and its place in line; others lose
// nothing, and another gateway's evictions are its own affair.
func evicted(t *testing.T, w *World) {
	a, b, n := w.Gateway("a", nil), w.Gateway("b", nil), w.Node("n1", 3)
	w.Knows(a, 1)
	w.Knows(b, 1)
	w.Get(a, leases.Request{Tenant: "x"})
	w.Get(b, leases.Request{Tenant: "x"})
	y := w.Get(a, leases.Request{Tenant: "y"})
	waits := w.Wait(a, leases.Request{Tenant: "x", Wait: time.Minute})
	a.Evict([]string{"x", "nobody"})
	refused(t, waits.Err(), leases.NoTenant)
	for _, s := range []*leases.Store{a, b} {
		w.Until(s, "y alone has something", func(p leases.Snapshot) bool {
			return len(p.Leases) == 1 && p.Leases[0].Handle == y.Handle && len(p.Waiting) == 0 && len(p.Used) == 2
		})
	}
	_, err := a.Acquire(t.Context(), leases.Request{Tenant: "x", Wait: time.Minute}, nil)
	refused(t, err, leases.NoTenant)
	go n.Refresh(t.Context())
	later := w.Get(b, leases.Request{Tenant: "x"}) // b hasn't been told
	a.Evict([]string{"x", "z"})
	a.Evict([]string{"z"})
	again := w.Get(a, leases.Request{Tenant: "x"}) // it is a tenant again
	if err := a.Release(t.Context(), "y", y.Handle); err != nil {
		t.Fatal(err)
	}
	w.Until(a, "x keeps what it has got since", func(p leases.Snapshot) bool {
		return len(p.Leases) == 2 && slices.ContainsFunc(p.Leases,
			func(l leases.Lease) bool { return l.Handle == later.Handle }) &&
			slices.ContainsFunc(p.Leases, func(l leases.Lease) bool { return l.Handle == again.Handle })
	})
}
