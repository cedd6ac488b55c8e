package probe

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"webmcphub/check/lint"
)

// Every rule's bad example breaks it, and its good one breaks no rule, in a real Chromium:
// all bad ones in one page, but for those that need a page of their own.
func TestRulesInChromium(t *testing.T) {
	b := aBrowser(t)
	var bad, good []string
	for _, r := range lint.Rules() {
		if r.ID != "no-tools" && r.ID != "deprecated-api" {
			bad = append(bad, r.Bad)
		}
		if !slices.Contains(good, r.Good) {
			good = append(good, r.Good)
		}
	}
	alone := map[string]string{}
	for _, r := range lint.Rules() {
		if r.ID == "no-tools" || r.ID == "deprecated-api" {
			alone[r.ID] = page(r.Bad)
		}
	}
	goods := map[string]string{}
	for some := range slices.Chunk(good, 12) {
		goods[fmt.Sprintf("/good%d", len(goods))] = page(some...)
	}
	pages := map[string]string{
		"/bad": page(bad...), "/no-tools": alone["no-tools"], "/deprecated-api": alone["deprecated-api"],
		"/third.js": `document.modelContext.registerTool({ name: "stranger", description: "Comes from elsewhere. Use it with care.", execute: () => "done" });`,
	}
	maps.Copy(pages, goods)
	address := serve(t, pages)
	broken := map[string]bool{}
	for _, path := range []string{"/bad", "/no-tools", "/deprecated-api"} {
		tab, p, err := b.Open(t.Context(), address+path)
		if err != nil {
			t.Fatal(err)
		}
		tab.Close()
		for _, f := range findings(t, &p) {
			broken[f.Rule] = true
			if f.Severity == "error" {
				t.Logf("%s: %s %s %s: %s", path, f.Rule, f.Tool, f.Where, f.Message)
			}
		}
	}
	for _, r := range lint.Rules() {
		if !broken[r.ID] {
			t.Errorf("the bad example of %s doesn't break it", r.ID)
		}
	}
	for path := range goods {
		tab, p, err := b.Open(t.Context(), address+path)
		if err != nil {
			t.Fatal(err)
		}
		tab.Close()
		if len(p.Tools) == 0 {
			t.Error("a good page has no tools")
		}
		for _, f := range findings(t, &p) {
			t.Errorf("a good example breaks %s: %+v", f.Rule, f)
		}
	}
}

func findings(t *testing.T, p *lint.SeenPage) []lint.Finding {
	t.Helper()
	all, err := lint.Page(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
