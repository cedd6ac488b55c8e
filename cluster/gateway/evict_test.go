package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/mcpserver"
)

// leasedTo waits until the leases are those of these tenants, and as many requests wait.
func leasedTo(t *testing.T, s *leases.Store, waiting int, tenants ...string) {
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
		for _, w := range p.WaitingCount {
			n += w
		}
		if n == waiting {
			reached = true
			cancel()
		}
	})
	if !reached {
		t.Fatalf("the leases are %+v, and %v wait; want %d and %v", last.Leases, last.WaitingCount, waiting, tenants)
	}
}

// A tenant that is taken out of the file loses its lease and its place in line, as soon as one gateway sees that. A
// gateway that has another file, from its start, takes nothing away.
func TestTenantTakenOut(t *testing.T) {
	c := leasetest.NewMemory()
	lender(t, c, "xs.test")
	one, other := c.Open(leases.Options{Name: "one", Candidate: true}, logger(t)), c.Open(leases.Options{Name: "other", Candidate: true}, logger(t))
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
	h.SetTenants(tenants("y", "x", "z")) // as they come and go, x stays
	h.SetTenants(tenants("y", "x"))
	late := c.Open(leases.Options{Name: "late", Candidate: true}, logger(t))
	t.Cleanup(late.Close)
	startGatewayOf(t, "late", func(o *gateway.Options) { o.Store, o.Tenants = late, tenants("y") }).SetTenants(tenants("y", "w"))
	leasedTo(t, late, 2, "x")
	g.SetTenants(tenants("y"))
	for range 2 {
		if err := <-waits; err == nil {
			t.Error("a request of a tenant that there is no longer is granted")
		}
	}
	leasedTo(t, other, 0)
}

// A lease ends whose tenant has no client connected and calls nothing, at whichever gateway, though a session of its is
// left; one that is used holds.
func TestIdleLease(t *testing.T) {
	c := leasetest.NewMemory()
	lender(t, c, "xs.test")
	store := c.Open(leases.Options{Name: "one", Candidate: true, Limits: &leases.Limits{Idle: 4 * time.Second}}, logger(t))
	g := shared(t, "one", store)
	g.SetTenants([]gateway.Tenant{tokens("x", "x"), tokens("y")})
	router := g.NewTokenRouter(mcpserver.HTTPOptions{})
	defer router.Close(context.Canceled)
	server := httptest.NewServer(router.Whom("x"))
	defer server.Close()
	post := func(session, body string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		return resp
	}
	began := post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	session := began.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatalf("no session: %v", began.Status)
	}
	l, err := store.Acquire(t.Context(), leases.Request{Tenant: "x", Wait: patience}, nil)
	if err != nil {
		t.Fatal(err)
	}
	using, end := context.WithTimeout(t.Context(), patience)
	defer end()
	renewed := make(chan bool, 1)
	go store.Watch(using, func(p leases.Snapshot) {
		if len(p.Leases) == 1 && p.Leases[0].Used.After(l.Since) {
			select {
			case renewed <- true:
			default: // it knows
			}
		}
	})
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for is := false; !is; {
		select {
		case <-tick.C:
			post(session, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		case is = <-renewed:
			end()
		case <-using.Done():
			t.Fatal("the lease is not renewed by use")
		}
	}
	leasedTo(t, store, 0)
}
