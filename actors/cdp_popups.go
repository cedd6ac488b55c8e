package actors

import (
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// A form with target=_blank shows its result in a new tab, and Chrome never
// answers the invocation that sent it. So the window that it opens is its answer,
// unless the page gives another one (SubmitEvent.respondWith) right after.

// afterWindow is how long the page's own answer may come after that.
const afterWindow = 500 * time.Millisecond

// windowDue says that it has not come.
type windowDue struct {
	call *tab.Call
	url  string
}

func (p *cdpLink) windowOpen(s cdpclient.SessionID, e cdpclient.WindowOpen) {
	for c := range p.Calls {
		f := p.frames[c.Route.Frame]
		if f == nil || f.session != s || f.doc != c.Route.Doc || c.Route.Runtime != registry.Native || !f.forms[c.Route.Tool] {
			continue
		}
		p.After(afterWindow, windowDue{c, sanitize.Text(e.URL, 300)})
	}
}

func (p *cdpLink) windowDue(m windowDue) {
	if c := m.call; p.Calls[c] && !c.Flight.Departed {
		p.Finish(c, sanitize.TextResult("The form was sent, and shows its result in a new tab: "+m.url+
			". Its page's tools are listed with that tab. If no such tab is there, the browser has blocked it as a pop-up."))
	}
}
