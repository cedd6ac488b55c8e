package trust

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"webmcphub/mcpserver/calls"
	"webmcphub/trust/flow"
)

// FlowDecider is a [Flow] that decides by what clients have read, see [flow.Book]. Any goroutine may call it.
type FlowDecider struct {
	keep func(pairs []string)

	mu      sync.Mutex
	book    *flow.Book
	follows map[string]func(remembered string) // called with what a client has read, by the client's session
	gone    departed
}

// NewFlowDecider returns a FlowDecider whose clients have read nothing. keep is called, by any goroutine, with the
// pairs that a person allows for good, as --allow-flow takes them. If keep is nil, these pairs are forgotten when the
// hub ends.
func NewFlowDecider(o flow.Options, keep func(pairs []string)) *FlowDecider {
	return &FlowDecider{keep: keep, book: flow.New(o), follows: map[string]func(string){}}
}

// apart names the browser tools that tell no page anything: those that choose, connect or close tabs, and the one
// that reads a trace.
var apart = []string{"select_page", "focus_tab", "close_page", "close_tab", "connect_browser", "connect_webmcp",
	"disconnect_webmcp", "performance_stop_trace"}

// Decide says whether an action would carry to one site what its client has read from another. approve allows exactly
// these flows for good; it is nil if a person can't be asked for that.
func (f *FlowDecider) Decide(d calls.Action) (v Verdict, why string, approve func()) {
	is := f.decide(d)
	v = map[flow.Mode]Verdict{flow.Off: Allow, flow.Log: Log, flow.Ask: Ask, flow.Enforce: Refuse}[is.Mode]
	if v == Allow {
		return Allow, "", nil
	}
	if v == Ask && is.Exact() {
		approve = func() { f.approved(is) }
	}
	return v, fmt.Sprintf("%s, and no flow is allowed from there (--allow-flow %s)", is.Text(), quoted(is.Pairs()[0])),
		approve
}

func (f *FlowDecider) decide(d calls.Action) flow.Decision {
	if d.Kind == calls.BrowserTool && slices.Contains(apart, d.Name) {
		return flow.Decision{Mode: flow.Off}
	}
	target := d.Origin
	if d.Anywhere {
		target = ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.book.Decide(flow.Action{
		Session: d.Session, Origin: target, To: d.To,
		ReadOnly: d.Class == calls.ReadOnly,
		Told:     d.Kind != calls.BrowserTool,
		Args:     chosen(d),
		Brings:   d.Kind == calls.BrowserTool && d.To != "" && (d.Emulated || brings(d.Args)),
	})
}

// harmless names the arguments of browser tools that tell nothing to the page that an address leads to. The decision
// about the address itself is made separately.
var harmless = []string{"url", "type", "timeout", "pageId", "background", "focus", "ignoreCache", "handleBeforeUnload",
	"isolatedContext"}

// brings reports whether a navigation carries anything besides its address, such as a script.
func brings(args json.RawMessage) bool {
	var members map[string]json.RawMessage
	if len(args) > 0 && json.Unmarshal(args, &members) != nil {
		return true
	}
	return !only(members, harmless...)
}

// chosen reports whether the page receives anything that the client chose.
func chosen(d calls.Action) bool {
	args := d.Args
	if d.Besides != nil {
		return true
	}
	switch d.Kind {
	case calls.Resource:
		return !d.Listed
	case calls.Prompt: // prompts/get; a completion has other members
		var params map[string]json.RawMessage
		if json.Unmarshal(args, &params) == nil && only(params, "name", "arguments") {
			args = params["arguments"]
		}
	}
	var members map[string]json.RawMessage
	return len(args) > 0 && (json.Unmarshal(args, &members) != nil || len(members) > 0)
}

// only reports whether an object has no members except these.
func only(members map[string]json.RawMessage, names ...string) bool {
	for name := range members {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// Sent notes what a client is sent. When it returns, the function given to Follow has been called with everything
// noted so far, also by other goroutines.
func (f *FlowDecider) Sent(d calls.Action) {
	if d.Document.Page == "" && d.Origin == "" { // not the words of any page
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone.has(d.Session) { // the call ended after its session
		return
	}
	if follow := f.follows[d.Session]; f.book.Read(d.Session, append([]string{d.Origin}, d.Frames...)...) &&
		follow != nil {
		follow(f.book.Carried(d.Session))
	}
}

// Resume restores what a client had read at the previous hub.
func (f *FlowDecider) Resume(session, remembered string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.Carry(session, remembered)
}

// Follow calls changed with what a client has read, for the next hub that the client uses: now and whenever it has
// read more, until it is gone. changed must not block, and must not call f.
func (f *FlowDecider) Follow(session string, changed func(remembered string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.follows[session] = changed
	changed(f.book.Carried(session))
}

// approved notes that a person allowed these flows for good.
func (f *FlowDecider) approved(is flow.Decision) {
	f.mu.Lock()
	for _, from := range is.From {
		f.book.Allow(from, is.To)
	}
	f.mu.Unlock()
	if f.keep != nil {
		f.keep(is.Pairs())
	}
}

// ClientGone forgets what a client has read.
func (f *FlowDecider) ClientGone(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.Gone(session)
	delete(f.follows, session)
	f.gone.add(session)
}
