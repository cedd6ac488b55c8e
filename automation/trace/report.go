package trace

import (
	"cmp"
	"fmt"
	"io"
)

// Report is the analysis of a trace.
type Report struct {
	ID      string // set by whoever keeps several traces
	URL     string
	From    int64 // microseconds of Chrome's clock
	To      int64
	Sets    []*Set
	Lost    bool // Chrome lost data or the trace ends early: figures may be wrong
	Stats   Stats
	Partial []string // the kinds of events of which there were too many
	// KeptOut says that parts of the trace aren't reported, because rules for sites keep them out.
	KeptOut bool
	// Addresses are the addresses of all documents that the report mentions, including those in frames.
	Addresses []string

	own *own // nil after [Report.Own]
}

// Set is what happened from one navigation to the next.
type Set struct {
	ID       string // NAVIGATION_n or NO_NAVIGATION
	URL      string
	From     int64
	To       int64
	Metrics  Metrics
	LCP      *LCP
	INP      *Interaction
	Shifts   []Cluster
	Tasks    []Task // the longest first
	Insights []Insight
	KeptOut  bool // by the rules for sites: only the origin is reported

	nav *navigation
}

// Metrics are the vitals, in milliseconds since the navigation began; nil means unknown.
type Metrics struct {
	TTFB      *float64
	FCP       *float64
	LCP       *float64
	INP       *float64
	CLS       *float64 // a score
	TBT       *float64 // from FCP to the end of the set
	Load      *float64
	LongTasks int
	Requests  int
	Bytes     int64
}

// LCP is the largest contentful paint, with its candidates and parts.
type LCP struct {
	Kind       string // "image" or "text"
	Element    string
	URL        string // the address of the image
	Parts      []Part
	Candidates []Earlier
	request    *request
	loading    string
}

// Part is a part of the LCP time.
type Part struct {
	Name string // "TTFB", "load delay", "load duration" or "render delay"
	MS   float64
}

// Earlier is an element that was the largest one for a while.
type Earlier struct {
	Element string
	MS      float64
}

// Interaction is the interaction that determines INP. Times are in milliseconds.
type Interaction struct {
	Event        string
	At           float64 // since the set's beginning
	Duration     float64
	Delay        float64
	Processing   float64
	Presentation float64
}

// Cluster is a session window of layout shifts.
type Cluster struct {
	Score  float64
	At     float64 // milliseconds since the set's beginning
	Shifts int
	Nodes  []int
}

// Task is a long task of the main thread. Times are in milliseconds.
type Task struct {
	At       float64
	Duration float64
}

// Analyze analyzes a trace for somebody from whom rules for sites keep some documents. Of these documents the report
// has only the origins. permits is called with addresses of documents; nil permits all.
func Analyze(from io.Reader, permits func(address string) bool) (*Report, error) {
	c := newCollected()
	stats, err := Read(from, c.event)
	if err != nil {
		return nil, err
	}
	if stats.Events == 0 || c.first == 0 {
		return nil, fmt.Errorf("read the trace: no events are in it")
	}
	c.settle()
	c.apply(permits)
	r := &Report{From: c.first, To: c.last, Stats: stats, Lost: stats.Cut, URL: c.urls[c.main]}
	for kind := range c.full {
		r.Partial = append(r.Partial, kind)
	}
	r.addSets(c)
	r.KeptOut, r.Addresses, r.own = c.kept, c.addresses(), c.own()
	return r, nil
}

// trivial bounds the time before the first navigation that is left out if nothing happened in it, in microseconds.
const trivial = 5_000_000

func (r *Report) addSets(c *collected) {
	end := r.To
	if len(c.navigations) > 0 {
		end = c.navigations[0].TS - 1
	}
	before := &Set{ID: "NO_NAVIGATION", URL: cmp.Or(c.at(c.main, end), r.URL), From: r.From, To: end}
	before.fill(c)
	if len(c.navigations) == 0 || before.To-before.From >= trivial || before.INP != nil || len(before.Shifts) > 0 {
		r.Sets = append(r.Sets, before)
	}
	for i, n := range c.navigations {
		s := &Set{ID: fmt.Sprintf("NAVIGATION_%d", len(r.Sets)), URL: n.DocumentLoaderURL, From: n.TS, To: r.To, nav: n}
		if i+1 < len(c.navigations) {
			s.To = c.navigations[i+1].TS - 1
		}
		s.fill(c)
		r.Sets = append(r.Sets, s)
		r.URL = n.DocumentLoaderURL
	}
}

// Find returns an insight by the name of its set and its own name.
func (r *Report) Find(set, insight string) (*Set, *Insight, error) {
	var ids []string
	for _, s := range r.Sets {
		ids = append(ids, s.ID)
		if s.ID != set {
			continue
		}
		if s.KeptOut {
			return nil, nil, fmt.Errorf("the page of %s is kept out by the user's rules for sites (--allow-origin, "+
				"--deny-origin, --browsers)", set)
		}
		var names []string
		for i := range s.Insights {
			if s.Insights[i].Name == insight {
				return s, &s.Insights[i], nil
			}
			names = append(names, s.Insights[i].Name)
		}
		return nil, nil, fmt.Errorf("there is no insight %q; %s has %v", insight, set, names)
	}
	return nil, nil, fmt.Errorf("there is no insight set %q; this trace has %v", set, ids)
}
