package actors

import (
	"time"

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
	call *call
	url  string
}

func (p *pageActor) windowOpen(s cdpclient.SessionID, e cdpclient.WindowOpen) {
	for c := range p.calls {
		f := p.frames[c.route.Frame]
		if f == nil || f.session != s || f.doc != c.route.Doc || c.route.Runtime != registry.Native || !f.forms[c.route.Tool] {
			continue
		}
		root, self, due := p.root, p.self, windowDue{c, sanitize.Text(e.URL, 300)}
		time.AfterFunc(afterWindow, func() { root.Send(self, due) })
	}
}

func (p *pageActor) windowDue(m windowDue) {
	if c := m.call; p.calls[c] && !c.departed {
		p.finish(c, sanitize.TextResult("The form was sent, and shows its result in a new tab: "+m.url+
			". Its page's tools are listed with that tab. If no such tab is there, the browser has blocked it as a pop-up."))
	}
}
