package gateway_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/memory"
)

// leasedTo waits until the leases are those of these tenants, and as many wishes wait.
func leasedTo(t *testing.T, s leases.Store, waiting int, tenants ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last leases.Snapshot
	reached := false
	s.Watch(ctx, func(p leases.Snapshot) {
		last = p
		left, n := map[string]int{}, 0
		for _, tenant := range tenants {
			left[tenant]++
		}
		for _, l := range p.Leases {
			left[l.Tenant]--
		}
		for _, more := range left {
			if more != 0 {
				return
			}
		}
		for _, w := range p.Waiting {
			n += w
		}
		if n == waiting {
			reached = true
			cancel()
		}
	})
	if !reached {
		t.Fatalf("the leases are %+v, and %v wait; want %d and %v", last.Leases, last.Waiting, waiting, tenants)
	}
}

// A tenant that is taken out of the file loses its lease and its place in line, as soon as one gateway sees that. A
// gateway that has another file, from its start, takes nothing away.
func TestTenantTakenOut(t *testing.T) {
	c := memory.New()
	lender(t, c, "xs.test")
	one, other := c.Open(leases.Options{Name: "one", Allots: true}, logger(t)), c.Open(leases.Options{Name: "other", Allots: true}, logger(t))
	g := shared(t, "one", one)
	h := shared(t, "other", other)
	connect(t, g, "x").acquire()
	waits := make(chan error, 2)
	for range 2 { // in line
		go func() {
			_, err := one.Acquire(context.Background(), leases.Request{Tenant: "x", Wait: time.Minute}, nil)
			waits <- err
		}()
	}
	leasedTo(t, other, 2, "x")
	h.SetTenants([]string{"y", "x", "z"}) // as they come and go, x stays
	h.SetTenants([]string{"y", "x"})
	late := c.Open(leases.Options{Name: "late", Allots: true}, logger(t))
	t.Cleanup(late.Close)
	startGatewayOf(t, "late", func(o *gateway.Options) { o.Store, o.Tenants = late, []string{"y"} }).SetTenants([]string{"y", "w"})
	leasedTo(t, late, 2, "x")
	g.SetTenants([]string{"y"})
	for range 2 {
		if err := <-waits; err == nil {
			t.Error("a wish of a tenant that there is no longer is fulfilled")
		}
	}
	leasedTo(t, other, 0)
}

// A tenant whom no gateway's file names any more, since all were started anew meanwhile, loses its lease.
func TestTenantServedByNobody(t *testing.T) {
	c := memory.New()
	lender(t, c, "xs.test")
	open := func(name string) leases.Store {
		return c.Open(leases.Options{Name: name, Allots: true, Limits: &leases.Limits{Unserved: time.Millisecond}}, logger(t))
	}
	one, two, three := open("one"), open("two"), open("three")
	t.Cleanup(two.Close)
	t.Cleanup(three.Close)
	g := shared(t, "one", one)
	connect(t, g, "x").acquire()
	h := startGatewayOf(t, "two", func(o *gateway.Options) { o.Store, o.Tenants = two, []string{"y"} })
	h.SetTenants([]string{"y", "z"})
	startGatewayOf(t, "three", func(o *gateway.Options) { o.Store, o.Tenants = three, []string{"y"} })
	serving(t, three, []string{"x", "y"}, []string{"y"}, []string{"y", "z"})
	leasedTo(t, three, 0, "x")
	g.Stop()
	one.Close()
	serving(t, three, []string{"y"}, []string{"y", "z"})
	leasedTo(t, three, 0)
}

// serving waits until the gateways serve these tenants, in the order of their names.
func serving(t *testing.T, s leases.Store, each ...[]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last [][]string
	s.Watch(ctx, func(p leases.Snapshot) {
		last = nil
		for _, m := range p.Members {
			if m.Role == leases.Gateway {
				last = append(last, m.Tenants)
			}
		}
		if slices.EqualFunc(last, each, slices.Equal) {
			cancel()
		}
	})
	if !slices.EqualFunc(last, each, slices.Equal) {
		t.Fatalf("the gateways serve %v, not %v", last, each)
	}
}
