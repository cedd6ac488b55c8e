package browser

import (
	"encoding/json"
	"strings"

	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Which pages the hub is attached to: to each as soon as it is there, unless a
// caller let go of it; or with Policy.Explicit to none until a caller asks
// for it. What callers chose for a page holds for its life, also when the
// connection to its Chrome is made again. The actor says what is wanted;
// the tab attaches and lets go.

// wants says whether the hub is to be attached to a page.
func (b *Actor) wants(page registry.PageID) bool {
	if chosen, asked := b.chosen[page]; asked {
		return chosen
	}
	return !b.Explicit
}

// forgetChoices drops those for pages that this Chrome doesn't have.
func (b *Actor) forgetChoices() {
	for page := range b.chosen {
		if b.tabs.Get(page) == nil {
			delete(b.chosen, page)
		}
	}
}

// event takes what Chrome says of its targets.
func (b *Actor) event(e cdpclient.Event) {
	var of struct { // the parameters of all these events
		cdpclient.AttachedToTarget
		TargetID string
	}
	if json.Unmarshal(e.Params, &of) != nil {
		return
	}
	info, page := target{of.TargetInfo}, b.page(of.TargetID)
	switch e.Method {
	case cdpclient.TargetAttachedToTarget:
		b.attached(of.AttachedToTarget)
	case cdpclient.TargetTargetInfoChanged:
		if t := b.tabs.Get(b.pageOf(info)); t != nil {
			b.tabs.Renew(t, info)
		}
	case cdpclient.TargetTargetCreated:
		b.discovered(info)
	case cdpclient.TargetTargetDestroyed:
		delete(b.chosen, page)
		b.tabs.Closed(page)
	case cdpclient.TargetTargetCrashed:
		b.pass(page, tab.TargetCrashed{})
	}
}

// pass passes a message on to a tab, if it is there.
func (b *Actor) pass(page registry.PageID, m any) {
	if t := b.tabs.Get(page); t != nil {
		b.tabs.Send(t, m)
	}
}

// attached passes a session on to its tab, which is taken up with it if need be.
func (b *Actor) attached(at cdpclient.AttachedToTarget) {
	info := target{at.TargetInfo}
	switch t := b.tabs.Get(b.pageOf(info)); {
	case info.isBrowser():
	case !info.isTab() || b.tabs.LeftAlone(b.pageOf(info)):
		cdp.LetGo(b.conn, at.SessionID)
	case t != nil:
		t.Shown = info
		b.tabs.Send(t, tab.Offered{Session: at})
	default:
		b.open(info, at)
	}
}

// isTab says whether a target is a tab that pages are shown in.
func (t target) isTab() bool {
	return t.Type == cdpclient.TypePage && !strings.HasPrefix(t.URL, "devtools://")
}

// isBrowser says whether a session is with the browser itself, which is that of somebody
// whom the hub gave access ([FindConn]).
func (t target) isBrowser() bool { return t.Type == cdpclient.TypeBrowser }

// attachAnswered passes on that Chrome makes no session. Those that it makes it announces.
func (b *Actor) attachAnswered(tag cdp.Attaching, err error) {
	if err != nil {
		b.Root.Send(tag.To, tab.AttachFailed{Err: err})
	}
}

// discovered learns of a tab without touching its page. Where the hub attaches
// by itself, the session is the first that it hears of a tab.
func (b *Actor) discovered(info target) {
	// A subtype is a page that is being prerendered, which nobody sees.
	if b.Explicit && info.isTab() && info.Subtype == "" && b.tabs.Get(b.pageOf(info)) == nil && b.conn != nil {
		b.open(info, nil)
	}
}

// open takes up a tab, with the session that came with it, nil for none.
func (b *Actor) open(info target, session any) {
	page := b.pageOf(info)
	b.tabs.Open(page, info, func(birth tab.Birth) *tab.Tab {
		birth.Wanted, birth.Session = b.wants(page), session
		return cdp.New(b.shared, b.conn, birth)
	})
	b.pass(b.page(info.OpenerID), cdp.TabOpened{Page: page, Frame: registry.FrameID(info.OpenerFrameID), URL: info.URL})
	b.firstTab(page, info.URL)
}

// missedEvent makes up for an event at which the actor panicked.
func (b *Actor) missedEvent(e cdpclient.Event) {
	var at cdpclient.AttachedToTarget
	switch {
	case e.Method == cdpclient.TargetTargetInfoChanged: // the next one has it too
	case e.Method != cdpclient.TargetAttachedToTarget:
		b.event(e) // the others can be told twice
	case json.Unmarshal(e.Params, &at) == nil && b.conn != nil && !target{at.TargetInfo}.isBrowser():
		cdp.LetGo(b.conn, at.SessionID)
		info := target{at.TargetInfo}
		if t := b.tabs.Get(b.pageOf(info)); t != nil { // it may have the session, or not
			b.tabs.Close(t, tab.End{Why: registry.EndedByFailure, Lives: true})
		}
		if info.isTab() && !b.tabs.LeftAlone(b.pageOf(info)) {
			b.open(info, nil)
		}
	}
}
