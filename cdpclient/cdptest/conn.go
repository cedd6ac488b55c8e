package cdptest

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"webmcphub/cdpclient"
)

// conn is one connection, with its sessions. All is guarded by Browser.mu.
type conn struct {
	b        *Browser
	send     func([]byte) // must not block
	hangUp   func()
	root     *session // the browser session
	sessions map[cdpclient.SessionID]*session
	discover bool
	filter   []cdpclient.TargetFilterEntry
}

// session is one flat session.
type session struct {
	id       cdpclient.SessionID
	conn     *conn
	parent   *session // through which it was attached
	target   *target  // nil for the browser
	auto     *cdpclient.SetAutoAttachParams
	page     bool // Page.enable
	runtime  bool
	webmcp   bool
	waiting  bool
	bindings []cdpclient.AddBindingParams
	scripts  []cdpclient.AddScriptParams
}

type request struct {
	ID        uint64              `json:"id"`
	Method    string              `json:"method"`
	SessionID cdpclient.SessionID `json:"sessionId"`
	Params    json.RawMessage     `json:"params"`
}

type reply struct {
	ID        uint64              `json:"id"`
	Result    any                 `json:"result,omitempty"`
	Error     *cdpclient.Error    `json:"error,omitempty"`
	SessionID cdpclient.SessionID `json:"sessionId,omitempty"`
}

type event struct {
	Method    string              `json:"method"`
	Params    any                 `json:"params"`
	SessionID cdpclient.SessionID `json:"sessionId,omitempty"`
}

type obj = map[string]any

func (c *conn) write(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("cdptest: " + err.Error()) // a test gave a value without JSON
	}
	c.send(b)
}

func (s *session) emit(method string, params any) {
	if p, ok := params.(encoder); ok {
		s.conn.send(encodeEvent(method, p, s.id))
		return
	}
	s.conn.write(event{method, params, s.id})
}

func (s *session) reply(id uint64, result any, err error) {
	if result == nil {
		result = obj{}
	}
	r := reply{ID: id, Result: result, SessionID: s.id}
	if err != nil {
		var e *cdpclient.Error
		if !errors.As(err, &e) {
			e = &cdpclient.Error{Code: cdpclient.CodeServerError, Message: err.Error()}
		}
		r.Result, r.Error = nil, e
	}
	s.conn.write(r)
}

// handle takes one command from the wire. Called without the lock.
func (c *conn) handle(msg []byte) {
	var r request
	if params, ok := ParseCommand(msg, &r); ok {
		r.Params = params
	} else if err := json.Unmarshal(msg, &r); err != nil {
		c.write(obj{"error": cdpclient.Error{Code: -32700, Message: "JSON: " + err.Error()}})
		return
	}
	c.b.mu.Lock()
	s := c.sessions[r.SessionID]
	if s == nil {
		// As Chrome does: without a sessionId.
		c.write(reply{ID: r.ID, Error: &cdpclient.Error{Code: cdpclient.CodeSessionNotFound,
			Message: "Session with given id not found."}})
		c.b.mu.Unlock()
		return
	}
	cmd := Command{r.SessionID, r.Method, r.Params}
	hook := c.b.hooks[r.Method]
	var page *Page
	if s.target == nil {
		c.b.log = remember(c.b.log, cmd)
	} else if page = s.target.page; page != nil {
		page.log = remember(page.log, cmd)
		if h := page.hooks[r.Method]; h != nil {
			hook = h
		}
	}
	late := page != nil && (page.latency > 0 || !page.tasks.idle())
	if hook == nil && !late {
		s.dispatch(r)
		c.b.mu.Unlock()
		return
	}
	latency := time.Duration(0)
	if page != nil {
		latency = page.latency
	}
	c.b.mu.Unlock()
	if !late {
		c.hooked(s, r, cmd, hook)
		return
	}
	due := time.Now().Add(latency)
	page.tasks.do(func() {
		c.b.sleepUntil(due)
		c.hooked(s, r, cmd, hook)
	})
}

// hooked asks the hook, if there is one, without the lock.
func (c *conn) hooked(s *session, r request, cmd Command, hook Hook) {
	var result any
	err := ErrPass
	if hook != nil {
		result, err = hook(cmd)
	}
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	switch {
	case errors.Is(err, ErrHang):
	case c.sessions[s.id] != s: // ended meanwhile
	case errors.Is(err, ErrPass):
		s.dispatch(r)
	default:
		s.reply(r.ID, result, err)
	}
}

// hungUp is called by the hub's end.
func (c *conn) hungUp() {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	c.drop()
}

// drop forgets a connection: its sessions go, and pages that waited for it load.
func (c *conn) drop() {
	i := slices.Index(c.b.conns, c)
	if i < 0 {
		return
	}
	c.b.conns = slices.Delete(c.b.conns, i, i+1)
	c.send = func([]byte) {}
	for _, s := range c.sessions {
		if s.target == nil {
			continue
		}
		t := s.target
		t.sessions = slices.DeleteFunc(t.sessions, func(x *session) bool { return x == s })
		if s.waiting {
			s.waiting = false
			t.released()
		}
	}
	clear(c.sessions)
}
