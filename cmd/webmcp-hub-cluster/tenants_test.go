package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/cmd/webmcp-hub/process"
)

func TestTenantsFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--etcd http://a:1 --listen 0 --no-stdio":                       "",
		"--node a=127.0.0.1:1 --listen 0 --no-stdio":                    "goes with --etcd",
		"--etcd http://a:1 --listen 0":                                  "--no-stdio",
		"--etcd http://a:1":                                             "--listen ADDR",
		"--etcd http://a:1 --listen 0 --no-stdio --no-token":            "--no-token",
		"--etcd http://a:1 --listen 0 --no-stdio --token-file some-one": "--token-file",
	} {
		var c cli
		parser, err := newParser(&c)
		if err == nil {
			_, err = parser.Parse(append([]string{"gateway", "--tenants=f"}, strings.Fields(args)...))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Gateway.validate(); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// Who asks a gateway without tenants for a browser over HTTP is told why there is none.
func TestBrowsersWithoutTenants(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	flags := process.HTTPFlags{Listen: "127.0.0.1:0", Token: true, TokenFile: filepath.Join(t.TempDir(), "token")}
	l, err := flags.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	at, err := flags.Resolved(l)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.Start(gateway.Options{Name: "front"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Stop()
	defer serveBeside(t.Context(), g, nil, l, func(err error) { t.Error(err) })()
	for _, path := range []string{"/browsers", "/browsers/one%2Fchrome-1~x"} {
		resp, err := http.Post("http://"+at.Listen+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound || !strings.Contains(string(body), "--tenants") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// The flags for leases reach the store, without a tenants' file too.
func TestLeaseFlags(t *testing.T) {
	c := leasetest.NewMemory()
	w := leasetest.NewWorld(t, func(o leases.Options) *leases.Store { return c.Open(o, slog.New(slog.DiscardHandler)) })
	s := w.Gateway("front", nil)
	n := w.Node("n1", 1)
	go n.Refresh(t.Context())
	w.Knows(s, 1)
	flags := leaseFlags{LeaseIdle: 20 * time.Minute, LeaseMax: time.Hour}
	if err := flags.check(); err != nil {
		t.Error(err)
	}
	g, err := gateway.Start(gateway.Options{Name: "front", Store: s, Tenants: (*TenantsFile)(nil).Tenants(), Limits: flags.limits(nil, s)})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Stop()
	if g.Server("") == nil {
		t.Error("without a file there is no tenant")
	}
	l := w.Get(s, leases.Request{Tenant: "x"})
	if l.Until.Sub(l.Since) != time.Hour {
		t.Errorf("the lease holds from %v to %v", l.Since, l.Until)
	}
	if err := s.Release(t.Context(), "x", l.Handle); err != nil {
		t.Fatal(err)
	}
	if limits := flags.limits(nil, s); limits.Idle != 20*time.Minute {
		t.Errorf("the limits are %+v", limits)
	}
	if limits := (leaseFlags{leases.DefaultIdle, leases.DefaultAge}).limits(nil, s); limits != nil {
		t.Errorf("the defaults are set for all: %+v", limits)
	}
	g.SetTenants([]gateway.Tenant{{Name: "y", Quota: 1}})
	w.Get(s, leases.Request{Tenant: "y"})
	w.Until(s, "y has as many browsers as it may", func(leases.Snapshot) bool {
		var why *leases.Refusal
		_, err := s.Acquire(t.Context(), leases.Request{Tenant: "y"}, nil)
		return errors.As(err, &why) && why.Reason == leases.OverQuota
	})
	if err := (leaseFlags{LeaseIdle: time.Second, LeaseMax: time.Hour}).check(); err == nil {
		t.Error("a lease that ends after a second is allowed")
	}
}
