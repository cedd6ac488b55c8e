package cdp

import (
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry/offer"
)

// A tool that loops for ever blocks its page's only thread. Chrome can't tell the page that the hub gave up the call,
// and nobody can use the page. The hub terminates such a script by force, which the page can't prevent.

// stuckAfter is how long a page may take to confirm that it stops a tool.
const stuckAfter = 2 * time.Second

// watch starts the wait for a page to confirm that it stops a tool.
func (p *Link) watch(c *tab.Call) {
	if c.Route.Runtime != offer.Native {
		// A server doesn't answer a cancellation, but the page's main thread answers this command.
		if f := p.frames[c.Route.Frame]; f != nil {
			c.State.StopUnconfirmed = true
			p.conn.Post(f.session, "Runtime.getIsolateId", nil, abortReply{c})
		}
	}
	p.watchOn(c)
}

func (p *Link) watchOn(c *tab.Call) {
	if c.State.StopUnconfirmed {
		p.After(stuckAfter, stuckDue{c})
	}
}

// stuck terminates the script of a page that still hasn't confirmed. A dialog or a navigation makes stuck wait again.
func (p *Link) stuck(c *tab.Call) {
	f := p.frames[c.Route.Frame]
	switch {
	case !c.State.StopUnconfirmed, f == nil, f.doc != c.Route.Doc,
		p.Phase() != tab.Ready && p.Phase() != tab.BetweenDocuments: // free already
	case p.open != nil, p.navigating(f.session):
		p.watchOn(c)
	default:
		p.Log.Warn("a tool that was told to stop blocks its page; the page's script is being ended", "tool",
			c.Route.Tool)
		p.conn.Post(f.session, cdpclient.RuntimeTerminateExecution, nil, nil)
	}
}

// navigating says whether Chrome holds back commands on a session.
func (p *Link) navigating(s cdpclient.SessionID) bool {
	for _, f := range p.frames {
		if f.session == s && f.navigating {
			return true
		}
	}
	return false
}
