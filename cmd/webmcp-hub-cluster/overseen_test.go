package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/internal/agent"
	"webmcphub/internal/metrics"
)

// client is a client of a tenant's.
func client(t *testing.T, g *gateway.Gateway, tenant string) *agent.Agent {
	t.Helper()
	fromUs, toGateway := io.Pipe()
	fromGateway, toUs := io.Pipe()
	ctx, end := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = g.Server(tenant).ServeStdio(ctx, fromUs, toUs)
		_ = fromUs.Close()
		_ = toUs.Close()
	}()
	a, err := agent.New(ctx, transport.NewIO(fromGateway, toGateway, io.NopCloser(strings.NewReader(""))), "agent of "+tenant, "1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = a.Close()
		end()
		<-served
	})
	return a
}

// TestOverseen: each tenant of a gateway has a live page with its own calls and clients, whose user
// pauses and calls there; the audit log says whose each line is.
func TestOverseen(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	c := gatewayCmd{UIFlags: livepage.UIFlags{UI: livepage.AnyPort}, AuditFlags: policy.AuditFlags{AuditLog: file, AuditSize: 1}}
	var g *gateway.Gateway
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen, unseen, err := c.oversee(ctx, metrics.NewProcess(metrics.Process{}), log)
	if err != nil {
		t.Fatal(err)
	}
	store := leasetest.NewMemory().Open(leases.Options{Name: "front", Candidate: true}, log)
	defer store.Close()
	g, err = gateway.Start(gateway.Options{Name: "front", Store: store, Tenants: []gateway.Tenant{{Name: "shop"}, {Name: "bank"}}, Oversee: seen.tenant, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	stop := seen.ui.Beside(ctx)

	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	read := func(answer *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		return string(body)
	}
	page := func(at string) string { t.Helper(); return read(browser.Get(seen.ui.Address() + at)) }
	press := func(at, do string) string {
		t.Helper()
		form := regexp.MustCompile(`name="do" value="` + do + `"><input type="hidden" name="of" value="([^"]*)"><input type="hidden" name="nonce" value="([^"]*)"`).FindStringSubmatch(page(at))
		if form == nil {
			t.Fatalf("no form for %s: %s", do, page(at))
		}
		r, _ := http.NewRequest(http.MethodPost, seen.ui.Address()+at+"do", strings.NewReader(url.Values{"do": {do}, "of": {form[1]}, "nonce": {form[2]}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+r.Host)
		return read(browser.Do(r))
	}
	if list := read(browser.Get(seen.ui.Link())); !strings.Contains(list, `href="shop/"`) || !strings.Contains(list, `href="bank/"`) {
		t.Errorf("the list of tenants: %s", list)
	}

	shop, bank := client(t, g, "shop"), client(t, g, "bank")
	if _, err := shop.Call(ctx, "list_tabs", json.RawMessage(`{"detail":"for shop"}`)); err != nil {
		t.Fatal(err)
	}
	if body := page("shop/"); !strings.Contains(body, "agent of shop") || !strings.Contains(body, "list_tabs") || strings.Contains(body, "bank") {
		t.Errorf("shop's page: %s", body)
	}
	if body := page("bank/"); !strings.Contains(body, "agent of bank") || strings.Contains(body, "list_tabs") || strings.Contains(body, "shop") {
		t.Errorf("bank's page: %s", body)
	}
	press("shop/", "pause-client")
	refused := func(a *agent.Agent) bool {
		t.Helper()
		result, err := a.Call(ctx, "acquire_browser", json.RawMessage(`{"wait":0}`))
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := result.MarshalJSON()
		return strings.Contains(string(raw), "the user has paused this client")
	}
	if !refused(shop) || refused(bank) {
		t.Error("a pause doesn't hold, or holds for another tenant's client")
	}

	g.SetTenants([]gateway.Tenant{{Name: "bank"}})
	if body := page("shop/"); !strings.Contains(body, "no such tenant") {
		t.Errorf("the page of a tenant that is gone: %s", body)
	}
	stop()
	g.Stop()
	unseen()
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"event":"call","tenant":"shop"`, `"by":"pause","outcome":"refuse"`, `"event":"stop","tenant":"shop"`} {
		if !strings.Contains(string(written), want) {
			t.Errorf("the audit log has no %s:\n%s", want, written)
		}
	}
}
