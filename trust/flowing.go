package trust

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"webmcphub/registry/mcpserver/calls"
	"webmcphub/trust/flow"
)

// Flowing is the [Flow] that decides by what clients have read, see [flow.Book]. Any
// goroutine may call it.
type Flowing struct {
	keep func(pairs []string)

	mu   sync.Mutex
	book *flow.Book
}

// NewFlow makes one whose clients have read nothing. keep is told of the pairs that a
// person allows for good, as --allow-flow takes them; nil forgets them at the end. It is
// called by any goroutine.
func NewFlow(o flow.Options, keep func(pairs []string)) *Flowing {
	return &Flowing{keep: keep, book: flow.New(o)}
}

// apart are the browser tools that choose, connect or close tabs: their pages are told
// nothing by them.
var apart = []string{"select_page", "focus_tab", "close_page", "close_tab", "connect_webmcp", "disconnect_webmcp", "performance_stop_trace"}

// Decide says whether a deed would carry to one site what its client has read from
// another.
func (f *Flowing) Decide(d calls.Deed) (Verdict, string) {
	is := f.decide(d)
	verdict := map[flow.Mode]Verdict{flow.Off: Allow, flow.Log: Log, flow.Ask: Ask, flow.Enforce: Refuse}[is.Mode]
	if verdict == Allow {
		return Allow, ""
	}
	return verdict, fmt.Sprintf("%s, and no flow is allowed from there (--allow-flow '%s')", is.Text(), is.Pairs()[0])
}

func (f *Flowing) decide(d calls.Deed) flow.Decision {
	if d.Kind == calls.BrowserTool && slices.Contains(apart, d.Name) {
		return flow.Decision{Mode: flow.Off}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.book.Decide(flow.Deed{
		Session: d.Session, Origin: d.Origin, To: d.To,
		ReadOnly: d.Class == calls.ReadOnly,
		Told:     d.Kind != calls.BrowserTool,
		Args:     chosen(d),
	})
}

// chosen says whether the client chose anything that the page is told.
func chosen(d calls.Deed) bool {
	args := d.Args
	switch d.Kind {
	case calls.Resource:
		return !d.Listed
	case calls.Prompt:
		var params struct{ Arguments json.RawMessage }
		if json.Unmarshal(args, &params) == nil {
			args = params.Arguments
		}
	}
	var members map[string]json.RawMessage
	return len(args) > 0 && (json.Unmarshal(args, &members) != nil || len(members) > 0)
}

// Sent notes what a client is sent.
func (f *Flowing) Sent(d calls.Deed) {
	if d.Document.Page == "" && d.Origin == "" { // no page's words
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.Read(d.Session, append([]string{d.Origin}, d.Frames...)...)
}

// Approved notes that a person allowed the flows of a deed for good.
func (f *Flowing) Approved(d calls.Deed) {
	is := f.decide(d)
	f.mu.Lock()
	for _, from := range is.From {
		f.book.Allow(from, is.To)
	}
	f.mu.Unlock()
	if pairs := is.Lasting(); f.keep != nil && len(pairs) > 0 {
		f.keep(pairs)
	}
}

// ClientGone forgets what a client has read.
func (f *Flowing) ClientGone(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.Gone(session)
}
