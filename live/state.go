package live

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Limits of what a State keeps.
const (
	MaxCalls   = 500     // calls that have ended
	MaxMoments = 400     // of one tab
	MaxClosed  = 50      // closed tabs, with what happened in them
	MaxText    = 4 << 10 // of arguments and of a result, in bytes
	maxRunning = 1000    // calls in flight that are shown
	maxPart    = 300     // of a text that a page or a client chose, in bytes
	day        = 24 * time.Hour
)

// Event is something that changes a State.
type Event interface{ event() }

// Served reports that the hub serves a catalog from now on.
type Served struct {
	At      time.Time
	Catalog *registry.Catalog
}

// Began reports that a call has begun. Its ID is greater than those of earlier calls.
type Began struct{ Call }

// Ended reports that a call has ended. Call holds everything that is known then.
type Ended struct{ Call }

func (Served) event() {}
func (Began) event()  {}
func (Ended) event()  {}

// Call is one call of a tool.
type Call struct {
	ID              uint64
	Began, Ended    time.Time
	Asked, Answered time.Time     // when the page was asked, and when it had answered; zero if not
	Person          time.Duration // how long it has waited for a person to allow it, before the page was asked
	Session, Client string
	Name            string // by which the client called the tool
	Tool            string // the page's name for the tool; "" for the hub's own tools
	Origin          string // that of the tool's document, or of the tab's for the hub's own tools
	Tab             registry.TabID
	Page            string // the tab's page{idx} when the call began, if the tab had tools
	Outcome         string // "" while the call goes on
	Args, Result    Text
}

// Parts returns where the time of a call that has ended was spent: in the hub before the page was asked, waiting for a
// person, in the page, and in the hub afterwards. A call that asked no page spent the rest in the hub (queue).
func (c Call) Parts() (queue, person, page, after time.Duration) {
	asked, answered := c.Asked, c.Answered
	if asked.IsZero() {
		asked = c.Ended
	}
	if answered.IsZero() {
		answered = c.Ended
	}
	person = min(c.Person, asked.Sub(c.Began))
	return asked.Sub(c.Began) - person, person, answered.Sub(asked), c.Ended.Sub(answered)
}

// Text is JSON, cut to [MaxText]. Size is its size before that, in bytes.
type Text struct {
	JSON []byte
	Size int
}

// Cut returns a cut copy of a text.
func Cut(text json.RawMessage) Text {
	return Text{slices.Clone(text[:min(len(text), MaxText)]), len(text)}
}

// Moment is something that happened in a tab.
type Moment struct {
	At, Until time.Time // Until is zero if it takes no time, or goes on
	Running   bool      // it goes on
	Kind      Kind
	Text      string // of the first, if it stands for several
	More      int    // how many others it stands for
}

// Kind says what sort of thing a moment is.
type Kind string

// The kinds of moments.
const (
	Navigation Kind = "navigation"
	Tools      Kind = "tools"
	CallMade   Kind = "call"
	Dialog     Kind = "dialog"
)

// State is what the live page knows. Make one with [NewState].
type State struct {
	catalog *registry.Catalog
	running map[uint64]Call
	over    []Call // calls that have ended, the oldest first
	past    map[registry.TabID]past
	closed  []registry.TabID // closed tabs that are in past; the one closed first is first
}

// past has the moments of a tab, the oldest first.
type past struct {
	moments []Moment
	dropped int // how many moments are no longer kept
}

// NewState returns a State that knows nothing yet.
func NewState() *State {
	return &State{catalog: registry.StartingCatalog(), running: map[uint64]Call{}, past: map[registry.TabID]past{}}
}

// Catalog returns the catalog that was served last.
func (s *State) Catalog() *registry.Catalog { return s.catalog }

// Knows reports whether a tab is open, or was closed so recently that what happened in it is still kept.
func (s *State) Knows(tab registry.TabID) bool { return s.past[tab].moments != nil }

// Step applies an event.
func (s *State) Step(e Event) {
	switch e := e.(type) {
	case Served:
		s.served(e)
	case Began:
		if len(s.running) < maxRunning {
			s.running[e.ID] = s.placed(e.Call)
		}
	case Ended:
		e.Page = cmp.Or(s.running[e.ID].Page, pageIndex(s.catalog, e.Tab))
		delete(s.running, e.ID)
		if s.over = append(s.over, e.Call); len(s.over) > 2*MaxCalls {
			s.over = append(make([]Call, 0, 2*MaxCalls), s.over[len(s.over)-MaxCalls:]...)
		}
		if e.Tab != 0 {
			s.note(e.Tab, Moment{At: e.Call.Began, Until: e.Call.Ended, Kind: CallMade, Text: clean(e.title()) + ": " +
				clean(e.Outcome)})
		}
	}
}

