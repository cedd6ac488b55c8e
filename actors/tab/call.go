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

// CallExtras has what a call may have besides its arguments.
type CallExtras struct {
	// Progress, if not nil, is called with the params of the page's progress notifications until the call returns. It
	// may be called from any goroutine.
	Progress func(params json.RawMessage)
	// Meta and Extensions are for pages of MCP-B proxies. Each is an object or nil. Meta is MCP's _meta, without a
	// progressToken (the hub adds its own). Extensions are MCP-B's.
	Meta, Extensions json.RawMessage
	// Exactly is the definition of the tool that the client may call. If the page has changed the tool since the hub
	// decided that, it isn't called. If Exactly is nil, the call goes to whichever tool has that name.
	Exactly *registry.PageTool
}

// Call is one call in flight. The tab's actor owns everything in it for which no other owner is named.
type Call struct {
	Route offer.Route
	Args  json.RawMessage
	CallExtras
	State CallState

	answer   chan registry.Result // has room for one result
	answered bool
	hurdle   atomic.Pointer[string] // why the call may take long; nil if nothing is known; the caller reads it
}

// CallState is how far a call has come. The link owns it.
type CallState struct {
	Invocation string // the browser's id of the call; "" until it is known
	Cancelled  bool   // the caller gave up before Invocation was known
	Stop       func() // ends the request, if the call goes to a page's server
	// Outlives says that the tool's result may still come although its document ends. A navigation of the page began
	// while the tool ran, so the tool may have caused it.
	Outlives bool
	// DocumentGone says that the tool's document is gone and that the link still waits for the result.
	DocumentGone bool
	// Sent says that a form is being sent in the tool's own frame, perhaps by the tool.
	Sent bool
	// StopUnconfirmed says that the hub has told the page to stop the tool, and the page hasn't confirmed that yet.
	StopUnconfirmed bool
	// Executed says that the call was made through the page's own API.
	Executed bool
}

// NewCall returns a call for a caller. The caller sends it by [StartCall] and waits for [Call.Answer].
func NewCall(r offer.Route, args json.RawMessage, extras CallExtras) *Call {
	return &Call{Route: r, Args: args, CallExtras: extras, answer: make(chan registry.Result, 1)}
}

// Answer returns a channel that delivers the call's one result. If the tab ends before, the channel delivers nothing,
// and [Address.Ended] has the result.
func (c *Call) Answer() <-chan registry.Result { return c.answer }

// Hurdle returns what keeps the page from answering, as far as is known, or else "".
func (c *Call) Hurdle() string {
	if h := c.hurdle.Load(); h != nil {
		return *h
	}
	return ""
}

// reply answers the call. Only the first answer counts, because the browser can answer a tool that navigates twice.
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

// Reasons why a route leads nowhere any more. [Tab.NavigatedSince] is another one.
const (
	FrameGone      = "its frame is gone"
	FrameNavigated = "its frame has navigated since"
	ToolGone       = "its page no longer offers it"
	ToolChanged    = "its page has changed it since it was decided that it may be called"
)

// ToolMismatch says why the call must not reach the tool that the page has now; "" if it may.
func (c *Call) ToolMismatch(now *registry.PageTool) (why string) {
	if c.Exactly == nil || now != nil && now.Same(c.Exactly) {
		return ""
	}
	return ToolChanged
}

// NavigatedSince returns the reason for a route to a document that the page has left.
func (t *Tab) NavigatedSince() string { return "its page has navigated to " + t.Doc.URL + " since" }

// away returns the reason why the hub can't ask the page anything in this phase.
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

// why makes the result of a call that the tab's end has cut short.
func (t *Tab) why(tool string) registry.Result {
	if t.end.Why == nil { // the actor failed, and its supervisor's End is still to come
		return registry.EndedByFailure(tool)
	}
	return t.end.Why(tool)
}

// Ending returns the function that makes the results of calls that the tab's end cuts short. It is nil while the tab
// goes on.
func (t *Tab) Ending() func(tool string) registry.Result { return t.end.Why }

// cancelCall is called when a caller has stopped waiting.
func (t *Tab) cancelCall(m any) {
	if c := m.(CancelCall).Call; t.Calls[c] {
		t.link.Cancel(c)
	}
}

// Finish answers a call and removes it.
func (t *Tab) Finish(c *Call, r registry.Result) {
	delete(t.Calls, c)
	if c.State.Stop != nil {
		c.State.Stop()
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

// SetHurdle sets what keeps the page from answering its calls; "" means nothing. Callers read it when their time is
// up.
func (t *Tab) SetHurdle(text string) {
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

// MaxLoadWait bounds the wait for a document that may never load.
const MaxLoadWait = 10 * time.Second

// ErrDocumentGone is the error of whatever ends because its document ends.
var ErrDocumentGone = errors.New("the page's document is gone")

// Navigated returns the result of a tool that did nothing but navigate its page.
func Navigated(url string) registry.Result {
	return sanitize.TextResult("The tool navigated the page to " + sanitize.Text(url, 300) +
		". The page's tools may have changed: list them again.")
}
