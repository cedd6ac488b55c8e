package watch

import (
	"slices"
	"sync"

	"webmcphub/cdpclient"
)

// maxTape is how many events of a page are kept; a page that does more is judged by these.
const maxTape = 20_000

// A tape keeps the events of a page's session. The connection's reader writes it; who waits
// for news reads.
type tape struct {
	mu      sync.Mutex
	events  []cdpclient.Event
	changed chan struct{} // filled when there is something new
}

// taken are the events that are worth keeping.
var taken = []string{
	cdpclient.WebMCPToolsAdded, cdpclient.WebMCPToolsRemoved, cdpclient.PageLoadEventFired, cdpclient.PageFrameNavigated, cdpclient.PageFrameRequestedNavigation,
	cdpclient.RuntimeBindingCalled, exceptionThrown, targetCrashed,
}

const (
	exceptionThrown = "Runtime.exceptionThrown"
	targetCrashed   = "Inspector.targetCrashed"
)

func newTape() *tape { return &tape{changed: make(chan struct{}, 1)} }

// inbox is a [cdpclient.Inbox].
func (t *tape) inbox(m cdpclient.Message) {
	e, ok := m.(cdpclient.Event)
	if !ok || !slices.Contains(taken, e.Method) {
		return
	}
	t.mu.Lock()
	if len(t.events) < maxTape {
		t.events = append(t.events, e)
	}
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// since are the events from number n on.
func (t *tape) since(n int) []cdpclient.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events[min(n, len(t.events)):])
}

func (t *tape) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.events)
}
