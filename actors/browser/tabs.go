package browser

import (
	"encoding/json"
	"strings"

	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// The hub attaches to each page as soon as the page is there, unless a caller has disconnected it. With
// Policy.Explicit, the hub attaches to a page only when a caller asks for it. What callers have chosen for a page
// holds as long as the page exists, also when the connection to its Chrome is lost and made again. The Actor says
// which pages are wanted; each tab attaches and detaches itself.

// wants says whether the hub is to be attached to a page.
func (b *Actor) wants(page registry.PageID) bool {
	if chosen, ok := b.chosen[page]; ok {
		return chosen
	}
	return !b.Explicit
}

// forgetChoices drops choices for pages that this Chrome doesn't have.
func (b *Actor) forgetChoices() {
	for page := range b.chosen {
		if b.tabs.Get(page) == nil {
			delete(b.chosen, page)
		}
	}
}

// event handles an event about Chrome's targets.
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

// pass sends a message to a tab, if the tab is there.
func (b *Actor) pass(page registry.PageID, m any) {
	if t := b.tabs.Get(page); t != nil {
		b.tabs.Send(t, m)
	}
}

// attached passes a session to its tab. If the tab isn't known yet, attached takes it up.
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

// isTab says whether a target is a tab that shows pages.
func (t target) isTab() bool {
	return t.Type == cdpclient.TypePage && !strings.HasPrefix(t.URL, "devtools://")
}

// isBrowser says whether a session is with the browser itself. Such a session belongs to somebody to whom the hub
// gave access ([supervisor.Debug]).
func (t target) isBrowser() bool { return t.Type == cdpclient.TypeBrowser }

// attachAnswered passes on Chrome's refusal to make a session. Sessions that Chrome makes are announced by an event.
func (b *Actor) attachAnswered(tag cdp.Attaching, err error) {
	if err != nil {
		b.Root.Send(tag.To, tab.AttachFailed{Err: err})
	}
}

// discovered takes up a tab without touching its page. It does so only with Policy.Explicit. Without that, the Actor
// takes up a tab when Chrome announces the tab's session.
func (b *Actor) discovered(info target) {
	// A target with a subtype is a page that Chrome prerenders. Nobody sees it.
	if b.Explicit && info.isTab() && info.Subtype == "" && b.tabs.Get(b.pageOf(info)) == nil && b.conn != nil {
		b.open(info, nil)
	}
}

// open takes up a tab. session is the session that came with the tab, or nil.
func (b *Actor) open(info target, session any) {
	page := b.pageOf(info)
	b.tabs.Open(page, info, func(birth tab.Birth) *tab.Tab {
		birth.Wanted, birth.Session = b.wants(page), session
		return cdp.New(b.shared, b.conn, birth)
	})
	b.pass(b.page(info.OpenerID), cdp.TabOpened{Page: page, Frame: registry.FrameID(info.OpenerFrameID), URL: info.URL})
	b.firstTab(page, info.URL)
}

// missedEvent makes up for an event during which the actor panicked.
func (b *Actor) missedEvent(e cdpclient.Event) {
	var at cdpclient.AttachedToTarget
	switch {
	case e.Method == cdpclient.TargetTargetInfoChanged: // the next such event brings it
	case e.Method != cdpclient.TargetAttachedToTarget:
		b.event(e) // these events may be handled twice
	case json.Unmarshal(e.Params, &at) == nil && b.conn != nil && !target{at.TargetInfo}.isBrowser():
		cdp.LetGo(b.conn, at.SessionID)
		info := target{at.TargetInfo}
		if t := b.tabs.Get(b.pageOf(info)); t != nil { // the tab may have the session or not
			b.tabs.Close(t, tab.End{Why: registry.EndedByFailure, Lives: true})
		}
		if info.isTab() && !b.tabs.LeftAlone(b.pageOf(info)) {
			b.open(info, nil)
		}
	}
}
