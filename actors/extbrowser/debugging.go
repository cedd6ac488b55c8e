package extbrowser

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient/tabwire"
	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// attachOverdue says that an extension has not attached in time.
type attachOverdue struct {
	of  *connection
	tab extlink.TabID
	is  *debugger
}

// debugger is the debugger that an extension has attached, or is about to attach, to a tab.
type debugger struct {
	attempt uint64             // the number of the DebuggerAttach
	waiting []supervisor.Debug // requests that wait until the debugger is attached
	limit   *time.Timer
	wire    *tabwire.Wire // nil until the debugger is attached
	given   supervisor.Debugged
}

var errNoAutomation = errors.New("the tab is reached by its browser's extension, which was installed without " +
	"automation. To allow it, the user runs webmcp-hub extension install --automation and presses the reload " +
	"button in chrome://extensions; or have the hub connect to Chrome's debugging port (--browser-url, --auto-connect or --launch)")

// errDisconnected is the error for a disconnected tab. If clients connect pages themselves, a client may have
// disconnected it; otherwise the user did.
var errDisconnected = errors.New("the tab can't be automated while the hub is disconnected from it. " +
	"The user can connect it again on the hub's live page; connect_webmcp does, if you have that tool")

// debug gives a caller a connection to a tab. If necessary, it makes the extension attach first.
func (a *Actor) debug(m supervisor.Debug) {
	l := a.browserOf(m.Page)
	switch {
	case l == nil || a.Stopping():
		m.Give(supervisor.Debugged{}, tab.ErrClosed)
		return
	case !l.about.Automation:
		m.Give(supervisor.Debugged{}, errNoAutomation)
		return
	case l.tabs.Get(m.Page).Shown.off:
		m.Give(supervisor.Debugged{}, errDisconnected)
		return
	case m.IfAllowed:
		m.Give(supervisor.Debugged{}, nil)
		return
	}
	t := l.tabs.Get(m.Page).Shown
	d := l.debuggers[t.ID]
	if d != nil && d.wire != nil {
		if d.wire.Reserve() {
			m.Give(d.given, nil)
			return
		}
		d = nil // the last user of the wire has left
	}
	if d == nil {
		l.attempts++
		d = &debugger{attempt: l.attempts}
		l.debuggers[t.ID] = d
		d.limit = time.AfterFunc(orderLimit, func() { a.ToSelf(attachOverdue{l, t.ID, d}) })
		l.conn.Send(extlink.DebuggerAttach{TabID: t.ID, Attempt: d.attempt})
	}
	d.waiting = append(d.waiting, m)
}

// debuggerReplied handles an answer of the extension's debugger. It returns true if the answer's cost is reported as
// handled later.
func (a *Actor) debuggerReplied(l *connection, m extlink.DebuggerReply, cost int) bool {
	d := l.debuggers[m.TabID]
	switch {
	case d == nil:
		return false
	case m.ID == 0:
		a.attached(l, d, m)
		return false
	case d.wire == nil:
		return false
	}
	var refused *tabwire.Error
	if m.Error != nil {
		refused = &tabwire.Error{Code: m.Error.Code, Message: m.Error.Message, Data: m.Error.Data}
	}
	d.wire.Reply(m.ID, m.Result, refused, func() { l.conn.Handled(cost) })
	return true
}

// attached handles the extension's answer to [extlink.DebuggerAttach].
func (a *Actor) attached(l *connection, d *debugger, m extlink.DebuggerReply) {
	var is struct{ TargetID string }
	_ = json.Unmarshal(m.Result, &is) // if it can't be decoded, there is no target id
	t := l.tab(m.TabID)
	switch {
	case m.Attempt != 0 && m.Attempt != d.attempt: // the answer to an earlier attempt, which the hub has given up
	case d.wire != nil: // the debugger was attached before
	case m.Error != nil:
		l.debugEnds(m.TabID, errors.New("the tab can't be automated: "+sanitize.Text(m.Error.Message, 500)))
	case is.TargetID == "" || t == nil:
		l.letGoOf(m.TabID, errors.New("the tab can't be automated: Chrome does not say which page the extension "+
			"attached to; try again"))
	default:
		d.limit.Stop()
		page, target := t.ID, is.TargetID
		d.wire = tabwire.New(target, peer{l.conn, m.TabID})
		d.wire.Shows(t.Shown.URL, t.Shown.Title)
		pageOf := func(of string) registry.PageID {
			if of == target {
				return page
			}
			return ""
		}
		d.given = supervisor.Debugged{Conn: d.wire.Dial(), Target: target, PageOf: pageOf, Origins: a.Origins}
		for _, m := range d.waiting {
			d.wire.Reserve() // a new wire can always be reserved
			m.Give(d.given, nil)
		}
		d.waiting = nil
	}
}

// letGoOf makes the extension detach from a tab, if the debugger is attached or about to be.
func (l *connection) letGoOf(id extlink.TabID, why error) {
	if l.debuggers[id] != nil {
		l.debugEnds(id, why)
		l.conn.Send(extlink.DebuggerDetach{TabID: id})
	}
}

// debugEnds removes a debugger and tells its users why.
func (l *connection) debugEnds(id extlink.TabID, why error) {
	d := l.debuggers[id]
	if d == nil {
		return
	}
	delete(l.debuggers, id)
	d.limit.Stop()
	for _, m := range d.waiting {
		m.Give(supervisor.Debugged{}, why)
	}
	if d.wire != nil {
		d.wire.End(why)
	}
}

// detached returns the error for a tab from which the extension's debugger was detached.
func detached(reason string) error {
	switch reason {
	case "canceled_by_user":
		return errors.New("the user has ended automation of this tab; only they can allow it again, in the " +
			"extension's popup")
	case "target_closed":
		return tab.ErrClosed
	}
	return fmt.Errorf("the browser's extension no longer automates the tab: %s", sanitize.Text(reason, 500))
}

// peer sends CDP commands to a tab by the extension, for [tabwire.Wire].
type peer struct {
	conn *extlink.Conn
	tab  extlink.TabID
}

func (p peer) Command(id uint64, session, method string, params json.RawMessage) {
	p.conn.Send(extlink.DebuggerCommand{TabID: p.tab, ID: id, Session: session, Method: method, Params: params})
}

func (p peer) Detach() { p.conn.Send(extlink.DebuggerDetach{TabID: p.tab}) }

// showDebugged tells the users of a tab's debugger the tab's present address and title.
func (l *connection) showDebugged(now extlink.Tab) {
	if d := l.debuggers[now.ID]; d != nil && d.wire != nil {
		d.wire.Shows(now.URL, now.Title)
	}
}
