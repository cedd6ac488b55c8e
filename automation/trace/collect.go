package trace

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds on what is kept of a trace.
const (
	maxRequests = 5000
	maxTasks    = 5000
	maxMarks    = 20000 // of each other kind of event: candidates, shifts, interactions
	maxFew      = 500   // of kinds of which a page has few: navigations, fonts, viewports
	maxURL      = 2 << 10
)

// moment is a time, with a duration, in a thread.
type moment struct {
	PID, TID int
	TS, Dur  int64 // microseconds
}

func (m moment) at() int64 { return m.TS }

// collected is what is kept of a trace's events. The fields of an entry's type that begin with capitals are named as
// in the events, from which they are decoded.
type collected struct {
	first, last int64 // the times of the first and the last event
	begun       int64 // when the recording began; a trace may hold what an earlier one left in Chrome's buffers

	// The tab that was traced.
	frames      map[string]bool
	main        string // the main frame
	mainPID     int
	mainThreads map[int]int // pid to tid
	urls        map[string]string
	documents   map[string][]document // by frame, in the order of the trace
	shown       int                   // how many documents there are
	parents     map[string]string
	navigations []*navigation

	// Events about painting, interactions, tasks, parsing and layout.
	marks      []mark
	candidates []candidate
	images     []image
	interacts  map[interactionKey][]*interaction // interactions that have begun
	ended      []*interaction
	tasks      []moment
	shifts     []shift
	charsets   []meta
	viewports  []meta
	commits    []commit
	dom        []dom
	updates    []update

	requests map[string]*request
	byTime   []*request
	fonts    []font

	// The rules for sites, and what they keep out.
	permits func(address string) bool // nil permits all
	out     map[string]bool           // frames inside the page that the report leaves out
	kept    bool                      // something is kept out

	full map[string]bool // the kinds of events of which there were too many
}

type navigation struct {
	moment
	frame                           string
	DocumentLoaderURL, NavigationID string
	IsOutermostMainFrame            bool
}

// mark is a moment in a frame or navigation.
type mark struct {
	moment
	name                string
	Frame, NavigationID string
}

type candidate struct {
	moment
	NavigationID, Type, NodeName, LoadingAttr string
	NodeID, CandidateIndex                    int
}

type image struct {
	moment
	DOMNodeID int
	ImageURL  string
}

type shift struct {
	moment
	frame              string
	HadRecentInput     bool    `json:"had_recent_input"`
	WeightedScoreDelta float64 `json:"weighted_score_delta"`
	ImpactedNodes      []struct {
		NodeID int `json:"node_id"`
	} `json:"impacted_nodes"`
}

type interactionKey struct {
	pid int
	id  string
}

type interaction struct {
	moment
	Type, Frame                                         string
	InteractionID                                       int
	Duration, TimeStamp, ProcessingStart, ProcessingEnd float64 // milliseconds
}

type font struct {
	moment
	Display, URL string
	ID           int
}

// meta is a meta element of a document, about its encoding or its viewport.
type meta struct {
	moment
	Frame, Disposition, Content string
}

type commit struct {
	moment
	Frame  string
	Mobile bool `json:"is_mobile_optimized"`
}

type dom struct {
	moment
	Frame         string
	TotalElements int
	MaxDepth      struct{ Depth int }
	MaxChildren   struct {
		NumChildren int
		NodeName    string
	}
}

type update struct {
	moment
	kind   string
	number int
}

func newCollected() *collected {
	return &collected{
		frames: map[string]bool{}, mainThreads: map[int]int{}, urls: map[string]string{},
		documents: map[string][]document{}, parents: map[string]string{}, out: map[string]bool{},
		interacts: map[interactionKey][]*interaction{}, requests: map[string]*request{}, full: map[string]bool{},
	}
}

// room says whether a list may get one more entry.
func (c *collected) room(kind string, n, most int) bool {
	if n >= most {
		c.full[kind] = true
		return false
	}
	return true
}

// keep appends an entry to a list of its kind, if there is room.
func keep[T any](c *collected, kind string, list *[]T, most int, entry T) {
	if c.room(kind, len(*list), most) {
		*list = append(*list, entry)
	}
}

// event handles one event.
func (c *collected) event(e *Event) {
	if e.TS > 0 && string(e.Phase) != "M" {
		if c.first == 0 || e.TS < c.first {
			c.first = e.TS
		}
		c.last = max(c.last, e.TS+e.Dur)
	}
	if handle := handlers[string(e.Name)]; handle != nil {
		handle(c, e)
	}
}

// settle sorts events, which come in the order of the threads' buffers.
func (c *collected) settle() {
	inOrder(c.navigations)
	if c.main == "" && len(c.navigations) > 0 {
		c.main, c.mainPID = c.navigations[0].frame, c.navigations[0].PID
	}
	c.first = max(c.first, c.begun)
	c.navigations = slices.DeleteFunc(c.navigations,
		func(n *navigation) bool { return n.frame != c.main || n.TS < c.begun })
	for _, documents := range c.documents {
		inOrder(documents)
	}
	inOrder(c.shifts)
	inOrder(c.ended)
	c.byTime = slices.DeleteFunc(c.byTime, func(r *request) bool { // Chrome records the requests of all tabs
		foreign := r.URL != "" && !c.ours(r.Frame)
		if foreign {
			delete(c.requests, r.RequestID)
		}
		return foreign
	})
	inOrder(c.byTime)
	inOrder(c.tasks)
}

func inOrder[T interface{ at() int64 }](entries []T) {
	slices.SortStableFunc(entries, func(a, b T) int { return cmp.Compare(a.at(), b.at()) })
}

// ours says whether a frame belongs to the tab that was traced. If the trace doesn't say which frames do, all do.
func (c *collected) ours(frame string) bool { return len(c.frames) == 0 || c.frames[frame] }

func clip(s string) string {
	if len(s) > maxURL {
		return strings.ToValidUTF8(s[:maxURL], "") + "…"
	}
	return s
}
