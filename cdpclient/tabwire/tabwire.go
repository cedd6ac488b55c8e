// Package tabwire carries CDP to one tab that somebody else debugs, such as a browser's extension with
// chrome.debugger.
//
// A [Wire] is the [cdpclient.Wire] of such a tab: a cdpclient.Conn on it has the sessions that it would have over a
// debugging port. The peer knows the tab's own session and those of its frames. It has no Browser domain and no
// session with the browser. So the Wire itself answers the commands to the browser that callers need to reach the tab
// (Target.attachToBrowserTarget, Target.attachToTarget, Target.detachFromTarget, Target.getTargetInfo and
// Target.setDiscoverTargets), and refuses all others.
//
// The Wire ends by itself when nobody uses the tab, so that the tab is debugged only while it is in use. A caller that
// receives the connection has a reservation ([Wire.Reserve]) until it attaches to the tab, or for [ReservedFor] if it
// never does. The Wire ends when the last session is detached and nothing is reserved.
//
// # Concurrency
//
// All methods of a Wire may be called from any goroutine; only Read waits. The only goroutine here is that of the
// timer for reservations.
package tabwire

import (
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"webmcphub/cdpclient"
)

// Error is [cdpclient.Error], for packages that debug tabs and need nothing else of CDP.
type Error = cdpclient.Error

// Peer debugs the tab. Its methods must not wait, nor call the Wire.
type Peer interface {
	// Command carries a command out; session is "" for the tab's own. The answer comes by [Wire.Reply].
	Command(id uint64, session, method string, params json.RawMessage)
	// Detach stops debugging the tab, because nobody uses the tab any more.
	Detach()
}

// Refused is the error text for commands to the browser that are not possible here.
const Refused = "the tab is reached by its browser's extension, which Chrome gives no access to the browser as a whole: " +
	"no isolated contexts, permissions, downloads or windows; a debugging port has them (--browser-url, " +
	"--auto-connect or --launch)"

// ErrUnused is the reason of a [Wire] that ended because nobody used it any more.
var ErrUnused = errors.New("nobody uses the tab any more")

// ReservedFor is how long a [Wire] waits until a caller that has received the connection attaches to the tab.
const ReservedFor = 5 * time.Second

// Wire is a wire to one tab.
type Wire struct {
	peer Peer

	mu         sync.Mutex
	news       sync.Cond
	tab        cdpclient.TargetInfo
	queue      []message
	ended      error
	last       int               // number of the newest session
	sessions   map[string]string // this Wire's sessions with the tab; the value is the browser session of each
	browsers   map[string]bool
	unanswered map[uint64]string // the session of each command that the peer has not answered yet
	reserved   int               // how many callers have received the connection and have not attached yet
	until      time.Time         // when the reservations lapse
	lapse      *time.Timer       // fires at until; nil before the first reservation
}

// message is one message for Read. Read calls taken, unless that is nil.
type message struct {
	text  []byte
	taken func()
}

// New returns a wire to a tab that the peer debugs.
func New(target string, peer Peer) *Wire {
	w := &Wire{
		peer: peer, tab: cdpclient.TargetInfo{TargetID: target, Type: cdpclient.TypePage, Attached: true},
		sessions: map[string]string{}, browsers: map[string]bool{}, unanswered: map[uint64]string{},
	}
	w.news.L = &w.mu
	return w
}

// Dial returns a connection over the wire, which then owns the wire. Call it once.
func (w *Wire) Dial() *cdpclient.Conn { return cdpclient.NewConn(w, func(cdpclient.Message) {}) }

// Reserve keeps the wire from ending until one more user has attached to the tab. It returns false if the wire has
// ended already. Then its peer detaches, or has done so.
func (w *Wire) Reserve() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return false
	}
	w.reserved++
	w.until = time.Now().Add(ReservedFor)
	if w.lapse == nil {
		w.lapse = time.AfterFunc(ReservedFor, w.lapsed)
	} else {
		w.lapse.Reset(ReservedFor)
	}
	return true
}

// lapsed drops the reservations of callers that never attached.
func (w *Wire) lapsed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if left := time.Until(w.until); left > 0 { // a reservation was made while the timer fired
		w.lapse.Reset(left)
		return
	}
	w.reserved = 0
	w.endUnusedLocked()
}

func (w *Wire) endUnusedLocked() {
	if len(w.sessions) == 0 && w.reserved == 0 {
		w.finishLocked(ErrUnused)
	}
}

// Shows sets what the tab shows now.
func (w *Wire) Shows(url, title string) {
	w.mu.Lock()
	w.tab.URL, w.tab.Title = url, title
	w.mu.Unlock()
}

// Read returns the next message, or the reason why the wire ended.
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
	w.mu.Lock()
	w.finishLocked(errors.New("closed by the hub"))
	w.mu.Unlock()
	return nil
}

