package trace

import (
	"strings"
)

// Bounds on what is kept of a trace.
const (
	maxRequests = 5000
	maxTasks    = 5000
	maxMarks    = 20000 // of each other kind of event: candidates, shifts, interactions
	maxURL      = 2 << 10
)

// collected is what is kept of a trace's events.
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
	tasks      []task
	shifts     []shift
	charsets   []charset
	viewports  []mark
	commits    []commit
	dom        []dom
	updates    []update

	requests map[string]*request
	byTime   []*request
	fonts    []font

	// The rules for sites, and what they keep out.
	permits func(address string) bool // nil permits all
	out     map[string]bool           // frames inside the page about which nothing is told
	kept    bool                      // something is kept out

	full map[string]bool // the kinds of events of which there were too many
}

type navigation struct {
	id, frame, url string
	pid, tid       int
	ts             int64
}

// mark is a moment in a frame or navigation.
type mark struct {
	name, frame, navigation string
	ts                      int64
}

type candidate struct {
	navigation, kind, node, loading string
	nodeID, pid, index              int
	ts                              int64
}

type image struct {
	pid, node int
	url       string
	ts        int64
}

type shift struct {
	frame string
	score float64
	ts    int64
	nodes []int
}

type interactionKey struct {
	pid int
	id  string
}

type interaction struct {
	kind, frame string
	id          int
	ts, dur     int64
	delay, work int64 // microseconds of the input's delay and of its handlers
}

type task struct {
	pid, tid int
	ts, dur  int64
}

// request is a request with all its redirects.
type request struct {
	id               string
	ts               int64 // when the request was made
	wills, sends     steps // as the browser and as the renderer report them
	finish           int64 // when the request ended; 0 if it did not
	encoded, decoded int64 // bytes
	hidden           bool  // the rules keep its document out, so it is only counted

	// What the page requested.
	url, frame, kind, priority, hint, blocking string
	initiator, initiatorURL                    string
	preload                                    bool

	// The status and headers of the response.
	status                          int
	mime, protocol                  string
	headers                         []header
	requestTime, firstByte, sendEnd float64 // requestTime in seconds, the others in milliseconds after it
	timed, cached, worker           bool
}

type header struct{ Name, Value string }

type font struct {
	display, url, request string
	ts                    int64
}

type charset struct {
	frame, disposition string
	ts                 int64
}

type commit struct {
	frame  string
	mobile bool
	ts     int64
}

type dom struct {
	frame                     string
	elements, depth, children int
	widest                    string
	ts                        int64
}

type update struct {
	kind             string
	pid, tid, number int
	ts, dur          int64
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

// handlers handle the events that are used. If an event doesn't have the expected content, it is ignored, because
// anybody may have made the trace's file.
var handlers = map[string]func(*collected, *Event){
	"TracingStartedInBrowser":           (*collected).started,
	"FrameCommittedInBrowser":           (*collected).committed,
	"thread_name":                       (*collected).threadName,
	"navigationStart":                   (*collected).navigationStart,
	"firstPaint":                        (*collected).paint,
	"firstContentfulPaint":              (*collected).paint,
	"MarkLoad":                          (*collected).moment,
	"largestContentfulPaint::Candidate": (*collected).largest,
	"LargestImagePaint::Candidate":      (*collected).largestImage,
	"LayoutShift":                       (*collected).layoutShift,
	"EventTiming":                       (*collected).eventTiming,
	"RunTask":                           (*collected).runTask,
	"ResourceWillSendRequest":           (*collected).willSend,
	"ResourceSendRequest":               (*collected).send,
	"ResourceReceiveResponse":           (*collected).response,
	"ResourceMarkAsCached":              (*collected).markedCached,
	"ResourceFinish":                    (*collected).finished,
	"ResourceChangePriority":            (*collected).priority,
	"PreloadRenderBlockingStatusChange": (*collected).blockingChange,
	"BeginRemoteFontLoad":               (*collected).fontLoad,
	"MetaCharsetCheck":                  (*collected).metaCharset,
	"ParseMetaViewport":                 (*collected).metaViewport,
	"BeginCommitCompositorFrame":        (*collected).compositorCommit,
	"DOMStats":                          (*collected).domStats,
	"Layout":                            (*collected).layout,
	"UpdateLayoutTree":                  (*collected).style,
}

func clip(s string) string {
	if len(s) > maxURL {
		return strings.ToValidUTF8(s[:maxURL], "") + "…"
	}
	return s
}
