package automation

import (
	"context"
	"strings"
	"testing"

	"webmcphub/registry"
)

// TestTitlesForListsOnly: the browser is asked for titles by what shows them, and not by each
// call that finds its tab.
func TestTitlesForListsOnly(t *testing.T) {
	b := newFakeBrowser("https://a.example/", "https://b.example/")
	s := newService(b)
	a := newAgent(t, s, b, "1")
	asked := 0
	a.client.Catalog = func(context.Context) *registry.Catalog { asked++; return b.current() }
	for _, call := range [][2]string{{"select_page", `{"pageId":2}`}, {"click", `{"uid":"a1"}`}, {"take_snapshot", `{"pageId":1}`}} {
		if r := a.call(call[0], call[1]); strings.Contains(r.Text, "no page") {
			t.Errorf("%s: %s", call[0], r.Text)
		}
	}
	if asked != 0 {
		t.Errorf("titles were asked for %d times", asked)
	}
	if a.says("list_pages", `{}`, "2: "); asked != 1 {
		t.Errorf("titles were asked for %d times by list_pages", asked)
	}
}