// placed returns a call with the tab that its tool's name stands for.
func (s *State) placed(c Call) Call {
	if t := s.catalog.Lookup(c.Name); t != nil && t.SiteTool == nil {
		c.Tool, c.Origin = t.Route.Tool, t.Origin()
		if tab := s.catalog.Tab(t.Route.Page); tab != nil {
			c.Tab = tab.ID
		}
	}
	c.Page = pageIndex(s.catalog, c.Tab)
	return c
}

// title returns the name under which a call is shown.
func (c Call) title() string {
	if c.Tool != "" {
		return c.Tool
	}
	return c.Name
}

func clean(s string) string { return sanitize.Text(s, maxPart) }

func (s *State) note(tab registry.TabID, m Moment) {
	p := s.past[tab]
	p.moments = append(p.moments, m)
	if len(p.moments) > MaxMoments {
		p.shorten(MaxMoments * 3 / 4) // by more than one moment, because shorten is slow
	}
	s.past[tab] = p
}

// shorten reduces the moments to at most the given number. It joins those that are close to each other. If that isn't
// enough, as after hours of many changes, it drops the oldest.
func (p *past) shorten(most int) {
	for _, within := range []time.Duration{time.Second, 10 * time.Second, time.Minute} {
		if len(p.moments) > most {
			p.moments = joined(p.moments, within)
		}
	}
	over := max(0, len(p.moments)-most)
	for _, m := range p.moments[:over] {
		p.dropped += 1 + m.More
	}
	p.moments = p.moments[over:]
}

// joined makes one moment of all moments of a kind that began within the same span of time. So even frequent changes
// leave an hour of history.
func joined(all []Moment, within time.Duration) []Moment {
	kept := make([]Moment, 0, MaxMoments+1)
	last := map[Kind]int{} // index in kept
	for _, m := range all {
		if i, is := last[m.Kind]; is && kept[i].At.Truncate(within).Equal(m.At.Truncate(within)) {
			kept[i].Until = later(kept[i].end(), m.end())
			kept[i].More += 1 + m.More
			continue
		}
		last[m.Kind] = len(kept)
		kept = append(kept, m)
	}
	return kept
}

func (m Moment) end() time.Time { return later(m.At, m.Until) }

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// served notes how a catalog differs from the one before. A tab that hasn't changed is the same pointer in both.
func (s *State) served(e Served) {
	was := s.catalog
	s.catalog = e.Catalog
	for _, tab := range e.Catalog.Tabs() {
		if old := was.Tab(tab.Page); old != tab {
			s.changed(e.At, old, tab)
		}
	}
	for _, tab := range was.Tabs() {
		if e.Catalog.Tab(tab.Page) == nil {
			s.note(tab.ID, Moment{At: e.At, Kind: Navigation, Text: "closed"})
			s.closed = append(s.closed, tab.ID)
		}
	}
	for len(s.closed) > MaxClosed {
		delete(s.past, s.closed[0])
		s.closed = s.closed[1:]
	}
}

// changed notes how a tab differs from what it was; was is nil for a new tab.
func (s *State) changed(at time.Time, was, is *registry.Tab) {
	add := func(kind Kind, format string, args ...any) {
		s.note(is.ID, Moment{At: at, Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	var tools []*registry.HubTool
	switch {
	case was == nil:
		s.closed = slices.DeleteFunc(s.closed, func(id registry.TabID) bool { return id == is.ID })
		add(Navigation, "opened at %s", clean(address(is.URL)))
		was = &registry.Tab{}
	case was.Document() != is.Document():
		add(Navigation, "a new document: %s", clean(address(is.URL)))
	case was.URL != is.URL:
		add(Navigation, "the same document, another address: %s", clean(address(is.URL)))
	}
	tools = was.Tools
	if was.State != is.State {
		add(Navigation, "%s", clean(cmp.Or(is.State, "connected")))
	}
	if was.Dialog != is.Dialog {
		add(Dialog, "%s", clean(cmp.Or(is.Dialog, "the dialog is gone")))
	}
	if came := missing(is.Tools, tools); came != "" {
		add(Tools, "registered: %s", came)
	}
	if gone := missing(tools, is.Tools); gone != "" {
		add(Tools, "gone: %s", gone)
	}
	if len(is.Refused) > 0 && !slices.Equal(was.Refused, is.Refused) {
		add(Tools, "refused: %s (%s)", clean(is.Refused[0].Tool), clean(is.Refused[0].Why))
	}
}

// maxNamed is how many tools of one change are named.
const maxNamed = 10

// missing returns the names of those tools in the list of that the list in doesn't have with the same definition.
func missing(of, in []*registry.HubTool) string {
	has := make(map[*registry.PageTool]bool, len(in))
	for _, t := range in {
		has[t.Source()] = true
	}
	var names []string
	more := 0
	for _, t := range of {
		switch {
		case has[t.Source()]:
		case len(names) == maxNamed:
			more++
		default:
			names = append(names, clean(t.Route.Tool))
		}
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
