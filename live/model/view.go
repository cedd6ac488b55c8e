package model

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
	"webmcphub/registry/tokens"
)

// What a View shows at most.
const (
	maxShownCalls = 100
	maxShownTabs  = 200
	maxShownTools = 300
)

// Filter says what is shown. It is what stands in the page's address.
type Filter struct {
	Tab     registry.TabID // 0 is all
	Session string         // a client's; "" is all
	Outcome string         // "running", or an outcome; "" is all
	Text    string         // what tools, sites and clients must have in their names
	Span    time.Duration  // of a tab's timeline
}

// Spans are the lengths that a timeline may have.
var Spans = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, day}

// ReadFilter reads the query of an address. What makes no sense is left out.
func ReadFilter(q url.Values) Filter {
	tab, _ := strconv.Atoi(q.Get("tab"))
	f := Filter{Tab: registry.TabID(max(tab, 0)), Session: sanitize.Text(q.Get("client"), 80), Outcome: sanitize.Text(q.Get("outcome"), 40), Text: sanitize.Text(q.Get("q"), 80)}
	f.Span, _ = time.ParseDuration(q.Get("span"))
	if !slices.Contains(Spans, f.Span) {
		f.Span = Spans[1]
	}
	return f
}

// Query is the filter as it stands in an address.
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

// With is the filter for another tab.
func (f Filter) With(tab registry.TabID) Filter { f.Tab = tab; return f }

// Spanning is the filter for another length of the timeline.
func (f Filter) Spanning(d time.Duration) Filter { f.Span = d; return f }

func (f Filter) has(texts ...string) bool {
	return f.Text == "" || slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), strings.ToLower(f.Text)) })
}

// View is what is shown.
type View struct {
	Browser string // why there is none, or ""
	Tabs    []Tab
	MoreTab int  // tabs that aren't shown
	One     *Tab // the tab of the filter, with its tools; nil if there is none
	Past    []Moment
	Calls   []Call // the newest first
}

// Tab is a tab as it is shown.
type Tab struct {
	ID                 registry.TabID
	Page               registry.PageID
	Title, URL, Origin string
	Condition          string
	Connected          bool
	Tools              int
	Tokens             int
	List               []Tool
	MoreTools          int
	Refused            []Refused
}

// Refused is a tool that isn't published, and why.
type Refused struct{ Tool, Why string }

// Tool is a tool as it is shown.
type Tool struct {
	Name, Tool, Title, Description, Origin, Frame, Script, Runtime string
	Tokens                                                         int
	ReadOnly, Destructive                                          bool
}

// View is what a filter shows.
func (s *State) View(f Filter) (v View) {
	v.Browser = s.catalog.BrowserStatus()
	for _, t := range s.catalog.Tabs() {
		if f.Tab == t.ID {
			one := tabOf(t)
			one.list(t)
			v.One = &one
		}
		switch {
		case !f.has(t.Title, t.URL) && !slices.ContainsFunc(t.Tools, func(tool *registry.HubTool) bool { return f.has(tool.Name) }):
		case len(v.Tabs) == maxShownTabs:
			v.MoreTab++
		default:
			v.Tabs = append(v.Tabs, tabOf(t))
		}
	}
	if f.Tab != 0 {
		v.Past = lately(s.past[f.Tab])
	}
	v.Calls = s.calls(f, maxShownCalls)
	return v
}

func lately(all []Moment) []Moment {
	return slices.Clone(all[max(0, len(all)-MaxMoments):])
}

// Calls are those of a filter, at most so many, the newest first. Those that go on come
// before all others.
func (s *State) calls(f Filter, most int) (all []Call) {
	for _, c := range s.running {
		if f.takes(c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Call) int { return b.Began.Compare(a.Began) })
	for i := len(s.over) - 1; i >= max(0, len(s.over)-MaxCalls) && len(all) < most; i-- {
		if f.takes(s.over[i]) {
			all = append(all, s.over[i])
		}
	}
	return all[:min(len(all), most)]
}

func (f Filter) takes(c Call) bool {
	outcome := or(c.Outcome, "running")
	return (f.Tab == 0 || f.Tab == c.Tab) && (f.Session == "" || f.Session == c.Session) && (f.Outcome == "" || f.Outcome == outcome) && f.has(c.Name, c.Tool, c.Origin, c.Client)
}

// Call is the one of an id, if it is kept.
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

func tabOf(t *registry.Tab) Tab {
	n := Tab{ID: t.ID, Page: t.Page, Title: clean(t.Title), URL: clean(t.URL), Origin: clean(t.Origin), Condition: clean(t.Condition()), Connected: t.Connected(), Tools: len(t.Tools)}
	for _, tool := range t.Tools {
		n.Tokens += tool.Cost(tokens.Estimate[json.RawMessage])
	}
	return n
}

// list adds the tab's tools.
func (n *Tab) list(t *registry.Tab) {
	for _, tool := range t.Tools[:min(len(t.Tools), maxShownTools)] {
		claims := tool.Claims()
		shown := Tool{Name: tool.Name, Tool: clean(tool.Route.Tool), Origin: clean(tool.Origin()), Runtime: string(tool.Route.Runtime), Tokens: tool.Cost(tokens.Estimate[json.RawMessage]), ReadOnly: claims.ReadOnly, Destructive: claims.Destructive}
		if source := tool.Source(); source != nil {
			shown.Title, shown.Description, shown.Script = clean(source.Title), clean(source.Description), clean(source.Script)
			if source.FrameURL != t.URL {
				shown.Frame = clean(source.FrameURL)
			}
		}
		n.List = append(n.List, shown)
	}
	n.MoreTools = len(t.Tools) - len(n.List)
	for _, r := range t.Refused[:min(len(t.Refused), maxShownTools)] {
		n.Refused = append(n.Refused, Refused{clean(r.Tool), clean(r.Why)})
	}
}
