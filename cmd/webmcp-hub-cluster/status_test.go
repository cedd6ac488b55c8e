package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/etcd/etcdtest"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
)

// stored opens a store as the program's flags have it.
func stored(t *testing.T, f storeFlags, name string, candidate bool) *leases.Store {
	s, err := f.open(name, candidate, tlsFlags{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// waits has a request of a tenant wait until the test ends.
func waits(t *testing.T, s *leases.Store, tenant string) {
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	t.Cleanup(func() { cancel(); <-over })
	go func() {
		defer close(over)
		_, _ = s.Acquire(ctx, leases.Request{Tenant: tenant, Wait: time.Minute}, nil)
	}()
	late := time.AfterFunc(patience, cancel)
	defer late.Stop()
	seen, stop := context.WithCancel(ctx)
	s.Watch(seen, func(p leases.Snapshot) {
		if p.WaitingCount[tenant] > 0 {
			stop()
		}
	})
	if ctx.Err() != nil {
		t.Fatalf("the request of %s doesn't wait", tenant)
	}
}

// With --etcd, status finds nodes and gateways by themselves, and says what is leased and who waits.
func TestStatusByEtcd(t *testing.T) {
	f := storeFlags{Etcd: etcdtest.Start(t, 1).URLs(), EtcdCluster: "hub"}
	chrome := newLateChrome(t)
	close(chrome.let)
	watchedNode(t, stored(t, f, "one", false), own(chrome))
	store := stored(t, f, "front", true)
	g, err := gateway.Start(gateway.Options{Name: "front", Store: store, Tenants: []gateway.Tenant{{Name: "shop"}, {Name: "bank"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	var lease leases.Lease
	for late := time.After(patience); lease.Handle == ""; {
		if lease, err = store.Acquire(t.Context(), leases.Request{Tenant: "shop", Wait: time.Second}, nil); err == nil {
			break
		}
		select {
		case <-late:
			t.Fatal(err)
		case <-time.After(20 * time.Millisecond): // the node isn't known yet
		}
	}
	waits(t, store, "bank")

	c := statusCmd{reachFlags: reachFlags{Timeout: patience}, storeFlags: f}
	var text strings.Builder
	if err := c.print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\none ", "1 of 1", "\nGATEWAY\nfront\n", "\nbank 0 1\n", "\nshop 1 0\n", "\n" + lease.Handle + " shop "} {
		if !strings.Contains(regexp.MustCompile(` +`).ReplaceAllString(text.String(), " "), want) {
			t.Errorf("there is no %q in:\n%s", want, &text)
		}
	}

	c = statusCmd{reachFlags: c.reachFlags, storeFlags: f, JSON: true}
	c.Node = nil
	text.Reset()
	if err := c.print(&text); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal([]byte(text.String()), &r); err != nil {
		t.Fatal(err)
	}
	if n := r.Nodes["one"]; n == nil || len(n.Browsers) != 1 || len(r.Gateways) != 1 || r.Tenants["bank"].Waiting != 1 || len(r.Leases) != 1 || r.Leases[0].Handle != lease.Handle {
		t.Errorf("it says %s", &text)
	}
}

// A node that is a member but doesn't answer is shown as such, and an etcd that doesn't answer is named.
func TestStatusOfWhatDoesNotAnswer(t *testing.T) {
	c := statusCmd{reachFlags: reachFlags{Node: map[string]string{"dead": "127.0.0.1:1"}, Timeout: time.Second}}
	var text strings.Builder
	if err := c.print(&text); err == nil || !strings.Contains(text.String(), "doesn't answer at 127.0.0.1:1") {
		t.Errorf("%v, and it says:\n%s", err, &text)
	}
	c = statusCmd{reachFlags: reachFlags{Timeout: 100 * time.Millisecond}, storeFlags: storeFlags{Etcd: []string{"http://127.0.0.1:1"}, EtcdCluster: "hub"}}
	if err := c.print(&text); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:1") {
		t.Error(err)
	}
	var wrong usageError
	if err := (&statusCmd{}).print(&text); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

// A node that is taken over draws nothing on the operator's terminal.
func TestStatusIsPlain(t *testing.T) {
	r := report{Nodes: map[string]*nodeReport{"bad": nodeReported("127.0.0.1:1", &api.NodeStatus{Build: "\x1b[2J", Leaving: "bye\x1b]0;x\a\ngood\there"})}}
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\a") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("it prints %q", out.String())
	}
}
