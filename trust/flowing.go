package trust

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"webmcphub/mcpserver/calls"
	"webmcphub/trust/flow"
)

// Flowing is the [Flow] that decides by what clients have read, see [flow.Book]. Any
// goroutine may call it.
type Flowing struct {
	keep func(pairs []string)

	mu      sync.Mutex
	book    *flow.Book
	follows map[string]func(remembered string) // told what a client has read, by its session
	gone    departed
}

// NewFlow makes one whose clients have read nothing. keep is told of the pairs that a
// person allows for good, as --allow-flow takes them; nil forgets them at the end. It is
// called by any goroutine.
func NewFlow(o flow.Options, keep func(pairs []string)) *Flowing {
	return &Flowing{keep: keep, book: flow.New(o), follows: map[string]func(string){}}
}

// apart are the browser tools by which no page is told anything: those that choose, connect
// or close tabs, and one that reads a trace.
var apart = []string{"select_page", "focus_tab", "close_page", "close_tab", "connect_browser", "connect_webmcp",
	"disconnect_webmcp", "performance_stop_trace"}

// Decide says whether an action would carry to one site what its client has read from
// another. approve, which is nil where a person can't be asked to allow these flows for
// good, allows exactly them.
func (f *Flowing) Decide(d calls.Action) (v Verdict, why string, approve func()) {
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

func (f *Flowing) decide(d calls.Action) flow.Decision {
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

// harmless are the arguments of browser tools by which the page that an address leads to
// is told nothing; the address itself is judged apart.
var harmless = []string{"url", "type", "timeout", "pageId", "background", "focus", "ignoreCache", "handleBeforeUnload",
	"isolatedContext"}

// brings says whether a navigation brings something besides its address, such as a script.
func brings(args json.RawMessage) bool {
	var members map[string]json.RawMessage
	if len(args) > 0 && json.Unmarshal(args, &members) != nil {
		return true
	}
	return !only(members, harmless...)
}

// chosen says whether the client chose anything that the page is told.
func chosen(d calls.Action) bool {
	args := d.Args
	if d.Besides != nil {
		return true
	}
	switch d.Kind {
	case calls.Resource:
		return !d.Listed
	case calls.Prompt: // prompts/get: a completion has more
		var params map[string]json.RawMessage
		if json.Unmarshal(args, &params) == nil && only(params, "name", "arguments") {
			args = params["arguments"]
		}
	}
	var members map[string]json.RawMessage
	return len(args) > 0 && (json.Unmarshal(args, &members) != nil || len(members) > 0)
}

// only says whether an object has no other members.
func only(members map[string]json.RawMessage, names ...string) bool {
	for name := range members {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// Sent notes what a client is sent. Whoever follows the client knows when it returns, also
// of what is being noted by another goroutine.
func (f *Flowing) Sent(d calls.Action) {
	if d.Document.Page == "" && d.Origin == "" { // no page's words
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone.has(d.Session) { // a call that ends after its session
		return
	}
	if follow := f.follows[d.Session]; f.book.Read(d.Session, append([]string{d.Origin}, d.Frames...)...) &&
		follow != nil {
		follow(f.book.Carried(d.Session))
	}
}

// Resume takes in what a client had read at the hub before.
func (f *Flowing) Resume(session, remembered string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.Carry(session, remembered)
}

// Follow has changed called with what a client has read, for the next hub that it comes to,
// now and whenever it has read more, until it is gone. It must not block, nor call f.
func (f *Flowing) Follow(session string, changed func(remembered string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.follows[session] = changed
	changed(f.book.Carried(session))
}

// approved notes that a person allowed these flows for good.
func (f *Flowing) approved(is flow.Decision) {
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
func (f *Flowing) ClientGone(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.Gone(session)
	delete(f.follows, session)
	f.gone.add(session)
}
