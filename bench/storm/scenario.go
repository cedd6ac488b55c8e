package storm

import (
	"fmt"
	"strings"
	"time"
)

// Mix is how often each kind of change happens, as weights.
type Mix struct {
	Add      int // a tool that the page hasn't is registered
	Remove   int // one that it has is taken away
	Update   int // one is taken away and registered with another description
	FlipFlop int // one is taken away and registered as it was
	Navigate int // the page is reloaded and registers all its tools; in a real Chrome, nothing else happens then
	Reopen   int // the tab is closed and another opened, which registers all its tools; likewise
}

func (m Mix) sum() int { return m.Add + m.Remove + m.Update + m.FlipFlop + m.Navigate + m.Reopen }

// Calls says which pages' tools are called before and during the storm.
type Calls string

// Values of [Calls].
const (
	NoCalls     Calls = ""
	QuietPages  Calls = "quiet"  // pages that don't change
	StormyPages Calls = "stormy" // those that do
)

// Scenario is one storm. The zero value of a field is its default where one is
// named; see [Scenario.check].
type Scenario struct {
	Name string

	Pages  int // open tabs
	Tools  int // of each page, with the one that is called and never changes
	Stormy int // how many pages change; 0 is all

	Rate     float64       // changes a second of all pages together; 0 is as fast as they are taken in
	Mix      Mix           // default: adds and removals
	Duration time.Duration // of the storm; default 5 s
	Ops      int           // ends the storm after so many acts of the mix, if not 0
	// Window is about how many changes may be on their way into the hub in a
	// storm without a rate; default 8192.
	Window int

	Audience

	Calls Calls
}

// Audience is the clients, beside one that reads and lists at each list_changed.
type Audience struct {
	Slow     int  // that do so but read SlowRate bytes a second
	Deaf     int  // that ask for the list a few times and never read
	Listless bool // the first one only reads, and lists at the end
}

// sessions is how many the hub has.
func (a Audience) sessions() int { return 1 + a.Slow + a.Deaf }

// SlowRate is how many bytes a second a slow client reads.
const SlowRate = 256 << 10

// scenarios are the named ones, at the sizes of a fake Chrome.
var scenarios = []Scenario{
	// 50 pages that change now and then: 20 changes a second.
	{Name: "trickle", Pages: 50, Tools: 10, Rate: 20, Mix: Mix{Add: 2, Remove: 2, Update: 1}},
	// One page of 50 changes as fast as it is taken in; calls go to the others.
	{Name: "one-mad", Pages: 50, Tools: 10, Stormy: 1, Mix: Mix{Add: 1, Remove: 1}, Calls: QuietPages},
	// 100 pages change as fast as they are taken in.
	{Name: "all-mad", Pages: 100, Tools: 10, Mix: Mix{Add: 4, Remove: 4, Update: 1, FlipFlop: 1}},
	// 50 tabs are reloaded in a loop.
	{Name: "reload", Pages: 50, Tools: 10, Mix: Mix{Navigate: 1}},
	// Tabs are closed and opened, 10,000 times.
	{Name: "churn", Pages: 50, Tools: 5, Mix: Mix{Reopen: 1}, Ops: 10000, Duration: 5 * time.Minute},
	// 100 pages make 20,000 changes a second while their tools are called.
	{Name: "calls", Pages: 100, Tools: 10, Rate: 20000, Mix: Mix{Add: 4, Remove: 4, Update: 1, FlipFlop: 1},
		Calls: StormyPages},
	// A storm with a client that reads slowly and one that never reads.
	{Name: "slow-deaf", Pages: 100, Tools: 10, Rate: 20000, Mix: Mix{Add: 4, Remove: 4, Update: 1, FlipFlop: 1},
		Audience: Audience{Slow: 1, Deaf: 1}, Calls: StormyPages},
	// 1,000 pages with 20 tools each, of which a few change.
	{Name: "standing", Pages: 1000, Tools: 20, Rate: 20, Mix: Mix{Add: 2, Remove: 2, Update: 1}, Calls: StormyPages},
}

// Names lists the named scenarios.
func Names() []string {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.Name)
	}
	return names
}

// Named gives a scenario by its name, at the size for that runtime: real
// browsers get fewer pages. An unknown name is an error that lists the known.
func Named(name string, at Runtime) (Scenario, error) {
	for _, s := range scenarios {
		if s.Name == name {
			return s.sized(at), nil
		}
	}
	return Scenario{}, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(Names(), ", "))
}

// sized makes a scenario fit for a real browser on a small machine.
func (s Scenario) sized(at Runtime) Scenario {
	switch {
	case at == Fake:
		return s
	case s.Name == "reload":
		s.Pages = 20
	case s.Name == "churn":
		s.Pages, s.Ops, s.Duration = 8, 100, time.Minute
	case s.Name == "standing":
		s.Pages = 50
	default:
		s.Pages = min(s.Pages, 16)
	}
	s.Rate = min(s.Rate, 2000)
	if at == MCPB { // its packages take 10 ms for a registration
		s.Pages, s.Ops, s.Rate = min(s.Pages, 8), min(s.Ops, 30), min(s.Rate, 100)
	}
	return s
}

// check fills in defaults and finds what can't be.
func (s *Scenario) check() error {
	if s.Mix.sum() == 0 {
		s.Mix = Mix{Add: 1, Remove: 1}
	}
	if s.Duration == 0 {
		s.Duration = 5 * time.Second
	}
	if s.Stormy == 0 {
		s.Stormy = s.Pages
	}
	if s.Window == 0 {
		s.Window = 8192
	}
	switch {
	case s.Pages < 1 || s.Tools < 2:
		return fmt.Errorf("a storm needs at least one page with two tools, not %d with %d", s.Pages, s.Tools)
	case s.Stormy > s.Pages:
		return fmt.Errorf("%d of %d pages can't storm", s.Stormy, s.Pages)
	case s.Calls == QuietPages && s.Stormy == s.Pages:
		return fmt.Errorf("calls to quiet pages need a page that doesn't storm")
	}
	return nil
}
