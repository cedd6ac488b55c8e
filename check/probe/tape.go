package probe

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"webmcphub/cdpclient"
)

// These limit how many events of a page are kept, and their bytes. The check judges a page with more by the first
// ones. Events of fates are kept beyond these limits, up to 2*maxTape events in all.
const (
	maxTape   = 20_000
	maxBytes  = 64 << 20
	maxThrown = 1000 // bytes of what a script threw
)

// A tape keeps the events of a page's session. The connection's reader writes it.
type tape struct {
	mu      sync.Mutex
	events  []cdpclient.Event
	bytes   int           // of the events' parameters
	changed chan struct{} // filled when there is something new
	activity
}

// taken lists the events that the tape keeps.
var taken = []string{
	cdpclient.WebMCPToolsAdded, cdpclient.WebMCPToolsRemoved, cdpclient.PageLoadEventFired,
	cdpclient.PageFrameNavigated, cdpclient.PageFrameRequestedNavigation,
	cdpclient.RuntimeBindingCalled, exceptionThrown, targetCrashed,
}

// fates lists the events that say what became of the page.
var fates = []string{cdpclient.PageLoadEventFired, cdpclient.PageFrameNavigated, cdpclient.PageFrameRequestedNavigation,
	targetCrashed}

// shortened returns the parameters of an exception's event with only the text of the exception, cut to maxThrown.
func shortened(params json.RawMessage) json.RawMessage {
	text := thrown(params)
	if len(text) > maxThrown {
		text = strings.ToValidUTF8(text[:maxThrown], "") + "…"
	}
	short, err := json.Marshal(map[string]any{"exceptionDetails": map[string]any{"text": text}})
	if err != nil {
		return nil
	}
	return short
}

const (
	exceptionThrown = "Runtime.exceptionThrown"
	targetCrashed   = "Inspector.targetCrashed"
)

func newTape() *tape { return &tape{changed: make(chan struct{}, 1), activity: newActivity()} }

// inbox implements [cdpclient.Inbox].
func (t *tape) inbox(m cdpclient.Message) {
	e, ok := m.(cdpclient.Event)
	if !ok {
		return
	}
	t.mu.Lock()
	noted := t.note(e)
	t.mu.Unlock()
	if noted || !slices.Contains(taken, e.Method) {
		return
	}
	if e.Method == exceptionThrown {
		e.Params = shortened(e.Params)
	}
	t.mu.Lock()
	room := len(t.events) < maxTape && t.bytes+len(e.Params) <= maxBytes
	if room || slices.Contains(fates, e.Method) && len(t.events) < 2*maxTape {
		t.events = append(t.events, e)
		t.bytes += len(e.Params)
	}
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// since returns the events from number n on.
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

// toolsOf returns the tools that an event announces, and the tools that it withdraws.
func toolsOf(e cdpclient.Event) (added []cdpclient.Tool, removed []cdpclient.RemovedTool) {
	var a cdpclient.ToolsAdded
	var r cdpclient.ToolsRemoved
	switch {
	case e.Method == cdpclient.WebMCPToolsAdded && a.Decode(e.Params) == nil:
		return a.Tools, nil
	case e.Method == cdpclient.WebMCPToolsRemoved && r.Decode(e.Params) == nil:
		return nil, r.Tools
	}
	return nil, nil
}

// lines returns for each tool the line, from 1, of the innermost script with an address that registered it.
func (t *tape) lines() map[toolID]int {
	type frame struct {
		URL        string
		LineNumber int
	}
	all := map[toolID]int{}
	for _, e := range t.since(0) {
		var added struct {
			Tools []struct {
				Name, FrameID string
				StackTrace    struct{ CallFrames []frame }
			}
		}
		if e.Method != cdpclient.WebMCPToolsAdded || json.Unmarshal(e.Params, &added) != nil {
			continue
		}
		for _, tool := range added.Tools {
			trace := tool.StackTrace.CallFrames
			if i := slices.IndexFunc(trace, func(f frame) bool { return f.URL != "" }); i >= 0 {
				all[toolID{tool.FrameID, tool.Name}] = trace[i].LineNumber + 1
			}
		}
	}
	return all
}
