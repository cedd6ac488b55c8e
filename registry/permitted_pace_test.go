package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/registry/offer"
)

// pacedPage is a page whose tab may bring so many tools in the time that the test lets go
// by.
type pacedPage struct {
	t     *testing.T
	state *State
	gen   Gen
	armed []RegistrationsDue
}

func newPacedPage(t *testing.T, o Options) *pacedPage {
	p := &pacedPage{t: t, state: NewState(o)}
	p.step(PageOpened{Page: "A", URL: "https://a.example/"})
	p.navigate()
	return p
}

func (p *pacedPage) step(e Event) {
	for _, effect := range p.state.Step(e) {
		if arm, is := effect.(ArmRegistrations); is {
			p.armed = append(p.armed, RegistrationsDue(arm))
		}
	}
	if _, flush := e.(FlushDue); !flush {
		p.step(FlushDue{})
	}
}

func (p *pacedPage) navigate() {
	p.gen++
	p.step(Navigated{Page: "A", Gen: p.gen, URL: "https://a.example/"})
}

// due lets the time go by that was armed first.
func (p *pacedPage) due() {
	p.t.Helper()
	if len(p.armed) == 0 {
		p.t.Fatal("no time is armed")
	}
	next := p.armed[0]
	p.armed = p.armed[1:]
	p.step(next)
}

// report has the page report tools, "name" or "name:description", each registered anew.
func (p *pacedPage) report(tools ...string) {
	var all []*PageTool
	for _, of := range tools {
		name, description, _ := strings.Cut(of, ":")
		all = append(all, &PageTool{Name: name, Frame: "A", Doc: p.gen, Description: description})
	}
	p.step(ToolsReported{Page: "A", Gen: p.gen, Tools: all})
}

// shows says which tools the page has, and which are withheld.
func (p *pacedPage) shows(tools, withheld string) {
	p.t.Helper()
	tab := p.state.Catalog().Tab("A")
	var has, over []string
	for _, t := range tab.Published() {
		has = append(has, strings.TrimSuffix(t.Route.Tool+":"+t.Source().Description, ":"))
	}
	for _, r := range tab.Refused {
		over = append(over, r.Tool)
		if !strings.HasPrefix(r.Why, "withheld") {
			p.t.Errorf("%s is refused: %s", r.Tool, r.Why)
		}
	}
	if got := strings.Join(has, " "); got != tools {
		p.t.Errorf("it has %q, want %q", got, tools)
	}
	if got := strings.Join(over, " "); got != withheld {
		p.t.Errorf("withheld are %q, want %q", got, withheld)
	}
}

// What comes too fast waits, and all else stays as it is.
func TestRegistrationsAreLimited(t *testing.T) {
	p := newPacedPage(t, Options{Registrations: 2})
	p.report("a", "b", "c", "d", "e")
	p.shows("a b", "c d e")
	if why := p.state.Catalog().Tab("A").Refused[0].Why; !strings.Contains(why, "more than 2 within a minute (--rate-registrations). It is listed once the minute is over") {
		t.Error(why)
	}
	p.report("a", "b", "c", "d", "e") // registered anew, as they were
	p.shows("a b", "c d e")
	p.due()
	p.shows("a b c d", "e")
	p.report("a", "b", "c", "e") // what is gone gives nothing back
	p.shows("a b c", "e")
	p.due()
	p.shows("a b c e", "")

	// A changed definition is a registration, and the one before is gone.
	p.due()
	before := p.state.Catalog()
	p.report("a:new", "b:new", "c:new", "e")
	p.shows("a:new b:new e", "c")
	was := before.Lookup("webmcp_a_example_page0_c")
	if _, err := Resolve(before, p.state.Catalog(), was.Name, VisibleTools{}); err == nil || !strings.Contains(err.Error(), "its page's tool is withheld: its tab has brought too many") {
		t.Errorf("its call: %v", err)
	}
	p.report("a:new", "b:new", "c", "e")
	p.shows("a:new b:new e", "c")
	p.due()
	p.shows("a:new b:new c e", "")
	for len(p.armed) > 0 {
		p.due()
	}
	p.shows("a:new b:new c e", "")
	if n := len(p.state.pages["A"].brought); n != 0 {
		t.Errorf("%d counts are left", n)
	}
}

