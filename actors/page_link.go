package actors

import (
	"context"
	"sync"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// A page that the hub is not attached to has no session: Chrome tells its
// address and title, and nothing is ever sent to it.

// link takes up a page that was only known until now.
func (p *pageActor) link(at cdpclient.AttachedToTarget) {
	if p.session != "" { // it is being let go of
		p.letGo()
	}
	p.session, p.waiting = at.SessionID, at.WaitingForDebugger
	p.url, p.title, p.state = at.TargetInfo.URL, at.TargetInfo.Title, ""
	p.main.session = p.session
	p.newDocument(p.main)
	p.gen = p.main.doc
	p.tell(registry.Navigated{Page: p.id, Gen: p.gen, URL: p.url})
	p.tellChanged()
	p.prepare(p.session, p.waiting)
}

// unlink lets go of the page. Calls that Chrome has yet to name can be
// cancelled only after that; it gets partTimeout for it.
func (p *pageActor) unlink() {
	if p.session == "" || p.parting {
		return
	}
	p.state = registry.NotConnected // calls are refused from now on
	if !p.invoking() {
		p.letGo()
		return
	}
	p.parting = true
	root, self, due := p.root, p.self, unlinkDue{p.session}
	time.AfterFunc(partTimeout, func() { root.Send(self, due) })
}

// letGo withdraws the page's tools, ends its calls and detaches once the page
// has heard of that.
func (p *pageActor) letGo() {
	p.parting, p.unsettled, p.state = false, false, registry.NotConnected
	p.endSilence()
	p.tellChanged() // first, so that who misses the tools is told why
	for c := range p.calls {
		p.abort(c)
	}
	servers := &sync.WaitGroup{}
	sessions := map[cdpclient.SessionID]bool{p.session: true}
	for _, f := range p.frames {
		sessions[f.session] = true
		for _, s := range f.takeServers() {
			servers.Go(s.part)
		}
	}
	for c := range p.calls {
		p.finish(c, registry.EndedByDisconnect(c.route.Tool))
	}
	for s := range sessions {
		p.conn.Attach(s, nil) // what they still say is of no interest
	}
	p.release(servers)
	p.session, p.aborting, p.early = "", map[string]cdpclient.SessionID{}, earlyAnswers{}
	p.forgetDocuments()
}

// release detaches from the page once it has heard that its calls are given up.
func (p *pageActor) release(servers *sync.WaitGroup) {
	session, conn, aborting := p.session, p.conn, p.aborting
	if session == "" {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), partTimeout)
		defer cancel()
		hear(ctx, conn, aborting, servers)
		conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: session}, nil)
	}()
}

// forgetDocuments drops all that is known of the page but its tab.
func (p *pageActor) forgetDocuments() {
	for _, f := range p.frames {
		if f != p.main {
			p.removeFrame(f)
		}
	}
	p.forgetWorld(p.main)
	p.newDocument(p.main)
	p.gen = p.main.doc
	p.scripts = map[scriptKey]string{}
	p.unnamed = nil
	p.told = nil
	p.dialogIs(nil)
	p.tell(registry.Navigated{Page: p.id, Gen: p.gen, URL: p.url})
	p.changed()
}

// hear returns when a page has heard that its calls were given up, or ctx ends.
// No server takes longer than partTimeout to part.
func hear(ctx context.Context, conn *cdpclient.Conn, aborting map[string]cdpclient.SessionID, servers *sync.WaitGroup) {
	for id, s := range aborting { // the answer to the second time says that the first was heard
		_ = conn.Call(ctx, s, cdpclient.WebMCPCancelInvocation, cdpclient.CancelInvocationParams{InvocationID: id}, nil)
	}
	servers.Wait()
}

// unlinkedInfo takes the address, which otherwise comes with the page's events.
func (p *pageActor) unlinkedInfo(info cdpclient.TargetInfo) {
	if p.url != info.URL || p.state != registry.NotConnected {
		p.url, p.state = info.URL, registry.NotConnected // it was reloaded, if it had crashed
		p.reportSoon()
	}
}

func (p *pageActor) unlinkedCrashed() {
	if p.session == "" {
		p.state = "crashed"
		p.tellChanged()
	}
}
