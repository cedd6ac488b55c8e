package registry

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"webmcphub/registry/names"

	"pgregory.net/rapid"
)

// TestProperties plays random events, and holds after every one of them what
// the package promises (doc.go). At the end the same list must come from a
// fresh State that is told the end only, and nothing may be left once all
// pages are closed.
func TestProperties(t *testing.T) { rapid.Check(t, playRandomEvents) }

func playRandomEvents(t *rapid.T) {
	r := newRun(t, rapid.Bool().Draw(t, "clashing"), Options{
		MaxName:     rapid.SampledFrom([]int{0, 32, 33, 40, 51, 128}).Draw(t, "max"),
		StableIndex: rapid.Bool().Draw(t, "stable"),
	})
	if r.urls == clashingURLs { // begin where names can clash at once
		for _, url := range []string{"https://a/", "https://a.page0/", "https://a.page0.page1/"} {
			r.openURL(url)
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"open":     r.open,
		"change":   r.change,
		"navigate": r.navigate,
		"report":   r.report,
		"report2":  r.report, // the most frequent event
		"report3":  r.report,
		"close":    r.close,
		"reopen":   r.reopen,
		"recover":  r.recover,
		"flush":    func(*rapid.T) { r.step(FlushDue{}) },
		"browser": func(t *rapid.T) {
			r.step(BrowserChanged{Status: rapid.SampledFrom([]string{"", "gone"}).Draw(t, "status")})
		},
		"read": func(*rapid.T) { r.read = r.state.Catalog() },
		"":     r.check,
	})
	r.calm()
	r.checkEnd()
	r.checkFresh(func(pages []*page) {})
	r.checkFresh(slices.Reverse[[]*page])
	r.closeAll()
}

// run is a random run: what has happened, and the MCP server it led to.
type run struct {
	t       *rapid.T
	options Options
	urls    *rapid.Generator[string]
	names   *rapid.Generator[string]
	state   *State
	server  map[string]*HubTool
	opened  []PageID
	pool    map[PageID][]*PageTool // registrations that a page may report again
	tabs    map[TabID]PageID       // whose each tab id has been
	tabOf   map[PageID]TabID
	offered map[PageID]*offering // what open pages really offer
	cooling bool                 // the flush interval isn't over
	read    *Catalog             // what a client read last
}

type offering struct {
	gen   Gen
	tools []*PageTool
}

func newRun(t *rapid.T, clashing bool, o Options) *run {
	r := &run{t: t, options: o, urls: anyURLs, names: anyNames, state: NewState(o), read: EmptyCatalog(), server: map[string]*HubTool{}, pool: map[PageID][]*PageTool{}, offered: map[PageID]*offering{}}
	if clashing {
		r.urls, r.names = clashingURLs, clashingNames
	}
	return r
}

var (
	// Domains and tool names that clash with each other across pages.
	clashingURLs  = rapid.SampledFrom([]string{"https://a/", "https://a.page0/", "https://a.page0.page1/"})
	clashingNames = rapid.SampledFrom([]string{"x", "page1_x", "page2_x", "page1_page2_x"})

	// Some that are too long, and some in other scripts.
	anyURLs = rapid.OneOf(
		rapid.SampledFrom([]string{"https://a/", "https://a.page0/", "https://a.page1/", "https://a_page1.x/", "https://a.page0.page1/", "https://a.page1.page2/",
			"https://a/other", "http://localhost:3000/", "about:blank", "https://例え.example/", "https://" + strings.Repeat("long.", 40) + "example/"}),
		rapid.Map(rapid.StringMatching(`[a-z0-9_-]{1,8}(\.page[0-3])?(\.[a-z]{1,3})?`), func(host string) string { return "https://" + host + "/" }),
	)
	anyNames = rapid.OneOf(
		rapid.SampledFrom([]string{"x", "page0_x", "page1_x", "page2_x", "page1_page2_x", "page0_page1_x", "a-b", "a.b", "a_b", "買う", "売る", "🛒", "", "\x00",
			strings.Repeat("long", 30) + "1", strings.Repeat("long", 30) + "2", strings.Repeat("too long", 40)}),
		rapid.StringMatching(`(page[0-3]_){0,2}[xy]`),
		rapid.String(),
	)
	someOrigins = rapid.SampledFrom([]string{"", "", "https://a", "https://b", names.OpaqueOrigin, "://"})
	someSchemas = rapid.SampledFrom([]string{"", `{}`, `{"type":"object","properties":{"a":{}}}`, `{"anyOf":[{}]}`, `{"type":`})
)

func (r *run) page(t *rapid.T) *page {
	if len(r.state.order) == 0 {
		t.Skip("no page")
	}
	return rapid.SampledFrom(r.state.order).Draw(t, "page")
}

