package tab

import (
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"webmcphub/registry"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// CallExtras are what a call may bring with it besides its arguments.
type CallExtras struct {
	// Progress, if not nil, is given the params of the page's progress notifications,
	// from any goroutine, until the call returns.
	Progress func(params json.RawMessage)
	// Meta and Extensions are for pages of MCP-B proxies, each an object, or nil: MCP's
	// _meta, without a progressToken (that is the hub's own), and MCP-B's extensions.
	Meta, Extensions json.RawMessage
	// Exactly is the tool as it was decided that it may be called: one that the page has
	// changed since is not. Nil calls whichever the page has by its name.
	Exactly *registry.PageTool
}

// A Call is one call in flight. What is not said to be the caller's belongs to
// the tab.
type Call struct {
	Route offer.Route
	Args  json.RawMessage
	CallExtras
	Flight Progress

	answer   chan registry.Result // takes one result
	answered bool
	hurdle   atomic.Pointer[string] // why it may take so long, nil if nothing is known; the caller reads it
}

// Progress is how far a call has come. It belongs to the link.
type Progress struct {
	Invocation string // what the browser calls it, "" until that is known
	Cancelled  bool   // before its name was known
	Stop       func() // ends the request to a page server, if it is one
	// Outlives says that the tool's result may still come although its document
	// ends: a navigation of the page began while the tool ran, so the tool may
	// be its cause.
	Outlives bool
	// DocumentGone says that the tool's document is gone and its result awaited.
	DocumentGone bool
	// Sent says that a form is being sent in the tool's own frame, perhaps by the tool.
	Sent bool
	// Unheard says that the page has yet to answer that it was told to stop.
	Unheard bool
	// Executed says that the page's own API runs it.
	Executed bool
}

// NewCall is for a caller, who sends it by StartCall and waits for Answer.
func NewCall(r offer.Route, args json.RawMessage, extras CallExtras) *Call {
	return &Call{Route: r, Args: args, CallExtras: extras, answer: make(chan registry.Result, 1)}
}

// Answer brings the call's one result, unless the tab ends before: then
// [Address.Ended] has it.
func (c *Call) Answer() <-chan registry.Result { return c.answer }

// Hurdle is what keeps the page from answering, as far as is known; else "".
func (c *Call) Hurdle() string {
	if h := c.hurdle.Load(); h != nil {
		return *h
	}
	return ""
}

// reply answers the call. Only the first answer counts: a tool that navigates
// can be answered twice by the browser.
func (c *Call) reply(r registry.Result) {
	if !c.answered {
		c.answered = true
		c.answer <- r
	}
}

// call begins a call.
func (t *Tab) call(m any) {
	c := m.(StartCall).Call
	c.hurdle.Store(t.hurdle)
	if why := t.link.Start(c); why != "" {
		c.reply(registry.NotThere(c.Route.Tool, why))
	}
}

// declineCall answers a call that can't begin in this phase.
func (t *Tab) declineCall(m any) {
	c := m.(StartCall).Call
	if t.phase.ending() {
		c.reply(t.why(c.Route.Tool))
		return
	}
	c.reply(registry.NotThere(c.Route.Tool, t.away()))
}

// Why a route leads nowhere any more; [Tab.NavigatedSince] is another reason.
const (
	FrameGone      = "its frame is gone"
	FrameNavigated = "its frame has navigated since"
	ToolGone       = "its page no longer offers it"
	ToolChanged    = "its page has changed it since it was decided that it may be called"
)

// Meant says why the call must not reach the tool that the page has now, or is empty.
func (c *Call) Meant(now *registry.PageTool) (why string) {
	if c.Exactly == nil || now != nil && now.Same(c.Exactly) {
		return ""
	}
	return ToolChanged
}

// NavigatedSince says that the page has another document than the route's.
func (t *Tab) NavigatedSince() string { return "its page has navigated to " + t.Doc.URL + " since" }

// away says why nothing can be asked of the page in this phase.
func (t *Tab) away() string {
	switch s := t.phase.state(); s {
	case registry.NotConnected:
		return registry.PageNotConnected
	case "":
		return "its page is gone"
	default:
		return "its page " + s
	}
}

// why makes the answer of a call that the tab's end cuts short.
func (t *Tab) why(tool string) registry.Result {
	if t.end.Why == nil { // it failed; what its supervisor says of that is to come
		return registry.EndedByFailure(tool)
	}
	return t.end.Why(tool)
}

// Ending is how calls end that the tab's end cuts short, nil while it goes on.
func (t *Tab) Ending() func(tool string) registry.Result { return t.end.Why }

// cancelCall: the caller has stopped waiting.
func (t *Tab) cancelCall(m any) {
	if c := m.(CancelCall).Call; t.Calls[c] {
		t.link.Cancel(c)
	}
}

// Finish answers a call and forgets it.
func (t *Tab) Finish(c *Call, r registry.Result) {
	delete(t.Calls, c)
	if c.Flight.Stop != nil {
		c.Flight.Stop()
	}
	if r.Ending == "" {
		r.FrameURL = t.link.Address(c.Route)
	}
	c.reply(r)
	t.link.CallEnded(c)
}

// finishAll answers all calls.
func (t *Tab) finishAll(how func(tool string) registry.Result) {
	for c := range t.Calls {
		t.Finish(c, how(c.Route.Tool))
	}
}

// Running says whether a call of the tool is in flight.
func (t *Tab) Running(frame registry.FrameID, doc registry.Gen, tool string) bool {
	for c := range t.Calls {
		if c.Route.Frame == frame && c.Route.Doc == doc && c.Route.Tool == tool {
			return true
		}
	}
	return false
}

// Hurdle says what keeps the page from answering its calls, "" for nothing. Callers
// are told when their time is up.
func (t *Tab) Hurdle(text string) {
	t.hurdle = nil
	if text != "" {
		t.hurdle = &text
	}
	for c := range t.Calls {
		c.hurdle.Store(t.hurdle)
	}
}

// declineQuestion answers a question that nobody can answer in this phase.
func (t *Tab) declineQuestion(m any) {
	why := "its page is gone"
	if !t.phase.ending() {
		why = t.away()
	}
	m.(Question).Decline(why)
}

// MaxLoadWait bounds the wait for a document that never loads.
const MaxLoadWait = 10 * time.Second

// ErrDocumentGone is why what belongs to a document ends with it.
var ErrDocumentGone = errors.New("the page's document is gone")

// Navigated is the result of a tool that did nothing but navigate its page.
func Navigated(url string) registry.Result {
	return sanitize.TextResult("The tool navigated the page to " + sanitize.Text(url, 300) +
		". The page's tools may have changed: list them again.")
}