// Neither a new document nor a new State gives a tab more, and both leave it what it has.
func TestRegistrationsOfTabs(t *testing.T) {
	p := newPacedPage(t, Options{Registrations: 2})
	p.report("a", "b")
	p.navigate()
	p.report("a", "b", "c")
	p.shows("a b", "c")
	state, reported := p.state.Recover(p.state.Catalog()), p.state.pages["A"].reported
	p.state, p.armed = state, nil
	p.state.Step(PageOpened{Page: "A", URL: "https://a.example/"})
	p.state.Step(Navigated{Page: "A", Gen: p.gen, URL: "https://a.example/"})
	p.step(ToolsReported{Page: "A", Gen: p.gen, Tools: slices.Concat(reported, []*PageTool{{Name: "d", Frame: "A", Doc: p.gen}, {Name: "e", Frame: "A", Doc: p.gen}})})
	p.shows("a b c d", "e")

	// Other tabs have limits of their own, and one that is gone has none.
	p.step(PageOpened{Page: "B", URL: "https://a.example/"})
	p.step(Navigated{Page: "B", Gen: 1, URL: "https://a.example/"})
	p.step(ToolsReported{Page: "B", Gen: 1, Tools: []*PageTool{{Name: "f", Frame: "B", Doc: 1}, {Name: "g", Frame: "B", Doc: 1}}})
	if n := len(p.state.Catalog().Tab("B").Tools); n != 2 {
		t.Errorf("another tab has %d tools", n)
	}
	p.step(PageClosed{"A"})
	p.due()
}

// What the hub makes of a page is not the page's, and a limit of 0 is none.
func TestRegistrationsThatDontCount(t *testing.T) {
	var tools []*PageTool
	for i := range 100 {
		tools = append(tools, &PageTool{Name: fmt.Sprintf("t%02d", i), Frame: "A", Doc: 1, Runtime: offer.DOM})
	}
	p := newPacedPage(t, Options{Registrations: 2})
	p.step(ToolsReported{Page: "A", Gen: 1, Tools: tools})
	if n := len(p.state.Catalog().Tab("A").Tools); n != 100 {
		t.Errorf("%d of the hub's tools are there", n)
	}
	tools = slices.Clone(tools)
	for i := range tools {
		native := *tools[i]
		native.Runtime = offer.Native
		tools[i] = &native
	}
	p.step(ToolsReported{Page: "A", Gen: 1, Tools: tools})
	tab := p.state.Catalog().Tab("A")
	if last := tab.Refused[len(tab.Refused)-1]; len(tab.Tools) != 2 || len(tab.Refused) != maxHeldReasons+1 || last.Tool != "(48 more)" {
		t.Errorf("%d tools are there, %d refused, and at last %+v", len(tab.Tools), len(tab.Refused), last)
	}
	p = newPacedPage(t, Options{})
	p.step(ToolsReported{Page: "A", Gen: 1, Tools: tools})
	if n := len(p.state.Catalog().Tab("A").Tools); n != 100 || len(p.armed) > 0 {
		t.Errorf("without a limit %d tools are there", n)
	}
}

// With Settle, what is withheld comes as well.
func TestRegistrationsSettle(t *testing.T) {
	p := newPacedPage(t, Options{Registrations: 2, Settle: true})
	p.report("a", "b", "c")
	p.shows("a b", "c")
	p.report("b", "c") // a is still shown
	p.shows("a b", "c")
	p.due()
	p.shows("a b c", "")
	p.step(SettleDue{"A", 1})
	p.step(SettleDue{"A", 2})
	p.shows("b c", "")
}
