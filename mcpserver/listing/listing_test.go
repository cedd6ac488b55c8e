package listing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/internal/o200k"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/tokencount"
)

// pages is a registry's pages, for the catalogs that they make.
type pages struct {
	state *registry.State
	now   *registry.Catalog
}

func newPages() *pages {
	return &pages{registry.NewState(registry.Options{MaxPages: 5000}), registry.StartingCatalog()}
}

// change steps events and gives the catalog that they end in.
func (p *pages) change(events ...registry.Event) *registry.Catalog {
	for _, e := range append(events, registry.BrowserChanged{}, registry.FlushDue{}, registry.FlushDue{}) {
		for _, effect := range p.state.Step(e) {
			if serve, ok := effect.(registry.SetCatalog); ok {
				p.now = serve.Catalog
			}
		}
	}
	return p.now
}

// page are the events by which a page opens with so many tools.
func page(id int, url, title string, tools int) []registry.Event {
	p := registry.PageID(fmt.Sprint("P", id))
	return []registry.Event{registry.PageOpened{Page: p, URL: url, Title: title}, registry.Navigated{Page: p, Gen: 1, URL: url}, has(id, tools)}
}

func has(id, tools int) registry.Event {
	e := registry.ToolsReported{Page: registry.PageID(fmt.Sprint("P", id)), Gen: 1}
	for i := range tools {
		e.Tools = append(e.Tools, &registry.PageTool{Frame: "F", Doc: 1, Runtime: offer.Native, Name: fmt.Sprintf("search_products_%02d", i),
			Description: fmt.Sprintf("Searches part %d of the catalogue by words and price. Gives at most 20 products, with their stock.\nSecond line.", i),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"Words to look for"},"maxPrice":{"type":"number"}},"required":["query"]}`)})
	}
	return e
}

// sites are hosts as they really are.
var siteTools = []string{"mail.google.com", "www.expedia.com", "github.com", "shop.example.com", "calendar.google.com", "en.wikipedia.org", "news.ycombinator.com",
	"www.amazon.co.uk", "docs.python.org", "app.slack.com", "jira.acme-corp.example", "bistro-la-fontaine.fr", "www.bahn.de", "trello.com", "localhost:3000"}

func manyTabs(tabs, tools int) *registry.Catalog {
	p := newPages()
	var events []registry.Event
	for i := range tabs {
		host := siteTools[i%len(siteTools)]
		if i >= len(siteTools) {
			host = fmt.Sprintf("team%d.%s", i, host)
		}
		events = append(events, page(i, "https://"+host+"/account/orders?tab=open", fmt.Sprintf("Your orders (%d) – %s", i, host), tools)...)
	}
	return p.change(events...)
}

func textOf(t testing.TB, a Answer) string {
	t.Helper()
	var r struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(a.Result.JSON, &r); err != nil {
		t.Fatal(err)
	}
	if r.Content[0].Text != string(r.StructuredContent) {
		t.Error("the text is not the structure")
	}
	return r.Content[0].Text
}

func read(t testing.TB, a Answer) (o result) {
	t.Helper()
	if err := json.Unmarshal([]byte(textOf(t, a)), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func all(c *registry.Catalog, max int) Request {
	return Request{Catalog: c, MaxTokens: max, To: registry.VisibleTools{ByName: true}}
}

// TestOverviewAlwaysFits counts with the real tokenizer.
func TestOverviewAlwaysFits(t *testing.T) {
	for _, tabs := range []int{0, 1, 3, 10, 30, 50, 100, 200, 1000} {
		for _, tools := range []int{0, 1, 20, 500} {
			if tabs*tools > 4_000 {
				continue
			}
			c := manyTabs(tabs, tools)
			a := List(all(c, OverviewTokens))
			text := textOf(t, a)
			if n := o200k.Count(text); n > OverviewTokens {
				t.Errorf("%d tabs with %d tools: %d tokens: %.200s", tabs, tools, n, text)
			}
			if tabs == 200 {
				t.Logf("200 tabs with %d tools each: %d tokens", tools, o200k.Count(text))
			}
			o := read(t, a)
			if tabs == 200 && (len(o.Tabs) < 200 || o.NextCursor != "") {
				t.Errorf("of 200 tabs with %d tools only %d are there", tools, len(o.Tabs))
			}
			if tabs*tools <= 3 && tabs <= 3 && (len(o.Pages) != tabs || o.Detail != "") {
				t.Errorf("%d tabs with %d tools would fit in full: %s", tabs, tools, text)
			}
		}
	}
}

// TestOverviewShowsWhatFits: the more there is, the less is said of each.
func TestOverviewShowsWhatFits(t *testing.T) {
	var was []Detail
	for _, tools := range []int{2, 12, 24, 40, 90, 150, 600} {
		o := read(t, List(all(manyTabs(3, tools), OverviewTokens)))
		if len(was) == 0 || was[len(was)-1] != o.Detail {
			was = append(was, o.Detail)
		}
		if shown := slices.ContainsFunc(o.Pages, func(p Page) bool { return len(p.Tools) != tools }); shown || len(o.Pages) == 0 && len(o.Tabs) != 3 {
			t.Errorf("%d tools in each tab: %+v", tools, o)
		}
	}
	if want := []Detail{"", Signature, Names, tabsOnly}; !slices.Equal(was, want) {
		t.Errorf("with more and more tools the details are %q, want %q", was, want)
	}
	o := read(t, List(all(manyTabs(3, 600), OverviewTokens)))
	if want := "1 mail.google.com 600 Your orders (0) – mail.google.com"; o.Tabs[0] != want {
		t.Errorf("a tab's line is %q, want %q", o.Tabs[0], want)
	}
	if crowd := read(t, List(all(manyTabs(1000, 1), OverviewTokens))); crowd.NextCursor == "" || !strings.Contains(crowd.Note, "more tabs") {
		t.Errorf("of 1000 tabs: %d lines, %q, %q", len(crowd.Tabs), crowd.NextCursor, crowd.Note)
	}
}

// Tabs of one site share a line where that has room for all.
// TestOverviewOfSeveralBrowsers: each line says the tab's browser, and so does the list of one
// tab; the note says how to read it.
func TestOverviewOfSeveralBrowsers(t *testing.T) {
	p := newPages()
	events := []registry.Event{registry.BrowsersNamed{Browsers: []registry.NamedBrowser{{Name: "a"}, {Name: "b"}}}, registry.BrowserChanged{Browser: "a"}, registry.BrowserChanged{Browser: "b", Status: "refused"}}
	for id := range 60 {
		opened := page(id, "https://shop.test/", "Shop", 20)
		first := opened[0].(registry.PageOpened)
		first.Browser = []string{"a", "b"}[id%2]
		opened[0] = first
		events = append(events, opened...)
	}
	c := p.change(events...)
	got := string(List(Request{Catalog: c, MaxTokens: OverviewTokens}).Result.JSON)
	for _, want := range []string{`shop.test@a 20`, `shop.test@b 20`, `followed by @`, `"browsers":[{"name":"a","connected":true},{"name":"b","connected":false,"status":"refused"}]`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if got := string(List(Request{Catalog: c, Tab: c.Tabs()[1], Detail: Names, MaxTokens: 500}).Result.JSON); !strings.Contains(got, `"tabId":2,"browser":"b"`) {
		t.Errorf("one tab: %s", got)
	}
}

func TestOverviewByHost(t *testing.T) {
	p := newPages()
	var events []registry.Event
	for i := range 400 {
		events = append(events, page(i, fmt.Sprintf("https://%s/%d", siteTools[i%3], i), "", 2)...)
	}
	o := read(t, List(all(p.change(events...), OverviewTokens)))
	if len(o.Tabs) != 3 || !strings.HasPrefix(o.Tabs[0], "1,4,7,") || !strings.HasSuffix(o.Tabs[0], " mail.google.com 268") {
		t.Errorf("%.300q", o.Tabs)
	}
}

// parts reads a list to its end, and gives the names in it and in the catalogs that count
// as read.
func parts(t *testing.T, r Request) (names, known []string) {
	t.Helper()
	for n := 0; ; n++ {
		a := List(r)
		o := read(t, a)
		for _, p := range o.Pages {
			for _, tool := range p.Tools {
				names = append(names, tool.Name)
			}
		}
		if text := textOf(t, a); len(names) > n+1 && (tokencount.Estimate(text) > r.MaxTokens || o200k.Count(text) > r.MaxTokens*11/10) {
			t.Errorf("part %d has about %d tokens, really %d, and may have %d", n, tokencount.Estimate(text), o200k.Count(text), r.MaxTokens)
		}
		if a.Read != nil {
			for _, tool := range a.Read.Tools() {
				known = append(known, tool.Name)
			}
		}
		if o.NextCursor == "" {
			return names, known
		}
		from, ok := ReadCursor(o.NextCursor)
		if !ok || n > 2000 || !from.Placed(r.Catalog) {
			t.Fatalf("part %d ends with the cursor %q", n, o.NextCursor)
		}
		r.From, r.Detail = from, from.Detail()
	}
}

// TestPartsAreTheWhole: whatever the limit, the parts of a list are all of it, each tool
// once and in order, and what counts as read is what was shown.
func TestPartsAreTheWhole(t *testing.T) {
	c := manyTabs(12, 7)
	p := newPages()
	empty := p.change(slices.Concat(page(1, "https://a.test/", "", 3), page(2, "https://b.test/", "", 0), page(3, "https://c.test/", "", 0), page(4, "https://d.test/", "", 2), page(5, "https://e.test/", "", 0))...)
	for _, catalog := range []*registry.Catalog{c, empty} {
		var want []string
		for _, tab := range catalog.Tabs() {
			for _, tool := range tab.Tools {
				want = append(want, tool.Name)
			}
		}
		for _, d := range []Detail{Names, Signature, Full} {
			for _, limit := range []int{1, 300, 1500, 100_000} {
				r := all(catalog, limit)
				r.Detail = d
				names, known := parts(t, r)
				if !slices.Equal(names, want) {
					t.Errorf("%s in parts of %d tokens: %d tools, want %d", d, limit, len(names), len(want))
				}
				slices.Sort(known)
				if sorted := slices.Sorted(slices.Values(want)); !slices.Equal(known, sorted) {
					t.Errorf("%s in parts of %d tokens: %d tools are known, want %d", d, limit, len(known), len(want))
				}
			}
		}
	}
	one := all(c, 300)
	one.Tab, one.Detail = c.Tabs()[4], Full
	if names, _ := parts(t, one); len(names) != 7 || names[0] != c.Tabs()[4].Tools[0].Name {
		t.Errorf("one tab in parts: %q", names)
	}
}

// TestTabsInParts: every tab is named once, and a tab more.
func TestTabsInParts(t *testing.T) {
	c := manyTabs(1000, 1)
	seen := map[string]int{}
	r := all(c, OverviewTokens)
	for n := 0; ; n++ {
		o := read(t, List(r))
		for _, line := range o.Tabs {
			id, _, _ := strings.Cut(line, " ")
			seen[id]++
		}
		if o.NextCursor == "" || n > 20 {
			break
		}
		r.From, _ = ReadCursor(o.NextCursor)
	}
	if len(seen) != 1000 || seen["1"] != 1 || seen["1000"] != 1 {
		t.Errorf("%d of 1000 tabs are named", len(seen))
	}
}

// TestPartsOfWhatChanges: a list goes on after the tool with which it stopped, wherever
// that is by then, and doesn't where the tab is gone.
func TestPartsOfWhatChanges(t *testing.T) {
	p := newPages()
	c := p.change(page(1, "https://a.test/", "", 9)...)
	r := all(c, 500)
	r.Detail = Full
	first := read(t, List(r))
	shown := len(first.Pages[0].Tools)
	from, _ := ReadCursor(first.NextCursor)
	e := has(1, 9).(registry.ToolsReported)
	e.Tools = append([]*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "before"}}, e.Tools...)
	r.Catalog, r.From = p.change(e), from
	if next := read(t, List(r)); next.Pages[0].Tools[0].Tool != fmt.Sprintf("search_products_%02d", shown) {
		t.Errorf("after %d tools the list goes on with %s", shown, next.Pages[0].Tools[0].Tool)
	}
	if gone := p.change(registry.PageClosed{Page: "P1"}); from.Placed(gone) {
		t.Error("the tab is closed, and the list goes on")
	}
}

// TestPartsWithoutALimit: a cursor goes on where it says, and shows all that is left.
func TestPartsWithoutALimit(t *testing.T) {
	c := manyTabs(3, 9)
	for _, tab := range []*registry.Tab{nil, c.Tabs()[1]} {
		r := all(c, 300)
		r.Tab, r.Detail = tab, Full
		var names []string
		for _, limit := range []int{300, 0} {
			r.MaxTokens = limit
			o := read(t, List(r))
			for _, p := range o.Pages {
				for _, tool := range p.Tools {
					names = append(names, tool.Name)
				}
			}
			r.From, _ = ReadCursor(o.NextCursor)
		}
		if want := r.count(); len(names) != want || len(slices.Compact(slices.Sorted(slices.Values(names)))) != want {
			t.Errorf("%d tools are shown, want %d: %q", len(names), want, names)
		}
	}
	r := all(manyTabs(1000, 1), OverviewTokens)
	first := read(t, List(r))
	r.From, _ = ReadCursor(first.NextCursor)
	r.MaxTokens = 0
	if rest := read(t, List(r)); len(first.Tabs)+len(rest.Tabs) != 1000 || rest.NextCursor != "" {
		t.Errorf("after %d tabs of 1000 come %d", len(first.Tabs), len(rest.Tabs))
	}
}

// TestPartsLeaveNothingOut: where the page has taken away the tools that were shown, or has
// put others before them, the rest is all there, or the answer says what isn't.
func TestPartsLeaveNothingOut(t *testing.T) {
	p := newPages()
	r := all(p.change(page(1, "https://a.test/", "", 20)...), 1000)
	r.Detail = Signature
	first := read(t, List(r))
	shown := len(first.Pages[0].Tools)
	if shown < 2 || shown > 18 {
		t.Fatalf("%d tools are shown", shown)
	}
	r.From, _ = ReadCursor(first.NextCursor)
	r.MaxTokens = DefaultMaxTokens
	e := has(1, 20).(registry.ToolsReported)
	every := e.Tools
	for _, test := range []struct {
		name  string
		tools []*registry.PageTool
		want  int
		note  string
	}{
		{"nothing", every, 20 - shown, ""},
		{"those shown are gone", every[shown:], 20 - shown, "listed from the first again"},
		{"the last shown is the first", slices.Concat(every[shown-1:], every[:shown-1]), 19, "have changed meanwhile"},
		{"the last shown is the last", slices.Concat(every[shown:], every[:shown]), 0, "have changed meanwhile"},
		{"all are gone", nil, 0, ""},
	} {
		e.Tools = test.tools
		r.Catalog = p.change(e)
		o := read(t, List(r))
		n := 0
		for _, page := range o.Pages {
			n += len(page.Tools)
		}
		if n != test.want || test.note == "" && o.Note != "" || !strings.Contains(o.Note, test.note) {
			t.Errorf("%s: %d tools follow, want %d; note: %q", test.name, n, test.want, o.Note)
		}
	}
}

func TestCursors(t *testing.T) {
	for _, good := range []string{"all.full.3.2.webmcp_a_test_page0_x", "one.names.1.0.", "tabs..7.0."} {
		if c, ok := ReadCursor(good); !ok || c.String() != good {
			t.Errorf("%q is read as %+v", good, c)
		}
	}
	for _, bad := range []string{"", "x", "all.full.3.2", "all.all.1.1.x", "all.full.-1.1.x", "all.full.1.x.x", "tabs.full.1.0.", "some.full.1.1.x", "all.full.1.1." + strings.Repeat("x", 300)} {
		if _, ok := ReadCursor(bad); ok {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestHostilePages: neither long addresses nor many refusals make an answer longer than
// it may be, and a title has no lines of its own.
func TestHostilePages(t *testing.T) {
	p := newPages()
	var events []registry.Event
	for i := range 30 {
		events = append(events, page(i, "https://"+strings.Repeat("a.", 60)+"example/"+strings.Repeat("x/", 4000), "One\n2 bank.example 9 Bank\r\n"+strings.Repeat("wide ", 2000), 600)...)
	}
	c := p.change(events...)
	text := textOf(t, List(all(c, OverviewTokens)))
	if n := o200k.Count(text); n > OverviewTokens || strings.Contains(text, `\n`) {
		t.Errorf("%d tokens: %.500s", n, text)
	}
	for _, d := range []Detail{Names, Signature, Full} {
		r := all(c, 3000)
		r.Detail = d
		if n := o200k.Count(textOf(t, List(r))); n > 3000 {
			t.Errorf("%s: %d tokens", d, n)
		}
	}
}

// TestSignatures: what is said of a tool in little.
func TestSignatures(t *testing.T) {
	r := all(manyTabs(1, 1), DefaultMaxTokens)
	r.Detail = Signature
	o := read(t, List(r))
	got := o.Pages[0].Tools[0]
	if got.Signature != "search_products_00(query: string, maxPrice?: number)" || *got.Description != "Searches part 0 of the catalogue by words and price." || got.InputSchema != nil {
		t.Errorf("%+v", got)
	}
	if o.Tokens == 0 || o.Detail != Signature {
		t.Errorf("the answer says of itself: %+v", o)
	}
}
