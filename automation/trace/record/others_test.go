package record_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/trace/record"
)

// TestOtherTab: what another tab asks for while one is traced is told neither by the hub nor by
// Chrome's engine, whether rules for sites keep it out or not.
func TestOtherTab(t *testing.T) {
	tab := Open(t, Pages{"/": "<h1>good", "/bank": "<h1>bank"})
	tab.Site.Handle(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/img" {
			return false
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>`))
		return true
	})
	bank := NewTab(t, tab.Site, "about:blank")
	bank.Attach()
	bank.Goto(tab.Site.URL("b", "/bank"))
	r, err := record.Start(tab.Ctx, tab.Page, record.Options{Reload: true})
	if err != nil {
		t.Fatal(err)
	}
	const load = `Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(n => new Promise(done => { const i = new Image(); i.onload = done; i.src = '/img?token=s3cret' + n; document.body.append(i) }))).then(all => all.length)`
	if n := JS[int](bank, load); n != 8 {
		t.Fatalf("%d images", n)
	}
	if err := r.Quiet(tab.Ctx); err != nil {
		t.Fatal(err)
	}
	f, err := r.Stop(tab.Ctx)
	if err != nil {
		t.Fatal(err)
	}
	traces := record.NewTraces(tab.Conn)
	defer traces.Close()
	for _, who := range []record.Who{{ID: "1", Permits: func(a string) bool { return !strings.Contains(a, "//b.test") }}, {ID: "2"}} {
		item, err := traces.Add(tab.Ctx, f, who)
		if err != nil {
			t.Fatal(err)
		}
		if item.Engine == nil {
			t.Errorf("Chrome's engine wasn't asked: %s", item.Why)
		}
		told := item.Text() + fmt.Sprint(item.Report.Sets)
		for _, s := range item.Report.Sets {
			told += fmt.Sprint(s.Insights)
			for _, name := range []string{"Cache", "ModernHTTP", "NetworkDependencyTree", "ThirdParties"} {
				text, _ := traces.Insight(tab.Ctx, who, "", s.ID, name)
				told += text
			}
		}
		if strings.Contains(told, "s3cret") || strings.Contains(told, "b.test") {
			t.Errorf("it tells of the other tab: %s", told)
		}
	}
}
