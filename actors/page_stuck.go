package actors

import (
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// A tool that loops for ever holds its page's only thread: Chrome can't pass on
// that its call was given up, and the page is of no use to anybody. Such a
// script is ended by force, which the page can't prevent.

// stuckAfter is how long a page may take to hear that a call was given up.
const stuckAfter = 2 * time.Second

// watch sees to it that a page which is told to stop a tool can hear it.
func (p *pageActor) watch(c *call) {
	if c.route.Runtime != registry.Native {
		// No server answers a cancellation, but its page's thread answers this.
		if f := p.frames[c.route.Frame]; f != nil {
			c.unheard = true
			p.conn.Post(f.session, "Runtime.getIsolateId", nil, abortReply{c})
		}
	}
	p.watchOn(c)
}

func (p *pageActor) watchOn(c *call) {
	if c.unheard {
		root, self := p.root, p.self
		time.AfterFunc(stuckAfter, func() { root.Send(self, stuckDue{c}) })
	}
}

// stuck ends the script of a page that still hasn't heard, unless that has
// another reason.
func (p *pageActor) stuck(c *call) {
	f := p.frames[c.route.Frame]
	switch {
	case !c.unheard, f == nil, f.doc != c.route.Doc, p.state != "": // free already
	case p.ref.dialog.Load() != nil, p.departing(f.session):
		p.watchOn(c)
	default:
		p.log.Warn("a tool that was told to stop blocks its page; the page's script is being ended", "tool", c.route.Tool)
		p.conn.Post(f.session, cdpclient.RuntimeTerminateExecution, nil, nil)
	}
}

// departing says whether commands of a session are kept back.
func (p *pageActor) departing(s cdpclient.SessionID) bool {
	for _, f := range p.frames {
		if f.session == s && f.departing {
			return true
		}
	}
	return false
}
