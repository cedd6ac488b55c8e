package live

import (
	"strings"
	"testing"

	"webmcphub/registry"
)

// oneTab is a subject: tab 2, which has said something.
type oneTab struct{}

func (oneTab) Tab() registry.TabID { return 2 }
func (oneTab) Console() ([]ConsoleMessage, string) {
	return []ConsoleMessage{{Kind: "log", Text: "first"}, {Kind: "error", Text: "<script>second\u202e", Where: "https://b.test/x.js:3", Count: 2}}, "It isn't heard now."
}

// TestOnePage: a hub for one page shows that one and its console, whatever the address says.
func TestOnePage(t *testing.T) {
	v := serve(t)
	v.enter() // it is served by now
	r := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{registry.PageOpened{Page: "A", URL: "https://a.test/"}, registry.PageOpened{Page: "B", URL: "https://b.test/"}, registry.FlushDue{}} {
		v.Apply(r.Step(e))
	}
	all := v.Server.page(Filter{}, "")
	if all.Console != nil || len(all.Browsers[0].Tabs) != 2 || all.One != nil {
		t.Errorf("a hub for all pages shows %+v", all)
	}
	v.Inspects(oneTab{})
	one := v.Server.page(Filter{Tab: 1}, "")
	if one.One == nil || one.One.URL != "https://b.test/" || len(one.Browsers[0].Tabs) != 1 || one.Browsers[0].Tabs[0].ID != 2 {
		t.Errorf("a hub for one page shows %+v of %+v", one.One, one.Browsers)
	}
	var b strings.Builder
	if err := Render(&b, "main", one); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "<script>second") || !strings.Contains(text, "&lt;script&gt;second") || strings.Contains(text, "\u202e") {
		t.Errorf("what the page said is shown as it is: %s", text)
	}
	for _, want := range []string{"2 times", "https://b.test/x.js:3", "It isn&#39;t heard now.", `<td class="bad">error`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q isn't shown: %s", want, text)
		}
	}
	if strings.Index(text, "second") > strings.Index(text, "first") {
		t.Error("the newest doesn't come first")
	}
}
