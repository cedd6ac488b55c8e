package pages

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// node is a registry.State of random pages, and the Source of what it serves.
type node struct {
	state  *registry.State
	source *Source
	pages  []*simPage
	had    int // pages that there ever were
	gen    registry.Gen
	left   []LeftOut
}

// simPage is a page as its browser has it.
type simPage struct {
	id     registry.PageID
	gen    registry.Gen
	url    string
	origin string
	pool   []*registry.PageTool
}

func newNode(o registry.Options) *node {
	return &node{state: registry.NewState(o), source: NewSource()}
}

// step takes events of the node's pages, and has the Source make a snapshot of what is served.
func (n *node) step(events ...registry.Event) {
	for _, e := range events {
		for _, effect := range n.state.Step(e) {
			if s, ok := effect.(registry.SetCatalog); ok {
				_, left := n.source.Serve(s.Catalog, nil)
				n.left = append(n.left, left...)
			}
		}
	}
}

// calm lets all show.
func (n *node) calm() { n.step(registry.FlushDue{}, registry.FlushDue{}) }

var (
	someURLs    = rapid.SampledFrom([]string{"https://a/", "https://a/", "https://a.page0/", "https://a.page0.page1/", "https://b.example/x?y", "http://localhost:3000/", "about:blank", "data:text/html,x"})
	someNames   = rapid.SampledFrom([]string{"x", "x", "page1_x", "page2_x", "buy", "buy now", "", "買う", strings.Repeat("long", 80)})
	someOrigins = rapid.SampledFrom([]string{"", "", "https://a", "https://b.example", "null", "://"})
	someSchemas = rapid.SampledFrom([]string{"", `{}`, `{"type": "object", "properties": {"a<b": {"description": "<&>"}}}`, `{"anyOf":[{}]}`, `{"type":"string"}`})
	someTexts   = rapid.SampledFrom([]string{"", "", "one", "two <b>", "three\u202e\xff"})
)

// happens lets something random happen to the node's pages.
func (n *node) happens(t *rapid.T) {
	what := rapid.SampledFrom([]string{"open", "report", "report", "report", "navigate", "change", "frames", "offers", "close", "reopen", "browser"}).Draw(t, "what")
	if what == "browser" {
		n.step(registry.BrowserChanged{Status: rapid.SampledFrom([]string{"", "gone"}).Draw(t, "status")})
		return
	}
	if what == "open" || len(n.pages) == 0 {
		if len(n.pages) < 5 {
			n.had++
			n.open(t, &simPage{id: registry.PageID(fmt.Sprint("b", n.had%2, "/p", n.had))})
		}
		return
	}
	p := rapid.SampledFrom(n.pages).Draw(t, "page")
	switch what {
	case "report":
		n.report(t, p)
	case "navigate":
		n.navigate(t, p)
	case "change":
		e := registry.PageChanged{Page: p.id, Title: someTexts.Draw(t, "title"), State: rapid.SampledFrom([]string{"", "", "crashed"}).Draw(t, "state"), Dialog: someTexts.Draw(t, "dialog"), Arrived: rapid.Bool().Draw(t, "arrived")}
		if rapid.Bool().Draw(t, "moves") {
			p.url, p.origin = someURLs.Draw(t, "url"), someOrigins.Draw(t, "origin")
			e.URL, e.Origin = p.url, p.origin
		}
		n.step(e)
	case "frames":
		var frames []registry.Frame
		for i := range rapid.IntRange(0, 2).Draw(t, "frames") {
			frames = append(frames, registry.Frame{ID: registry.FrameID(fmt.Sprint("f", i+1)), Doc: p.gen + registry.Gen(i), URL: someURLs.Draw(t, "frame url")})
		}
		n.step(registry.FramesReported{Page: p.id, Gen: p.gen, Frames: frames})
	case "offers":
		n.offers(t, p)
	case "close", "reopen":
		n.step(registry.PageClosed{Page: p.id})
		n.pages = slices.DeleteFunc(n.pages, func(q *simPage) bool { return p == q })
		if what == "reopen" {
			n.open(t, p)
		}
	}
}

func (n *node) open(t *rapid.T, p *simPage) {
	p.url, p.origin = someURLs.Draw(t, "url"), ""
	n.pages = append(n.pages, p)
	browser, _, _ := strings.Cut(string(p.id), "/")
	n.step(registry.PageOpened{Page: p.id, URL: p.url, Title: "title", Browser: browser})
}

func (n *node) navigate(t *rapid.T, p *simPage) {
	n.gen++
	p.gen = n.gen
	e := registry.Navigated{Page: p.id, Gen: p.gen}
	if rapid.IntRange(0, 3).Draw(t, "moving") > 0 {
		p.url, p.origin = someURLs.Draw(t, "url"), someOrigins.Draw(t, "origin")
		e.URL, e.Origin = p.url, p.origin
	}
	n.step(e)
}

