// Package tabwire carries CDP to one tab whose debugger is somebody else, such as a
// browser's extension with chrome.debugger.
//
// A [Wire] is the [cdpclient.Wire] of such a tab: a cdpclient.Conn on it has the sessions that it
// would have over a debugging port. The peer knows the tab's own session and those of its
// frames. It has no Browser domain and no session with the browser, so the Wire itself answers
// what callers ask of the browser in order to reach the tab (Target.attachToBrowserTarget,
// Target.attachToTarget, Target.detachFromTarget, Target.getTargetInfo and
// Target.setDiscoverTargets); everything else for the browser is refused.
//
// When the last session with the tab is detached the Wire ends by itself, so that the tab is
// debugged only while somebody uses it.
//
// # Concurrency
//
// Any goroutine may call any method of a Wire; none but Read waits. There are no goroutines here.
package tabwire

import (
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"webmcphub/cdpclient"
)

// Conn and Error are cdpclient's, for who debugs tabs and has nothing else to do with CDP.
type (
	Conn  = cdpclient.Conn
	Error = cdpclient.Error
)

// Peer is who debugs the tab. Its methods must not wait.
type Peer interface {
	// Command has a command carried out, session being "" for the tab's own. Its answer
	// comes by [Wire.Reply].
	Command(id uint64, session, method string, params json.RawMessage)
	// Detach ends debugging: nobody uses the tab any more.
	Detach()
}

// Refused is the error for what can't be asked of the browser here.
const Refused = "the tab is reached by its browser's extension, which Chrome gives no access to the browser as a whole: " +
	"no isolated contexts, permissions, downloads or windows; a debugging port has them (--browser-url, --auto-connect or --launch)"

// ErrUnused is why a [Wire] ended that nobody used any more.
var ErrUnused = errors.New("nobody uses the tab any more")

// Wire is a way to one tab.
type Wire struct {
	peer Peer

	mu       sync.Mutex
	news     sync.Cond
	tab      cdpclient.TargetInfo
	queue    []message
	ended    error
	last     int               // number of the newest session
	sessions map[string]string // of ours: with the tab, by id; its value is the browser session it belongs to
	browsers map[string]bool
	asked    map[uint64]string // the session of each command that the peer has yet to answer
}

// message is one that Read gives; taken, if not nil, is called then.
type message struct {
	text  []byte
	taken func()
}

// New makes a way to a tab that the peer debugs.
func New(target string, peer Peer) *Wire {
	w := &Wire{
		peer: peer, tab: cdpclient.TargetInfo{TargetID: target, Type: cdpclient.TypePage, Attached: true},
		sessions: map[string]string{}, browsers: map[string]bool{}, asked: map[uint64]string{},
	}
	w.news.L = &w.mu
	return w
}

// Dial makes the connection on the wire, which it then owns. It is called once.
func (w *Wire) Dial() *Conn { return cdpclient.NewConn(w, func(cdpclient.Message) {}) }

// Shows says what the tab shows now.
func (w *Wire) Shows(url, title string) {
	w.mu.Lock()
	w.tab.URL, w.tab.Title = url, title
	w.mu.Unlock()
}

// Read gives the next message, or says why the wire ended.
func (w *Wire) Read() ([]byte, error) {
	w.mu.Lock()
	for len(w.queue) == 0 && w.ended == nil {
		w.news.Wait()
	}
	if len(w.queue) == 0 {
		defer w.mu.Unlock()
		return nil, w.ended
	}
	m := w.queue[0]
	w.queue[0] = message{}
	w.queue = w.queue[1:]
	w.mu.Unlock()
	if m.taken != nil {
		m.taken()
	}
	return m.text, nil
}

// Close ends the wire and detaches the peer.
func (w *Wire) Close() error {
	w.finish(errors.New("closed by the hub"))
	return nil
}

// End ends the wire, whose peer has detached already or is gone.
func (w *Wire) End(why error) {
	w.mu.Lock()
	w.endLocked(why)
	w.mu.Unlock()
}

func (w *Wire) endLocked(why error) (first bool) {
	if w.ended != nil {
		return false
	}
	w.ended = why
	w.news.Broadcast()
	return true
}

func (w *Wire) finish(why error) {
	w.mu.Lock()
	first := w.endLocked(why)
	w.mu.Unlock()
	if first {
		w.peer.Detach()
	}
}

// command is what Write takes.
type command struct {
	ID        uint64          `json:"id"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params,omitempty"`
}

// said is what Read gives.
type said struct {
	ID        uint64           `json:"id,omitempty"`
	SessionID string           `json:"sessionId,omitempty"`
	Method    string           `json:"method,omitempty"`
	Params    any              `json:"params,omitempty"`
	Result    any              `json:"result,omitempty"`
	Error     *cdpclient.Error `json:"error,omitempty"`
}

