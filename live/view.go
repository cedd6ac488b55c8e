package live

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// maxShownCalls is how many calls a View shows at most.
const maxShownCalls = 100

// Filter selects what is shown. The page's address contains it.
type Filter struct {
	Tab     registry.TabID // 0 means all
	Session string         // a client's session; "" means all
	Outcome string         // "running", or an outcome; "" means all
	Text    string         // what the names of tools, sites and clients must contain
	Span    time.Duration  // length of a tab's timeline
}

// Spans are the lengths that a timeline may have.
var Spans = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, day}

// ReadFilter reads the query of an address. It ignores what makes no sense.
func ReadFilter(q url.Values) Filter {
	tab, _ := strconv.Atoi(q.Get("tab"))
	f := Filter{Tab: registry.TabID(max(tab, 0)), Session: sanitize.Text(q.Get("client"), 80),
		Outcome: sanitize.Text(q.Get("outcome"), 40), Text: sanitize.Text(q.Get("q"), 80)}
	f.Span, _ = time.ParseDuration(q.Get("span"))
	if !slices.Contains(Spans, f.Span) {
		f.Span = Spans[1]
	}
	return f
}

// Query returns the filter as the query of an address.
func (f Filter) Query() string {
	q := url.Values{}
	set := func(name, value string, unless bool) {
		if !unless {
			q.Set(name, value)
		}
	}
	set("tab", strconv.Itoa(int(f.Tab)), f.Tab == 0)
	set("client", f.Session, f.Session == "")
	set("outcome", f.Outcome, f.Outcome == "")
	set("q", f.Text, f.Text == "")
	set("span", f.Span.String(), f.Span == Spans[1] || f.Span == 0)
	return q.Encode()
}

// With returns the filter for another tab.
func (f Filter) With(tab registry.TabID) Filter { f.Tab = tab; return f }

// Spanning returns the filter for another length of the timeline.
func (f Filter) Spanning(d time.Duration) Filter { f.Span = d; return f }

func (f Filter) has(texts ...string) bool {
	return f.Text == "" || slices.ContainsFunc(texts,
		func(t string) bool { return strings.Contains(strings.ToLower(t), strings.ToLower(f.Text)) })
}

// View is what is shown.
type View struct {
	Browser  string // why there is no browser, or ""
	Browsers []Browser
	MoreTab  int  // tabs that aren't shown
	One      *Tab // the filter's tab, with its tools; nil if there is none
	Past     []Moment
	Calls    []Call // the newest first
}

// View returns what a filter selects.
func (s *State) View(f Filter) (v View) {
	v.Browser = s.catalog.BrowserStatus()
	v.Browsers, v.MoreTab = tree(s.catalog, f)
	if f.Tab != 0 {
		v.One = one(s.catalog, f.Tab)
		v.Past = append(lately(s.past[f.Tab]), s.goingOn(f.Tab)...)
	}
	v.Calls = s.calls(f, maxShownCalls)
	return v
}

// goingOn returns the running calls of a tab, the oldest first.
func (s *State) goingOn(tab registry.TabID) (all []Moment) {
	for _, c := range s.running {
		if c.Tab == tab {
			all = append(all, Moment{At: c.Began, Running: true, Kind: CallMade, Text: clean(c.title()) + ": goes on"})
		}
	}
	slices.SortFunc(all, func(a, b Moment) int { return a.At.Compare(b.At) })
	return all[max(0, len(all)-MaxMoments):]
}

func lately(all []Moment) []Moment {
	return slices.Clone(all[max(0, len(all)-MaxMoments):])
}

// calls returns at most most of the calls that a filter selects, the newest first. Running calls come before all
// others.
func (s *State) calls(f Filter, most int) (all []Call) {
	for _, c := range s.running {
		if f.takes(c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Call) int { return b.Began.Compare(a.Began) })
	all = s.ended(all, f, most)
	return all[:min(len(all), most)]
}

// ended appends to calls those that a filter selects and that have ended, the newest first, until there are most
// calls.
func (s *State) ended(calls []Call, f Filter, most int) []Call {
	for i := len(s.over) - 1; i >= max(0, len(s.over)-MaxCalls) && len(calls) < most; i-- {
		if f.takes(s.over[i]) {
			calls = append(calls, s.over[i])
		}
	}
	return calls
}

func (f Filter) takes(c Call) bool {
	outcome := or(c.Outcome, "running")
	return (f.Tab == 0 || f.Tab == c.Tab) && (f.Session == "" || f.Session == c.Session) &&
		(f.Outcome == "" || f.Outcome == outcome) && f.has(c.Name, c.Tool, c.Origin, c.Client)
}

// Call returns the call with this id, if it is kept.
func (s *State) Call(id uint64) (Call, bool) {
	if c, is := s.running[id]; is {
		return c, true
	}
	for _, c := range s.over {
		if c.ID == id {
			return c, true
		}
	}
	return Call{}, false
}