// End ends a wire whose peer has detached already or is gone.
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
	if w.lapse != nil {
		w.lapse.Stop()
	}
	w.news.Broadcast()
	return true
}

// finishLocked ends the wire and detaches the peer. It calls Detach before other goroutines can see that the wire has
// ended, so a new attachment always follows the detachment.
func (w *Wire) finishLocked(why error) {
	if w.endLocked(why) {
		w.peer.Detach()
	}
}

// command is a message to Write.
type command struct {
	ID        uint64          `json:"id"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params,omitempty"`
}

// outgoing is a message from Read.
type outgoing struct {
	ID        uint64           `json:"id,omitempty"`
	SessionID string           `json:"sessionId,omitempty"`
	Method    string           `json:"method,omitempty"`
	Params    any              `json:"params,omitempty"`
	Result    any              `json:"result,omitempty"`
	Error     *cdpclient.Error `json:"error,omitempty"`
}

// Write passes a command on to the peer, or answers it.
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
		w.answerLocked(c)
		w.mu.Unlock()
		return nil
	}
	session := c.SessionID
	if _, own := w.sessions[session]; own {
		session = ""
	}
	w.unanswered[c.ID] = c.SessionID
	w.mu.Unlock()
	w.peer.Command(c.ID, session, c.Method, c.Params)
	return nil
}

// answerLocked answers a command to the browser.
func (w *Wire) answerLocked(c command) {
	var p struct{ TargetID, SessionID string }
	_ = json.Unmarshal(c.Params, &p) // invalid params name no target and no session
	refuse := func(code int, why string) {
		w.pushLocked(outgoing{ID: c.ID, SessionID: c.SessionID,
			Error: &cdpclient.Error{Code: code, Message: why}}, nil)
	}
	answer := func(result any) { w.pushLocked(outgoing{ID: c.ID, SessionID: c.SessionID, Result: result}, nil) }
	known := p.TargetID == w.tab.TargetID
	switch c.Method {
	case cdpclient.TargetAttachToBrowser:
		id := w.newSession("browser")
		w.browsers[id] = true
		answer(cdpclient.SessionParams{SessionID: cdpclient.SessionID(id)})
	case cdpclient.TargetAttachToTarget:
		if !known {
			refuse(cdpclient.CodeServerError, Refused)
			return
		}
		if c.SessionID == "" || !w.attachedBy(c.SessionID) {
			w.reserved = max(w.reserved-1, 0)
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
		if before > 0 {
			w.endUnusedLocked()
		}
	case "Target.getTargetInfo":
		if !known {
			refuse(cdpclient.CodeInvalidParams, "No target with given id found")
			return
		}
		answer(map[string]any{"targetInfo": w.tab})
	case cdpclient.TargetSetDiscoverTargets:
		w.pushLocked(outgoing{SessionID: c.SessionID, Method: cdpclient.TargetTargetCreated,
			Params: cdpclient.TargetInfoChanged{TargetInfo: w.tab}}, nil)
		answer(struct{}{})
	default:
		refuse(cdpclient.CodeServerError, Refused)
	}
}

// attachedBy reports whether the user of a session with the browser already has a session with the tab.
func (w *Wire) attachedBy(browser string) bool {
	for _, of := range w.sessions {
		if of == browser {
			return true
		}
	}
	return false
}

func (w *Wire) newSession(kind string) string {
	w.last++
	return kind + "-" + strconv.Itoa(w.last) // Chrome's own are 32 hexadecimal digits
}

// Reply takes the peer's answer to a command. taken is called when the message has been read or dropped.
func (w *Wire) Reply(id uint64, result json.RawMessage, refused *Error, taken func()) {
	w.mu.Lock()
	session, ok := w.unanswered[id]
	delete(w.unanswered, id)
	if !ok || w.ended != nil {
		w.mu.Unlock()
		taken()
		return
	}
	m := outgoing{ID: id, SessionID: session, Error: refused}
	if refused == nil {
		m.Result = result
		if len(result) == 0 {
			m.Result = struct{}{}
		}
	}
	w.pushLocked(m, taken)
	w.mu.Unlock()
}

// Event takes an event of the tab or one of its frames. An event of the tab's own session goes to all sessions with
// the tab.
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
		m := outgoing{SessionID: id, Method: method}
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

func (w *Wire) pushLocked(m outgoing, taken func()) {
	text, err := json.Marshal(m)
	if err != nil { // can't happen, because the peer's parts were decoded from JSON
		text, _ = json.Marshal(outgoing{ID: m.ID, SessionID: m.SessionID,
			Error: &cdpclient.Error{Code: cdpclient.CodeServerError, Message: err.Error()}})
	}
	w.queue = append(w.queue, message{text, taken})
	w.news.Signal()
}
