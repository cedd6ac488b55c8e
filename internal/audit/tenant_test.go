package audit

import (
	"path/filepath"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// TestTenants: each line names its tenant, and what one has registered is compared with what that
// one had, not with another's. One that comes again has all its tools anew.
func TestTenants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := Open(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	catalogs := func(tool string) []registry.Effect {
		state := registry.NewState(registry.Options{})
		serving(state, registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"},
			registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Name: tool}}})
		return []registry.Effect{registry.SetCatalog{Catalog: state.Catalog()}}
	}
	shop, bank := l.Begin("shop"), l.Begin("bank")
	l.Apply(catalogs("common"))
	shop.Apply(catalogs("buy"))
	pay := catalogs("pay")
	bank.Apply(pay)
	bank.Decided(Decision{Name: "pay", By: "pause", Outcome: "refuse"})
	shop.End()
	shop.Called(calls.Record{Name: "late", Outcome: "cancelled"})
	shop = l.Begin("shop")
	shop.Apply(catalogs("buy"))
	bank.Apply(pay)
	l.Close()

	var got []string
	for _, m := range read(t, path) {
		is := m["event"].(string)
		for _, what := range []string{"tenant", "tool", "name"} {
			if m[what] != nil && (what != "name" || m["tool"] == nil) {
				is += " " + m[what].(string)
			}
		}
		got = append(got, is)
	}
	want := "start, start shop, start bank, added common, added shop buy, added bank pay, decision bank pay, stop shop, call shop late, start shop, added shop buy, stop"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// TestTenantsAreBounded: of each tenant one catalog waits beyond the bound, the newest, and none takes
// another tenant's place.
func TestTenantsAreBounded(t *testing.T) {
	l := newLog()
	for range maxWaiting {
		l.Called(calls.Record{})
	}
	for range 3 {
		for _, tenant := range []string{"shop", "bank"} {
			(&Tenant{l, tenant}).Apply([]registry.Effect{registry.SetCatalog{Catalog: registry.EmptyCatalog()}})
		}
	}
	waiting, dropped, _ := l.take()
	if len(waiting) != maxWaiting+2 || dropped != 0 || waiting[maxWaiting].tenant != "shop" || waiting[maxWaiting+1].tenant != "bank" {
		t.Errorf("%d wait, %d were dropped", len(waiting), dropped)
	}
}
