package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/registry/offer"
)

// accepts implements [offer.Pins] by words: of each tool's description, what becomes of it.
type accepts map[string]string

func (a accepts) Check(t *PageTool, origin, page string) offer.PinCheck {
	switch what := a[t.Description]; {
	case what == "":
		return offer.PinCheck{}
	case strings.HasPrefix(what, "["):
		return offer.PinCheck{Mark: what}
	default:
		return offer.PinCheck{Held: func() string { return "withheld: " + what + " of " + origin + " in " + page }}
	}
}

// standingState has one page with these tools, each described by what its name begins with.
func standingState(a offer.Pins, tools ...string) *State {
	s := NewState(Options{Pins: a})
	s.Step(PageOpened{Page: "A", URL: "https://a.example/"})
	s.Step(Navigated{Page: "A", Gen: 1, URL: "https://a.example/"})
	s.Step(toolsReported(tools...))
	s.Step(FlushDue{})
	return s
}

func toolsReported(tools ...string) ToolsReported {
	var all []*PageTool
	for _, name := range tools {
		description, _, _ := strings.Cut(name, "_")
		all = append(all, &PageTool{Name: name, Frame: "F", Doc: 1, Description: description})
	}
	return ToolsReported{Page: "A", Gen: 1, Tools: all}
}

// standingShown is what a catalog shows: tools with their descriptions, what is refused, and what is
// withheld.
func standingShown(s *State) string {
	var b strings.Builder
	tab := s.Catalog().Tab("A")
	for _, t := range tab.Published() {
		fmt.Fprintf(&b, "%s: %s\n", t.Route.Tool, t.Description)
	}
	for _, r := range tab.Refused {
		fmt.Fprintf(&b, "refused %s: %s\n", r.Tool, r.Why)
	}
	for _, h := range tab.Withheld {
		fmt.Fprintf(&b, "withheld %s of %s\n", h.Tool.Name, h.Origin)
	}
	return b.String()
}

func TestStanding(t *testing.T) {
	s := standingState(accepts{"new": "it is new", "odd": "[odd] "}, "good", "odd", "new_x")
	want := "good: [WebMCP • a.example • Page 0] good\nodd: [WebMCP • a.example • Page 0] [odd] odd\n" +
		"refused new_x: withheld: it is new of https://a.example in https://a.example\nwithheld new_x of https://a.example\n"
	if got := standingShown(s); got != want {
		t.Errorf("shown:\n%s, want\n%s", got, want)
	}
	if bare := s.Catalog().Tab("A").Published()[1].Bare("odd"); !strings.Contains(bare.Description, "] [odd] odd") || !strings.Contains(string(bare.Encoded), "[odd] odd") {
		t.Errorf("in focus mode: %s", bare.Encoded)
	}
	before := s.Catalog()
	if effects := s.Step(PinsChanged{accepts{"new": "it is new", "odd": "[odd] "}}); len(effects) > 0 {
		t.Errorf("nothing has changed, and yet: %v", effects)
	}
	s.Step(FlushDue{})
	effects := s.Step(PinsChanged{accepts{"good": "[good] "}})
	if !slices.ContainsFunc(effects, func(e Effect) bool { n, ok := e.(NotifyListChanged); return ok && slices.Equal(n.Pages, []PageID{"A"}) }) {
		t.Errorf("effects: %v", effects)
	}
	if got := standingShown(s); got != "good: [WebMCP • a.example • Page 0] [good] good\nodd: [WebMCP • a.example • Page 0] odd\nnew_x: [WebMCP • a.example • Page 0] new\n" {
		t.Errorf("shown:\n%s", got)
	}
	if before.Lookup("webmcp_a_example_page0_new_x") != nil || s.Catalog().Lookup("webmcp_a_example_page0_new_x") == nil {
		t.Error("the accepted tool has not come")
	}
	s.Step(FlushDue{})
	s.Step(PinsChanged{nil})
	if got := standingShown(s); strings.ContainsAny(strings.ReplaceAll(got, "[WebMCP • a.example • Page 0]", ""), "[") {
		t.Errorf("without a standing:\n%s", got)
	}
	// A fresh state goes on with the last one.
	s.Step(FlushDue{})
	s.Step(PinsChanged{accepts{"good": "it is gone"}})
	r := s.Recover(s.Catalog())
	r.Step(PageOpened{Page: "A", URL: "https://a.example/"})
	r.Step(Navigated{Page: "A", Gen: 1, URL: "https://a.example/"})
	r.Step(toolsReported("good"))
	r.Step(FlushDue{})
	if got := standingShown(r); !strings.HasPrefix(got, "refused good: withheld: it is gone") {
		t.Errorf("recovered:\n%s", got)
	}
}