func (r *run) open(t *rapid.T) {
	if len(r.state.order) > 6 {
		t.Skip("enough pages")
	}
	r.openURL(r.urls.Draw(t, "url"))
}

func (r *run) openURL(url string) {
	id := PageID(fmt.Sprint("p", len(r.opened)))
	r.opened = append(r.opened, id)
	r.step(PageOpened{Page: id, URL: url, Title: "title"})
}

func (r *run) change(t *rapid.T) {
	p := r.page(t)
	url, origin := p.url, p.browserOrigin
	if rapid.Bool().Draw(t, "moves") {
		url, origin = r.urls.Draw(t, "url"), someOrigins.Draw(t, "origin")
	}
	r.step(PageChanged{Page: p.ID, URL: url, Origin: origin, Title: rapid.SampledFrom([]string{"title", "other"}).Draw(t, "title"), State: rapid.SampledFrom([]string{"", "", "crashed"}).Draw(t, "state")})
}

func (r *run) navigate(t *rapid.T) {
	p := r.page(t)
	r.step(Navigated{Page: p.ID, Gen: p.Gen + Gen(rapid.IntRange(0, 2).Draw(t, "more")), URL: r.urls.Draw(t, "url"), Origin: someOrigins.Draw(t, "origin")})
}

func (r *run) report(t *rapid.T) {
	p := r.page(t)
	var tools []*PageTool
	for range rapid.IntRange(0, 6).Draw(t, "tools") {
		tools = append(tools, r.tool(t, p))
	}
	r.step(ToolsReported{p.ID, p.Gen - min(p.Gen, Gen(rapid.IntRange(0, 9).Draw(t, "age")/9)), tools})
}

// tool is a registration that the page had before, or a new one.
func (r *run) tool(t *rapid.T, p *page) *PageTool {
	if had := r.pool[p.ID]; len(had) > 0 && rapid.Bool().Draw(t, "again") {
		return rapid.SampledFrom(had).Draw(t, "tool")
	}
	tool := &PageTool{
		Frame:       FrameID(rapid.SampledFrom([]string{"f0", "f0", "f1", "f2"}).Draw(t, "frame")),
		Doc:         p.Gen + Gen(rapid.IntRange(0, 1).Draw(t, "doc")),
		FrameURL:    rapid.SampledFrom([]string{"", "", "https://a/", "about:srcdoc"}).Draw(t, "frame url"),
		Origin:      someOrigins.Draw(t, "origin"),
		Name:        r.names.Draw(t, "name"),
		Description: rapid.SampledFrom([]string{"", "one", "two\u202e"}).Draw(t, "description"),
		InputSchema: []byte(someSchemas.Draw(t, "schema")),
	}
	r.pool[p.ID] = append(r.pool[p.ID], tool)
	return tool
}

func (r *run) close(t *rapid.T) {
	if len(r.opened) == 0 {
		t.Skip("no page")
	}
	r.step(PageClosed{rapid.SampledFrom(r.opened).Draw(t, "page")}) // perhaps closed already
}

// reopen is for a page that the hub lost and found again.
func (r *run) reopen(t *rapid.T) {
	closed := slices.DeleteFunc(slices.Clone(r.opened), func(id PageID) bool { return r.state.pages[id] != nil })
	if len(closed) == 0 || len(r.state.order) > 6 {
		t.Skip("none")
	}
	id := rapid.SampledFrom(closed).Draw(t, "page")
	r.opened = append(r.opened, id)
	r.step(PageOpened{Page: id, URL: r.urls.Draw(t, "url"), Title: "title"})
	r.checkTab(r.state.pages[id])
}

// checkTab says that a page has its tab id for life, and that nobody else had it.
func (r *run) checkTab(p *page) {
	if r.tabs == nil {
		r.tabs, r.tabOf = map[TabID]PageID{}, map[PageID]TabID{}
	}
	r.must(r.tabs[p.Tab] == "" || r.tabs[p.Tab] == p.ID, "tab %d was %s and is %s", p.Tab, r.tabs[p.Tab], p.ID)
	r.must(r.tabOf[p.ID] == 0 || r.tabOf[p.ID] == p.Tab, "%s was tab %d and is %d", p.ID, r.tabOf[p.ID], p.Tab)
	r.tabs[p.Tab], r.tabOf[p.ID] = p.ID, p.Tab
}

