package focus

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"webmcphub/registry"
)

// TestFocusProperties plays random events to a hub and to one client of it,
// and holds after each what focus mode promises: the client is told exactly
// when what it sees has changed, its names are safe, the focus goes nowhere by
// itself, and no name that it read leads to another tool.
func TestFocusProperties(t *testing.T) { rapid.Check(t, playRandomFocus) }

func playRandomFocus(t *rapid.T) {
	max := rapid.SampledFrom([]int{0, 32, 40}).Draw(t, "max")
	r := &focusRun{t: t, state: registry.NewState(registry.Options{MaxName: max}), focus: Focus{MaxName: max}, gens: map[registry.PageID]registry.Gen{}}
	pages := rapid.SampledFrom([]registry.PageID{"p0", "p1", "p2"})
	page := func(t *rapid.T) registry.PageID { return pages.Draw(t, "page") }
	r.client(Connect{})
	t.Repeat(map[string]func(*rapid.T){
		"open": func(t *rapid.T) {
			id := page(t)
			r.gens[id]++
			r.world(registry.PageOpened{Page: id, URL: clashingURLs.Draw(t, "url")})
			r.world(registry.Navigated{Page: id, Gen: r.gens[id], URL: clashingURLs.Draw(t, "url")})
		},
		"close": func(t *rapid.T) { r.world(registry.PageClosed{Page: page(t)}) },
		"crash": func(t *rapid.T) {
			r.world(registry.PageChanged{Page: page(t), State: rapid.SampledFrom([]string{"", "crashed"}).Draw(t, "state")})
		},
		"title": func(t *rapid.T) { r.world(registry.PageChanged{Page: page(t), Title: rapid.String().Draw(t, "title")}) },
		"navigate": func(t *rapid.T) {
			id := page(t)
			r.gens[id]++
			r.world(registry.Navigated{Page: id, Gen: r.gens[id], URL: clashingURLs.Draw(t, "url")})
		},
		"report":  r.report,
		"report2": r.report,
		"flush":   func(t *rapid.T) { r.world(registry.FlushDue{}) },
		"browser": func(t *rapid.T) {
			r.world(registry.BrowserChanged{Status: rapid.SampledFrom([]string{"", "", "gone"}).Draw(t, "status")})
		},
		"connect":  func(t *rapid.T) { r.client(Connect{}) },
		"let go":   func(t *rapid.T) { r.client(Disconnect{}) },
		"focus":    func(t *rapid.T) { r.client(FocusTab{page(t)}) },
		"focus2":   func(t *rapid.T) { r.client(FocusTab{page(t)}) },
		"unfocus":  func(t *rapid.T) { r.client(FocusNone{}) },
		"user":     func(t *rapid.T) { r.client(FocusTab{page(t)}) },
		"read":     func(t *rapid.T) { v := r.view(); r.seen = &v },
		"":         r.check,
		"no event": func(t *rapid.T) { r.client(CatalogChanged{}) },
	})
}

type focusRun struct {
	t     *rapid.T
	state *registry.State
	focus Focus
	gens  map[registry.PageID]registry.Gen
	seen  *View
	asked registry.PageID // chosen last, and not had yet
}

func (r *focusRun) view() View { return r.focus.View(r.state.Catalog()) }

func (r *focusRun) report(t *rapid.T) {
	id := rapid.SampledFrom([]registry.PageID{"p0", "p1", "p2"}).Draw(t, "page")
	var tools []*registry.PageTool
	names := []string{"pay", "p.ay", "p_ay", "open_tab", "page_open_tab", "webmcp_a_page0_pay", "9", strings.Repeat("long.", 20)}
	for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 5).Draw(t, "names") {
		tools = append(tools, &registry.PageTool{Name: name, Frame: registry.FrameID(rapid.SampledFrom([]string{"f0", "f1"}).Draw(t, "frame")), Doc: r.gens[id],
			Description: rapid.SampledFrom([]string{"", "one"}).Draw(t, "description")})
	}
	r.world(registry.ToolsReported{Page: id, Gen: r.gens[id], Tools: tools})
}

