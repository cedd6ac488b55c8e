package live

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// shownCalls is how many calls a View shows unless its filter says how many.
const shownCalls = 100

// Wrong is the outcome of a Filter that selects the calls that have ended with another outcome than "ok".
const Wrong = "not ok"

// Filter selects what is shown. The page's address contains it.
type Filter struct {
	Tab     registry.TabID // 0 means all
	Session string         // a client's session; "" means all
	Outcome string         // "running", [Wrong], or an outcome; "" means all
	Text    string         // what the names of tools, sites and clients must contain
	Span    time.Duration  // length of a tab's timeline
	Chosen  uint64         // id of the call whose details are shown; 0 is none
	Most    int            // how many calls are shown
	Sort    string         // the key of one of the orders, with a "-" before it for the opposite order; "" is the newest first
}

// orders are the orders of the calls that have ended, by the names of the columns.
var orders = map[string]func(a, b Call) int{
	"time": func(a, b Call) int { return a.Began.Compare(b.Began) },
	"tool": func(a, b Call) int { return strings.Compare(a.title(), b.title()) },
	"tab":  func(a, b Call) int { return cmp.Compare(a.Tab, b.Tab) },
	"client": func(a, b Call) int {
		return cmp.Or(strings.Compare(a.Client, b.Client), strings.Compare(a.Session, b.Session))
	},
	"outcome": func(a, b Call) int { return strings.Compare(a.Outcome, b.Outcome) },
	"took":    func(a, b Call) int { return cmp.Compare(a.Ended.Sub(a.Began), b.Ended.Sub(b.Began)) },
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
	f.Chosen, _ = strconv.ParseUint(q.Get("call"), 10, 64)
	f.Most, _ = strconv.Atoi(q.Get("most"))
	f.Most = min(max(f.Most, shownCalls), MaxCalls)
	if f.Sort = q.Get("sort"); orders[strings.TrimPrefix(f.Sort, "-")] == nil {
		f.Sort = ""
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
	set("call", strconv.FormatUint(f.Chosen, 10), f.Chosen == 0)
	set("most", strconv.Itoa(f.Most), f.Most <= shownCalls)
	set("sort", f.Sort, f.Sort == "")
	return q.Encode()
}

// With returns the filter for another tab.
func (f Filter) With(tab registry.TabID) Filter { f.Tab = tab; return f }

// Choosing returns the filter that shows the details of another call.
func (f Filter) Choosing(call uint64) Filter { f.Chosen = call; return f }

// Ending returns the filter for another outcome.
func (f Filter) Ending(outcome string) Filter { f.Outcome = outcome; return f }

// More returns the filter that shows more calls.
func (f Filter) More() Filter { f.Most = min(f.Most+shownCalls, MaxCalls); return f }

// SortedBy returns the filter that sorts by a column, in the opposite order if it does so already.
func (f Filter) SortedBy(column string) Filter {
	if f.Sort == column {
		column = "-" + column
	}
	f.Sort = column
	return f
}

// Order returns the value of aria-sort for a column.
func (f Filter) Order(column string) string {
	switch f.Sort {
	case column:
		return "ascending"
	case "-" + column:
		return "descending"
	}
	return "none"
}

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
	Earlier  int    // moments of the chosen tab that are not kept
	Running  []Call // calls that go on, the newest first
	Calls    []Call // calls that have ended, in the filter's order
	MoreCall int    // calls that aren't shown
	Wrong    int    // how many of the calls that are kept have ended with another outcome than "ok"
	Call     *Call  // the call whose details are shown, or nil

	AllTabs, AllRunning int // how many there are, whatever the filter selects

	catalog *registry.Catalog
}

// View returns what a filter selects.
func (s *State) View(f Filter) (v View) {
	v.catalog, v.AllTabs, v.AllRunning = s.catalog, len(s.catalog.Tabs()), len(s.running)
	v.Browser = s.catalog.BrowserStatus()
	v.Browsers, v.MoreTab = tree(s.catalog, f)
	if f.Tab != 0 {
		v.One = one(s.catalog, f.Tab)
		past := s.past[f.Tab]
		v.Past, v.Earlier = append(slices.Clone(past.moments), s.goingOn(f.Tab)...), past.dropped
	}
	still := f
	if f.Outcome != "running" {
		still.Outcome = "" // a filter for an outcome still selects running calls
	}
	v.Running, v.Calls = s.going(still), s.ended(nil, f, MaxCalls)
	f.sort(v.Calls)
	most := max(f.Most, shownCalls)
	v.MoreCall = max(0, len(v.Running)-most) + max(0, len(v.Calls)-most)
	v.Running, v.Calls = v.Running[:min(len(v.Running), most)], v.Calls[:min(len(v.Calls), most)]
	for _, c := range s.kept() {
		if c.Outcome != "ok" {
			v.Wrong++
		}
	}
	if c, is := s.Call(f.Chosen); is && f.Chosen != 0 {
		v.Call = &c
	}
	return v
}

// sort puts calls that have ended, the newest first, into the filter's order.
func (f Filter) sort(all []Call) {
	column, down := strings.CutPrefix(f.Sort, "-")
	less := orders[column]
	switch {
	case less == nil:
	case down:
		slices.SortStableFunc(all, func(a, b Call) int { return less(b, a) })
	default:
		slices.SortStableFunc(all, less)
	}
}

// goingOn returns the running calls of a tab, the oldest first.
func (s *State) goingOn(tab registry.TabID) (all []Moment) {
	for _, c := range s.running {
		if c.Tab == tab {
			all = append(all, Moment{At: c.Began, Running: true, Kind: CallMade, Text: clean(c.title()) + ": running"})
		}
	}
	slices.SortFunc(all, func(a, b Moment) int { return a.At.Compare(b.At) })
	return all[max(0, len(all)-MaxMoments):]
}

// calls returns at most most of the calls that a filter selects, the newest first. Running calls come before all
// others.
func (s *State) calls(f Filter, most int) []Call {
	all := s.ended(s.going(f), f, most)
	return all[:min(len(all), most)]
}

// going returns the running calls that a filter selects, the newest first.
func (s *State) going(f Filter) (all []Call) {
	for _, c := range s.running {
		if f.takes(c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Call) int { return b.Began.Compare(a.Began) })
	return all
}

// kept returns the calls that have ended and are kept, the oldest first.
func (s *State) kept() []Call { return s.over[max(0, len(s.over)-MaxCalls):] }

// ended appends to calls those that a filter selects and that have ended, the newest first, until there are most
// calls.
func (s *State) ended(calls []Call, f Filter, most int) []Call {
	for _, c := range slices.Backward(s.kept()) {
		if len(calls) < most && f.takes(c) {
			calls = append(calls, c)
		}
	}
	return calls
}

func (f Filter) takes(c Call) bool {
	outcome := cmp.Or(c.Outcome, "running")
	return (f.Tab == 0 || f.Tab == c.Tab) && (f.Session == "" || f.Session == c.Session) &&
		(f.Outcome == "" || f.Outcome == outcome || f.Outcome == Wrong && outcome != "ok" && outcome != "running") &&
		f.has(c.Name, c.Tool, c.Origin, c.Client)
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