// recover is what the owner of a State does that has failed.
func (r *run) recover(*rapid.T) {
	pages := r.state.order
	tabs := r.state.numbers.last
	r.state, r.cooling, r.offered = r.state.Recover(r.state.Catalog()), true, map[PageID]*offering{}
	r.must(r.state.numbers.last == tabs, "tab ids begin again")
	for _, p := range pages {
		r.step(PageOpened{Page: p.ID, URL: p.url, Title: p.title})
		r.step(Navigated{Page: p.ID, Gen: p.Gen, URL: p.url, Origin: p.browserOrigin})
		r.step(PageChanged{Page: p.ID, URL: p.url, Origin: p.browserOrigin, Title: p.title, State: p.state})
		r.step(ToolsReported{p.ID, p.Gen, p.tools})
		r.must(r.state.pages[p.ID].Tab == p.Tab, "%s has another tab id", p.ID)
	}
}

// calm lets the flush interval end, so that everything shows.
func (r *run) calm() {
	r.step(FlushDue{})
	r.step(FlushDue{})
}

// step applies one event's effects, and checks them.
func (r *run) step(e Event) {
	r.note(e)
	before := maps.Clone(r.server)
	last := 0 // effects come in this order, each at most once but Refuse
	var told []PageID
	notified := false
	effects := r.state.Step(e)
	r.must(len(effects) == 0 || !r.cooling, "effects within the flush interval: %v", effects)
	for _, effect := range effects {
		kind := 0
		switch x := effect.(type) {
		case ReportRefusal:
		case SetCatalog:
			kind = 1
			r.must(x.Catalog == r.state.Catalog(), "serves another catalog")
			all := x.Catalog.Tools()
			r.must(slices.IsSortedFunc(all, func(a, b *HubTool) int { return cmp.Compare(a.Name, b.Name) }), "publishes unsorted tools")
			clear(r.server)
			for _, t := range all {
				r.must(r.server[t.Name] == nil, "publishes %s twice", t.Name)
				r.server[t.Name] = t
			}
		case NotifyListChanged:
			kind, told, notified = 2, x.Pages, true
		case ArmFlush:
			kind, r.cooling = 3, true
		}
		r.must(kind > last || kind == 0 && last == 0, "effect %T comes too late", effect)
		last = kind
	}
	r.must(r.cooling || maps.Equal(before, r.server), "a change began no interval")
	changed := changedPages(before, r.server)
	r.must(notified == (len(changed) > 0), "notified %v, changed %v", notified, changed)
	slices.SortFunc(told, cmp.Compare[PageID])
	r.must(slices.Equal(told, changed), "told of %v, changed %v", told, changed)
}

// note keeps what the pages offer after an event, by the rules of event.go.
func (r *run) note(e Event) {
	switch e := e.(type) {
	case PageOpened:
		if r.state.pages[e.Page] == nil {
			r.offered[e.Page] = &offering{}
		}
	case PageClosed:
		delete(r.offered, e.Page)
	case Navigated:
		if o := r.offered[e.Page]; o != nil && e.Gen > o.gen {
			*o = offering{gen: e.Gen}
		}
	case ToolsReported:
		if o := r.offered[e.Page]; o != nil && e.Gen == o.gen {
			o.tools = e.Tools
		}
	case FlushDue:
		r.cooling = false
	}
}

