package gateway_test

import (
	"context"
	"testing"
	"time"

	"webmcphub/cluster/allot"
	"webmcphub/cluster/allot/memory"
	"webmcphub/cluster/gateway"
)

// leasedTo waits until the leases are those of these tenants, and as many wishes wait.
func leasedTo(t *testing.T, s allot.Store, waiting int, tenants ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last allot.Picture
	reached := false
	s.Watch(ctx, func(p allot.Picture) {
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
	one, other := c.Open(allot.Options{Name: "one", Allots: true}, logger(t)), c.Open(allot.Options{Name: "other", Allots: true}, logger(t))
	g := shared(t, "one", one)
	h := shared(t, "other", other)
	connect(t, g, "x").acquire()
	waits := make(chan error, 2)
	for range 2 { // in line
		go func() {
			_, err := one.Acquire(context.Background(), allot.Wish{Tenant: "x", Wait: time.Minute}, nil)
			waits <- err
		}()
	}
	leasedTo(t, other, 2, "x")
	h.SetTenants([]string{"y", "x", "z"}) // as they come and go, x stays
	h.SetTenants([]string{"y", "x"})
	late := c.Open(allot.Options{Name: "late", Allots: true}, logger(t))
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
