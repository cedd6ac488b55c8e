package actors

import (
	"time"

	"webmcphub/registry"
)

// A tool that loops for ever holds its page's only thread: Chrome can't pass on
// that its call was given up, and the page is of no use to anybody. Such a
// script is ended by force, which the page can't prevent.

// stuckAfter is how long a page may take to hear that a call was given up.
const stuckAfter = 2 * time.Second

// watch sees to it that a page which is told to stop a tool can hear it.
func (p *pageActor) watch(c *call) {
	if c.route.Runtime == registry.MCPB {
		// Its server answers no cancellation, but its page's thread answers this.
		if f := p.frames[c.route.Frame]; f != nil {
			c.unheard = true
			p.conn.Post(f.session, "Runtime.getIsolateId", nil, abortReply{c})
		}
	}
	if c.unheard {
		root, self := p.root, p.self
		time.AfterFunc(stuckAfter, func() { root.Send(self, stuckDue{c}) })
	}
}

// free ends the script of a page that still hasn't heard. A page that waits for
// the user's answer to a dialog isn't stuck, and one that left its document
// or crashed is free already.
func (p *pageActor) free(c *call) {
	f := p.frames[c.route.Frame]
	if !c.unheard || f == nil || f.doc != c.route.Doc || p.state != "" || p.ref.dialog.Load() != nil {
		return
	}
	p.log.Warn("a tool that was told to stop blocks its page; the page's script is being ended", "tool", c.route.Tool)
	p.conn.Post(f.session, "Runtime.terminateExecution", nil, nil)
}
