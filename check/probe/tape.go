package probe

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"webmcphub/cdpclient"
)

// These limit how many events of a page are kept, and their bytes. A page with more is judged by these. Events about
// the fate of the page itself are always kept.
const (
	maxTape   = 20_000
	maxBytes  = 64 << 20
	maxThrown = 1000 // bytes of what a script threw
)

// A tape keeps the events of a page's session. The connection's reader writes it.
type tape struct {
	mu      sync.Mutex
	events  []cdpclient.Event
	bytes   int           // of their parameters
	changed chan struct{} // filled when there is something new
	activity
}

// taken lists the events that are kept.
var taken = []string{
	cdpclient.WebMCPToolsAdded, cdpclient.WebMCPToolsRemoved, cdpclient.PageLoadEventFired,
	cdpclient.PageFrameNavigated, cdpclient.PageFrameRequestedNavigation,
	cdpclient.RuntimeBindingCalled, exceptionThrown, targetCrashed,
}

// fates lists the events that say what became of the page.
var fates = []string{cdpclient.PageLoadEventFired, cdpclient.PageFrameNavigated, cdpclient.PageFrameRequestedNavigation,
	targetCrashed}

// shortened returns an exception's event with only what was thrown, cut.
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

// inbox is a [cdpclient.Inbox].
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

// toolsOf returns the tools that an event announces, and those that it withdraws.
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

// lines returns the lines, from 1 on, of the innermost scripts with an address that registered the page's tools.
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
