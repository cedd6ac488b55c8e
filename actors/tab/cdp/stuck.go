package cdp

import (
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry/offer"
)

// A tool that loops for ever holds its page's only thread: Chrome can't pass on
// that its call was given up, and the page is of no use to anybody. Such a
// script is ended by force, which the page can't prevent.

// stuckAfter is how long a page may take to hear that a call was given up.
const stuckAfter = 2 * time.Second

// watch sees to it that a page which is told to stop a tool can hear it.
func (p *Link) watch(c *tab.Call) {
	if c.Route.Runtime != offer.Native {
		// No server answers a cancellation, but its page's thread answers this.
		if f := p.frames[c.Route.Frame]; f != nil {
			c.Flight.Unheard = true
			p.conn.Post(f.session, "Runtime.getIsolateId", nil, abortReply{c})
		}
	}
	p.watchOn(c)
}

func (p *Link) watchOn(c *tab.Call) {
	if c.Flight.Unheard {
		p.After(stuckAfter, stuckDue{c})
	}
}

// stuck ends the script of a page that still hasn't heard, unless that has
// another reason.
func (p *Link) stuck(c *tab.Call) {
	f := p.frames[c.Route.Frame]
	switch {
	case !c.Flight.Unheard, f == nil, f.doc != c.Route.Doc, p.Phase() != tab.Ready && p.Phase() != tab.BetweenDocuments: // free already
	case p.open != nil, p.navigating(f.session):
		p.watchOn(c)
	default:
		p.Log.Warn("a tool that was told to stop blocks its page; the page's script is being ended", "tool",
			c.Route.Tool)
		p.conn.Post(f.session, cdpclient.RuntimeTerminateExecution, nil, nil)
	}
}

// navigating says whether commands of a session are kept back.
func (p *Link) navigating(s cdpclient.SessionID) bool {
	for _, f := range p.frames {
		if f.session == s && f.navigating {
			return true
		}
	}
	return false
}