// A page that changes its tools while it is shown: only what was accepted is there after
// each report, and who knew the tool learns why.
func TestToolThatChangesUnderWay(t *testing.T) {
	s := standingState(accepts{"evil": "its description changed"}, "good", "other")
	seen := s.Catalog()
	changed := toolsReported("good", "other")
	changed.Tools[0].Description = "evil"
	s.Step(changed)
	s.Step(FlushDue{})
	if got := standingShown(s); got != "other: [WebMCP • a.example • Page 0] other\nrefused good: withheld: its description changed of https://a.example in https://a.example\nwithheld good of https://a.example\n" {
		t.Errorf("shown:\n%s", got)
	}
	if _, err := Resolve(seen, s.Catalog(), "webmcp_a_example_page0_good", VisibleTools{}); err == nil || !strings.Contains(err.Error(), "withheld: its description changed") {
		t.Errorf("who knew it is told %v", err)
	}
	s.Step(toolsReported("good", "other")) // rolled back
	s.Step(FlushDue{})
	if got := standingShown(s); got != "good: [WebMCP • a.example • Page 0] good\nother: [WebMCP • a.example • Page 0] other\n" {
		t.Errorf("rolled back:\n%s", got)
	}
	s.Step(Navigated{Page: "A", Gen: 2, URL: "https://b.example/"})
	s.Step(FlushDue{})
	if got := standingShown(s); got != "" {
		t.Errorf("of another page:\n%s", got)
	}
}

// However many are withheld, their list is bounded, and none of them is published.
func TestManyWithheld(t *testing.T) {
	var names []string
	for i := range 3000 {
		names = append(names, fmt.Sprintf("evil_%d", i))
	}
	s := standingState(accepts{"evil": "it is new"}, names...)
	tab := s.Catalog().Tab("A")
	if len(tab.Published()) != 0 || len(tab.Withheld) != DefaultMaxTools || len(tab.Refused) != maxHeldReasons+2 {
		t.Errorf("%d published, %d withheld, %d refused", len(tab.Published()), len(tab.Withheld), len(tab.Refused))
	}
	if r := tab.Refused[maxHeldReasons]; r != (offer.Refusal{Tool: "(1950 more)", Why: heldLikewise}) {
		t.Errorf("the last is %+v", r)
	}
	s.Step(PinsChanged{accepts{}})
	if tab := s.Catalog().Tab("A"); len(tab.Published()) != DefaultMaxTools || len(tab.Withheld) != 0 {
		t.Errorf("accepted: %d published, %d withheld", len(tab.Published()), len(tab.Withheld))
	}
}

// Tools of sites, with MCP-B's names, are withheld and marked too, also when no tab is
// there any more.
func TestStandingOfSites(t *testing.T) {
	yes := true
	s := NewState(Options{Naming: offer.MCPBNames, Pins: accepts{"evil": "it is new", "odd": "[odd] "}})
	tools := toolsReported("evil", "odd")
	for _, t := range tools.Tools {
		t.Annotations.Cache = &yes
	}
	s.Step(PageOpened{Page: "A", URL: "https://a.example/"})
	s.Step(Navigated{Page: "A", Gen: 1, URL: "https://a.example/"})
	s.Step(tools)
	s.Step(FlushDue{})
	routed := func() string {
		var all []string
		for _, t := range s.Catalog().SiteTools() {
			all = append(all, t.SiteTool.Tool+": "+t.Description)
		}
		return strings.Join(all, "\n")
	}
	if got := routed(); got != "odd: [WebMCP • a.example • Tab 1] [odd] odd" {
		t.Errorf("of a tab: %s", got)
	}
	s.Step(PageClosed{"A"})
	s.Step(CacheChanged{cached(tools.Tools...)})
	s.Step(FlushDue{})
	if got := routed(); got != "odd: [WebMCP • a.example • cached] [odd] odd" {
		t.Errorf("cached: %s", got)
	}
	s.Step(PinsChanged{accepts{"odd": "it is gone"}})
	s.Step(FlushDue{})
	if got := routed(); got != "evil: [WebMCP • a.example • cached] evil" {
		t.Errorf("cached, afterwards: %s", got)
	}
}

func cached(tools ...*PageTool) (all []offer.CachedTool) {
	for _, t := range tools {
		all = append(all, offer.CachedTool{Site: "https://a.example", URL: "https://a.example/", Tool: *t})
	}
	return all
}