// changedPages are the pages of which a client can see different tools, sorted.
func changedPages(before, after map[string]*HubTool) []PageID {
	changed := map[PageID]bool{}
	for name := range after {
		if b, a := before[name], after[name]; b == nil || string(b.Encoded) != string(a.Encoded) || !a.Identity().Same(b.Identity()) {
			changed[a.Route.Page] = true
			if b != nil {
				changed[b.Route.Page] = true
			}
		}
	}
	for name, b := range before {
		if after[name] == nil {
			changed[b.Route.Page] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

var soundName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// check holds at any moment.
func (r *run) check(*rapid.T) {
	c := r.state.Catalog()
	r.must(c.Len() == len(r.server) && len(c.Tools()) == len(r.server), "catalog has %d tools, and lists %d; the server has %d", c.Len(), len(c.Tools()), len(r.server))
	for name, t := range r.server {
		r.must(c.Lookup(name) == t && t.Name == name, "catalog and server differ on %s", name)
		r.must(len(name) <= r.state.options.MaxName && soundName.MatchString(name), "name %q with %d bytes", name, len(name))
		tab := c.Tab(t.Route.Page)
		r.must(tab != nil && slices.Contains(tab.Tools, t), "%s is on no tab", name)
	}
	r.checkRead()
	r.must(slices.IsSortedFunc(c.Tabs(), func(a, b *Tab) int { return cmp.Compare(a.Index, b.Index) }), "tabs out of order")
}

// checkRead holds for every name that the client read: a call goes to the
// same tool of the same page and origin, and to the same frame if that is there.
func (r *run) checkRead() {
	now := r.state.Catalog()
	for _, was := range r.read.Tools() {
		t, err := Resolve(r.read, now, was.Name, everybody)
		if err != nil {
			r.must(t == nil && err.Error() != "", "%v with error %v", t, err)
			continue
		}
		r.must(now.Lookup(t.Name) == t && was.Identity().Same(t.Identity()), "%s leads to %v, once %v", was.Name, t.Route, was.Route)
		if t.Route.Frame != was.Route.Frame {
			there := slices.ContainsFunc(now.Tab(was.Route.Page).Published(), func(o *HubTool) bool {
				return o.Identity().Same(was.Identity()) && o.Route.Frame == was.Route.Frame
			})
			r.must(!there, "%s leads to %v, and there is %v", was.Name, t.Route, was.Route)
		}
	}
}

// checkEnd holds once everything shows.
func (r *run) checkEnd() {
	r.check(nil)
	c := r.state.Catalog()
	r.must(len(c.Tabs()) == len(r.state.order), "%d tabs for %d pages", len(c.Tabs()), len(r.state.order))
	all := 0
	for i, p := range r.state.order {
		tab := c.Tabs()[i]
		r.checkTab(p)
		r.must(tab.Page == p.ID && tab.Index == p.Index && tab.URL == p.url && tab.Title == p.title && tab.State == p.state, "tab %+v is out of date", tab)
		offered := r.offered[p.ID].tools
		r.must(len(tab.Tools)+len(tab.Refused) == len(offered), "%s has %d tools, %d published, %d refused", p.ID, len(offered), len(tab.Tools), len(tab.Refused))
		for _, t := range tab.Tools {
			d := t.Source().Document()
			origin := names.DocumentOrigin(p.browserOrigin, p.url)
			from := names.DocumentOrigin(d.Origin, d.URL)
			if p.IsOwn(d) {
				from = origin
			}
			r.must(slices.ContainsFunc(offered, t.Source().Same) && t.Route.Page == p.ID && t.MadeFor(&p.Page) && p.Domain == names.ExtractDomain(p.url) && p.Origin == origin && t.Origin() == from, "%s doesn't belong to %s", t.Name, p.ID)
			all++
		}
	}
	r.must(all == c.Len(), "%d tools on tabs, %d published", all, c.Len())
}

// checkFresh tells a new State the end only, the tools in the order that
// arrange gives the pages, and compares the lists.
func (r *run) checkFresh(arrange func([]*page)) {
	fresh := newRun(r.t, false, r.options)
	for i, id := range r.opened {
		if p := r.state.pages[id]; p != nil && !slices.Contains(r.opened[i+1:], id) {
			fresh.step(PageOpened{Page: id, URL: p.url, Title: p.title})
		} else if r.options.StableIndex { // it has an index for life
			fresh.step(PageOpened{Page: id})
			fresh.step(PageClosed{id})
		}
	}
	pages := slices.Clone(r.state.order)
	arrange(pages)
	for _, p := range pages {
		fresh.step(Navigated{Page: p.ID, Gen: p.Gen, URL: p.url, Origin: p.browserOrigin})
		fresh.step(PageChanged{Page: p.ID, URL: p.url, Origin: p.browserOrigin, Title: p.title, State: p.state})
		fresh.step(ToolsReported{p.ID, p.Gen, p.tools})
	}
	fresh.calm()
	got, want := listed(r.state.Catalog()), listed(fresh.state.Catalog())
	r.must(got == want, "after these events the list is\n%s\nbut a fresh state gives\n%s", got, want)
}

// listed is all that a client can learn of a catalog's tools, and where they lead.
func listed(c *Catalog) string {
	var b strings.Builder
	for _, t := range c.Tools() {
		// Tab ids count all tabs there ever were.
		fmt.Fprintf(&b, "%s %v\n", tabIDs.ReplaceAll(t.Encoded, nil), t.Route)
	}
	for _, tab := range c.Tabs() {
		fmt.Fprintf(&b, "%d %s %v\n", tab.Index, tab.Page, tab.Refused)
		for _, t := range tab.Tools {
			fmt.Fprintf(&b, "  %s\n", t.Name)
		}
	}
	return b.String()
}

// closeAll closes every page; then nothing may be published, or remembered.
func (r *run) closeAll() {
	for _, id := range r.opened {
		r.step(PageClosed{id})
	}
	r.calm()
	s := r.state
	r.must(len(r.server) == 0 && s.Catalog().Len() == 0 && len(s.Catalog().Tabs()) == 0, "%d tools are left", len(r.server))
	r.must(len(s.pages)+len(s.order)+len(s.names)+len(s.wanted) == 0, "left in memory: pages %v, names %v, wanted %v", s.pages, s.names, s.wanted)
}

func (r *run) must(ok bool, format string, args ...any) {
	r.t.Helper()
	if !ok {
		r.t.Fatalf(format, args...)
	}
}

var tabIDs = regexp.MustCompile(`"tabId":\d+,`)