// world steps the hub, and tells the client of a new catalog.
func (r *focusRun) world(e registry.Event) {
	before := visibleTo(r.view())
	for _, effect := range r.state.Step(e) {
		if _, new := effect.(registry.SetCatalog); new {
			r.step(before, CatalogChanged{})
		}
	}
}

func (r *focusRun) client(e Event) { r.step(visibleTo(r.view()), e) }

func (r *focusRun) step(before string, e Event) {
	c := r.state.Catalog()
	had := r.focus.page
	switch e := e.(type) {
	case FocusTab:
		r.asked = e.Page
	case FocusNone, Disconnect:
		r.asked = ""
	}
	changed := r.focus.Step(c, e)
	after := visibleTo(r.view())
	r.must(changed == (before != after), "changed is %v after %#v; the client saw\n%s\nand sees\n%s", changed, e, before, after)
	has := r.focus.page
	r.must(has == had || has == "" || has == r.asked, "the focus went from %q to %q by itself after %#v", had, has, e)
	if r.asked != "" && (has == r.asked || c.Tab(r.asked) != nil || r.focus.State(c) == Disconnected) {
		r.asked = ""
	}
}

// visibleTo is all that a client sees of its tools, and which of the page's
// each one is.
func visibleTo(v View) string {
	lines := slices.Clone(v.State.CoreTools())
	for _, t := range v.Tools {
		lines = append(lines, string(t.Encoded)+" "+t.Route.Tool+" "+t.Origin())
	}
	return strings.Join(lines, "\n")
}

func (r *focusRun) check(*rapid.T) {
	c, v := r.state.Catalog(), r.view()
	open := slices.ContainsFunc(c.Tabs(), func(t *registry.Tab) bool { return t.State != "crashed" })
	r.must(v.State != NoTabs || !open, "no tabs, with tabs")
	r.must(v.State != NoneFocused || open, "none focused, without tabs")
	r.must((v.State == TabFocused) == (v.Tab != nil), "%v with tab %v", v.State, v.Tab)
	r.must(v.State == Disconnected || c.BrowserStatus() == "", "%v without a browser", v.State)
	r.must(v.Tab == nil || v.Tab == c.Tab(v.Tab.Page) && v.Tab.State != "crashed", "focused on %v", v.Tab)
	if v.Tab != nil {
		r.must(len(v.Tools) == len(v.Tab.Published()), "%d tools of %d", len(v.Tools), len(v.Tab.Published()))
	}
	names := map[string]bool{}
	for _, t := range v.Tools {
		r.must(!names[t.Name] && !reservedNames[t.Name] && !strings.HasPrefix(t.Name, "webmcp_"), "name %s", t.Name)
		r.must(len(t.Name) <= bareLimit(r.focus.MaxName) && soundName.MatchString(t.Name), "name %q", t.Name)
		r.must(t.Route.Page == v.Tab.Page, "%s is of page %s", t.Name, t.Route.Page)
		names[t.Name] = true
		got, err := ResolveBare(&v, v, t.Name)
		r.must(got == t && err == nil, "%s leads to %v (%v)", t.Name, got, err)
	}
	if r.seen == nil {
		return
	}
	for _, was := range r.seen.Tools {
		t, err := ResolveBare(r.seen, v, was.Name)
		r.must((t == nil) == (err != nil), "%v with error %v", t, err)
		if t != nil {
			r.must(slices.Contains(v.Tools, t) && was.Same(t), "%s leads to %v, once %v", was.Name, t.Route, was.Route)
		}
	}
}

func (r *focusRun) must(ok bool, format string, args ...any) {
	r.t.Helper()
	if !ok {
		r.t.Fatalf(format, args...)
	}
}