func (n *node) report(t *rapid.T, p *simPage) {
	var tools []*registry.PageTool
	for range rapid.IntRange(0, 5).Draw(t, "tools") {
		if len(p.pool) > 0 && rapid.Bool().Draw(t, "again") {
			tools = append(tools, rapid.SampledFrom(p.pool).Draw(t, "tool"))
			continue
		}
		schema := someSchemas.Draw(t, "schema")
		tool := &registry.PageTool{Frame: registry.FrameID(rapid.SampledFrom([]string{"f0", "f1", "f2"}).Draw(t, "frame")), Doc: p.gen + registry.Gen(rapid.IntRange(0, 1).Draw(t, "doc")),
			FrameURL: rapid.SampledFrom([]string{"", "https://a/", "about:srcdoc"}).Draw(t, "frame url"), Origin: someOrigins.Draw(t, "origin"), Runtime: offer.Native,
			Name: someNames.Draw(t, "name"), Description: someTexts.Draw(t, "description"), InputSchema: json.RawMessage(schema)}
		if schema == "" {
			tool.InputSchema = nil
		}
		if rapid.Bool().Draw(t, "hint") {
			yes := rapid.Bool().Draw(t, "read-only")
			tool.Annotations.ReadOnly = &yes
		}
		p.pool = append(p.pool, tool)
		tools = append(tools, tool)
	}
	n.step(registry.ToolsReported{Page: p.id, Gen: p.gen, Tools: tools})
}

func (n *node) offers(t *rapid.T, p *simPage) {
	e := registry.OffersReported{Page: p.id, Gen: p.gen, Browser: offer.BrowserCapabilities{Elicitation: rapid.Bool().Draw(t, "elicitation")}}
	for range rapid.IntRange(0, 2).Draw(t, "offers") {
		e.Resources = append(e.Resources, &offer.PageResource{Frame: "f0", Doc: p.gen, URI: rapid.SampledFrom([]string{"a:b", "a:{x}", "c:d", ""}).Draw(t, "uri"), Name: someTexts.Draw(t, "name"), Description: someTexts.Draw(t, "description")})
		e.Resources[len(e.Resources)-1].Template = strings.Contains(e.Resources[len(e.Resources)-1].URI, "{")
		e.Prompts = append(e.Prompts, &offer.PagePrompt{Frame: "f0", Doc: p.gen, Name: someNames.Draw(t, "prompt"), Arguments: []offer.PromptArgument{{Name: "a"}}})
	}
	n.step(e)
}

// room is a registry.State that is told of what a Mirror shows.
type room struct {
	state *registry.State
	has   map[registry.PageID]*registry.PageSnapshot
}

func newRoom(o registry.Options) *room {
	return &room{registry.NewState(o), map[registry.PageID]*registry.PageSnapshot{}}
}

func (r *room) show(c Content) {
	var all registry.EventBatch
	for _, id := range c.Gone {
		all = append(all, Events(nil, r.has[id], c.Epoch)...)
		delete(r.has, id)
	}
	for _, p := range c.Pages {
		all = append(all, Events(p, r.has[p.Page], c.Epoch)...)
		r.has[p.Page] = p
	}
	for _, e := range []registry.Event{all, registry.FlushDue{}, registry.FlushDue{}} {
		r.state.Step(e)
	}
}

var tabIDs = regexp.MustCompile(`"tabId":\d+,?`)

// listed is all that a client can learn of a catalog, but for the ids of tabs, which count all
// that there ever were; the names of the cluster are as on the node.
func listed(c *registry.Catalog) string {
	var b strings.Builder
	for _, t := range c.Tools() {
		fmt.Fprintf(&b, "%s %s %v %v\n", t.Encoded, t.ArgumentSchema, t.Route, t.Origin())
	}
	for o := range c.Offered().Offers("").Each {
		fmt.Fprintf(&b, "%d %s %v\n", o.Kind, o.Encoded, o.Server)
	}
	fmt.Fprintln(&b, c.Offered().Browser())
	for _, t := range c.Tabs() {
		refused := slices.DeleteFunc(slices.Clone(t.Refused), func(r offer.Refusal) bool { return strings.HasPrefix(r.Tool, "(all after") }) // the node's limit
		fmt.Fprintf(&b, "%d %s %s %q %q %q %q %q %v %v %v %v\n", t.Index, t.Page, t.Browser, t.URL, t.Origin, strings.ToValidUTF8(t.Title, "\uFFFD"), t.State, strings.ToValidUTF8(t.Dialog, "\uFFFD"), t.Arrived, t.Frames(), refused, t.Document().Doc)
		for _, tool := range t.Tools {
			fmt.Fprintf(&b, "  %s\n", tool.Name)
		}
	}
	return strings.ReplaceAll(tabIDs.ReplaceAllString(b.String(), ""), nodeName+"/", "")
}

const nodeName = "east"