// Write takes a command: it passes it on to the peer, or answers it.
func (w *Wire) Write(text []byte) error {
	var c command
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	w.mu.Lock()
	if w.ended != nil {
		defer w.mu.Unlock()
		return w.ended
	}
	if c.SessionID == "" || w.browsers[c.SessionID] {
		unused := w.answerLocked(c)
		w.mu.Unlock()
		if unused {
			w.finish(ErrUnused)
		}
		return nil
	}
	session := c.SessionID
	if _, own := w.sessions[session]; own {
		session = ""
	}
	w.asked[c.ID] = c.SessionID
	w.mu.Unlock()
	w.peer.Command(c.ID, session, c.Method, c.Params)
	return nil
}

// answerLocked answers what is asked of the browser. It reports whether nobody uses the tab
// any more.
func (w *Wire) answerLocked(c command) (unused bool) {
	var p struct{ TargetID, SessionID string }
	_ = json.Unmarshal(c.Params, &p) // then it names nothing
	refuse := func(code int, why string) {
		w.pushLocked(said{ID: c.ID, SessionID: c.SessionID, Error: &cdpclient.Error{Code: code, Message: why}}, nil)
	}
	answer := func(result any) { w.pushLocked(said{ID: c.ID, SessionID: c.SessionID, Result: result}, nil) }
	known := p.TargetID == w.tab.TargetID
	switch c.Method {
	case cdpclient.TargetAttachToBrowser:
		id := w.newSession("browser")
		w.browsers[id] = true
		answer(cdpclient.SessionParams{SessionID: cdpclient.SessionID(id)})
	case cdpclient.TargetAttachToTarget:
		if !known {
			refuse(cdpclient.CodeServerError, Refused)
			return false
		}
		id := w.newSession("tab")
		w.sessions[id] = c.SessionID
		answer(cdpclient.SessionParams{SessionID: cdpclient.SessionID(id)})
	case cdpclient.TargetDetachFromTarget:
		before := len(w.sessions)
		delete(w.sessions, p.SessionID)
		if w.browsers[p.SessionID] {
			delete(w.browsers, p.SessionID)
			for id, of := range w.sessions {
				if of == p.SessionID {
					delete(w.sessions, id)
				}
			}
		}
		answer(struct{}{})
		return before > 0 && len(w.sessions) == 0
	case "Target.getTargetInfo":
		if !known {
			refuse(cdpclient.CodeInvalidParams, "No target with given id found")
			return false
		}
		answer(map[string]any{"targetInfo": w.tab})
	case cdpclient.TargetSetDiscoverTargets:
		w.pushLocked(said{SessionID: c.SessionID, Method: cdpclient.TargetTargetCreated, Params: cdpclient.TargetInfoChanged{TargetInfo: w.tab}}, nil)
		answer(struct{}{})
	default:
		refuse(cdpclient.CodeServerError, Refused)
	}
	return false
}

func (w *Wire) newSession(kind string) string {
	w.last++
	return kind + "-" + strconv.Itoa(w.last) // Chrome's own are 32 hexadecimal digits
}

// Reply is the peer's answer to a command. taken is called when the message has been read, or
// is dropped.
func (w *Wire) Reply(id uint64, result json.RawMessage, refused *Error, taken func()) {
	w.mu.Lock()
	session, owed := w.asked[id]
	delete(w.asked, id)
	if !owed || w.ended != nil {
		w.mu.Unlock()
		taken()
		return
	}
	m := said{ID: id, SessionID: session, Error: refused}
	if refused == nil {
		m.Result = result
		if len(result) == 0 {
			m.Result = struct{}{}
		}
	}
	w.pushLocked(m, taken)
	w.mu.Unlock()
}

// Event is something that the tab or one of its frames reports. One of the tab's own session goes to
// all sessions with the tab.
func (w *Wire) Event(session, method string, params json.RawMessage, taken func()) {
	w.mu.Lock()
	to := []string{session}
	if session == "" {
		to = to[:0]
		for id := range w.sessions {
			to = append(to, id)
		}
	}
	if w.ended != nil || len(to) == 0 {
		w.mu.Unlock()
		taken()
		return
	}
	for i, id := range to {
		m := said{SessionID: id, Method: method}
		if len(params) > 0 {
			m.Params = params
		}
		if i > 0 {
			taken = nil
		}
		w.pushLocked(m, taken)
	}
	w.mu.Unlock()
}

func (w *Wire) pushLocked(m said, taken func()) {
	text, err := json.Marshal(m)
	if err != nil { // what the peer passed on was read as JSON
		text, _ = json.Marshal(said{ID: m.ID, SessionID: m.SessionID, Error: &cdpclient.Error{Code: cdpclient.CodeServerError, Message: err.Error()}})
	}
	w.queue = append(w.queue, message{text, taken})
	w.news.Signal()
}
