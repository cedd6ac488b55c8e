package cdptest

import (
	"cmp"
	"slices"

	"webmcphub/cdpclient"
)

// target is something to attach to: a page, an out-of-process iframe, another.
type target struct {
	b      *Browser
	id     string
	kind   string
	url    string
	title  string
	in     string // its browser context; "" is the browser's own
	opener string // the page that opened it, and its frame
	by     string
	page   *Page  // nil for other kinds; an iframe's is the tab that it is in
	root   *Frame // nil for other kinds
	gone   bool

	sessions []*session
	blocked  string // why the renderer does not answer: "crashed", "hung", "dialog"
	crashed  bool   // until the navigation that ends it is committed
	held     []heldCommand
	todo     []func() // what waits for the debugger
}

type heldCommand struct {
	s *session
	r request
}

// ownContext is the browser's own context.
const ownContext = "C0"

func (t *target) info() cdpclient.TargetInfo {
	return cdpclient.TargetInfo{TargetID: t.id, Type: t.kind, Title: t.title, URL: t.url,
		Attached: len(t.sessions) > 0, OpenerID: t.opener, OpenerFrameID: t.by,
		BrowserContextID: cmp.Or(t.in, ownContext)}
}

func (t *target) isIframe() bool { return t.kind == cdpclient.TypeIframe }

// matches applies a filter; without one, Chrome leaves out browsers and tabs.
func matches(filter []cdpclient.TargetFilterEntry, kind string) bool {
	if len(filter) == 0 {
		return kind != "browser" && kind != cdpclient.TypeTab
	}
	for _, f := range filter {
		if f.Type == "" || f.Type == kind {
			return !f.Exclude
		}
	}
	return false
}

// discovered sends a target event to the connections that discover.
func (b *Browser) discovered(t *target, method string, params any) {
	if t.isIframe() {
		return
	}
	for _, c := range b.conns {
		if c.discover && matches(c.filter, t.kind) {
			c.root.emit(method, params)
		}
	}
}

// changed tells of a new title, address or attachment. An iframe's change goes
// to the sessions that attached it.
func (t *target) changed() {
	params := cdpclient.TargetInfoChanged{TargetInfo: t.info()}
	if t.isIframe() {
		for _, s := range t.sessions {
			s.parent.emit(cdpclient.TargetTargetInfoChanged, params)
		}
		return
	}
	for _, c := range t.b.conns {
		_, attached := c.sessionOn(t)
		if c.discover && matches(c.filter, t.kind) || attached {
			c.root.emit(cdpclient.TargetTargetInfoChanged, params)
		}
	}
}

func (c *conn) sessionOn(t *target) (*session, bool) {
	for _, s := range t.sessions {
		if s.conn == c {
			return s, true
		}
	}
	return nil, false
}

// announce tells of a new target, and attaches the sessions that want it.
func (b *Browser) announce(t *target) {
	b.discovered(t, cdpclient.TargetTargetCreated, cdpclient.TargetInfoChanged{TargetInfo: t.info()})
	for _, c := range slices.Clone(b.conns) {
		if c.root.auto != nil && matches(c.root.auto.Filter, t.kind) {
			c.root.attach(t, c.root.auto.WaitForDebuggerOnStart)
		}
	}
}

// attach gives parent's connection a session on t, unless it has one.
func (s *session) attach(t *target, wait bool) {
	if old, ok := s.conn.sessionOn(t); ok && old.parent == s {
		return
	}
	s.join(t, wait)
}

// join makes one more session.
func (s *session) join(t *target, wait bool) *session {
	c := s.conn
	kid := &session{id: cdpclient.SessionID(t.b.newID()), conn: c, parent: s, target: t, waiting: wait}
	c.sessions[kid.id] = kid
	t.sessions = append(t.sessions, kid)
	if !t.isIframe() && len(t.sessions) == 1 {
		t.b.discovered(t, cdpclient.TargetTargetInfoChanged, cdpclient.TargetInfoChanged{TargetInfo: t.info()})
	}
	s.emit(cdpclient.TargetAttachedToTarget, cdpclient.AttachedToTarget{SessionID: kid.id, TargetInfo: t.info(),
		WaitingForDebugger: wait})
	return kid
}

// detach ends a session, and those attached through it.
func (s *session) detach() {
	t := s.target
	for _, kid := range t.kidTargets() {
		for _, ks := range slices.Clone(kid.sessions) {
			if ks.parent == s {
				ks.detach()
			}
		}
	}
	t.sessions = slices.DeleteFunc(t.sessions, func(x *session) bool { return x == s })
	if !t.isIframe() && len(t.sessions) == 0 {
		t.b.discovered(t, cdpclient.TargetTargetInfoChanged, cdpclient.TargetInfoChanged{TargetInfo: t.info()})
	}
	delete(s.conn.sessions, s.id)
	s.parent.emit(cdpclient.TargetDetachedFromTarget, cdpclient.DetachedFromTarget{SessionID: s.id, TargetID: t.id})
	if s.waiting {
		s.waiting = false
		t.released()
	}
}

// endNested ends the sessions that were attached through the target's, without a word.
func (t *target) endNested() {
	for _, kid := range t.kidTargets() {
		kid.endNested()
		for _, s := range kid.sessions {
			delete(s.conn.sessions, s.id)
			s.waiting = false
		}
		kid.sessions = nil
		kid.released()
	}
}

// detachAll ends all sessions of a target that goes away.
func (t *target) detachAll() {
	for _, s := range slices.Clone(t.sessions) {
		s.detach()
	}
}

// kidTargets lists the out-of-process iframes directly inside t.
func (t *target) kidTargets() []*target {
	var kids []*target
	var walk func(f *Frame)
	walk = func(f *Frame) {
		for _, k := range f.kids {
			if k.own != nil {
				kids = append(kids, k.own)
			} else {
				walk(k)
			}
		}
	}
	if t.root != nil {
		walk(t.root)
	}
	return kids
}

// waits says whether somebody holds the target back.
func (t *target) waits() bool {
	return slices.ContainsFunc(t.sessions, func(s *session) bool { return s.waiting })
}

// when runs f now, or when the debugger lets the target run.
func (t *target) when(f func()) {
	if t.waits() {
		t.todo = append(t.todo, f)
		return
	}
	f()
}

func (t *target) released() {
	for len(t.todo) > 0 && !t.waits() {
		f := t.todo[0]
		t.todo = t.todo[1:]
		f()
	}
}

// block makes the renderer stop answering.
func (t *target) block(why string) { t.blocked = why }

// busy says that there is a renderer, which does not answer.
func (t *target) busy() bool { return t.blocked == "hung" || t.blocked == "dialog" }

// unblock carries out what was held.
func (t *target) unblock() {
	t.blocked = ""
	held := t.held
	t.held = nil
	for _, h := range held {
		if h.s.conn.sessions[h.s.id] == h.s {
			h.s.dispatch(h.r)
		}
	}
}

// Emitters by domain: to all sessions of t that enabled it.

func (t *target) emitPage(method string, params any) {
	for _, s := range t.sessions {
		if s.page {
			s.emit(method, params)
		}
	}
}

func (t *target) emitRuntime(method string, params any) {
	for _, s := range t.sessions {
		if s.runtime {
			s.emit(method, params)
		}
	}
}

func (t *target) emitWebMCP(method string, params any) {
	for _, s := range t.sessions {
		if s.webmcp {
			s.emit(method, params)
		}
	}
}

func (t *target) emitAll(method string, params any) {
	for _, s := range t.sessions {
		s.emit(method, params)
	}
}
