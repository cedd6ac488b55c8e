package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/endings"
	"webmcphub/registry/sanitize"
)

// replace takes a page up anew whose actor panicked.
func (a *extBrowsersActor) replace(m tab.ActorFailed) {
	l, t := a.find(m.Page)
	if t == nil || t.to != m.Of {
		return
	}
	a.close(l, t, tab.End{Why: endings.ByFailure, Lives: true})
	f := l.fails[t.tab.ID]
	if f == nil {
		f = &failures{}
		l.fails[t.tab.ID] = f
	}
	if f.tooMany() {
		a.hub.log.Error("a page failed too often; it is left alone until its browser connects anew", "page", m.Page, "url", sanitize.Text(t.tab.URL, 200))
		return
	}
	a.open(l, &extTab{tab: t.tab, latest: t.latest, off: t.off})
}

// retell tells a registry that has failed of all pages. The browser actor has
// told it already to begin anew.
func (a *extBrowsersActor) retell() {
	if a.hub.options.Extension || a.status != "" || a.connectedAny() {
		a.tellStatus(a.status)
	}
	for _, l := range a.browsers {
		for _, t := range l.inOrder() {
			a.tell(registry.PageOpened{Page: t.id, URL: t.tab.URL, Title: t.tab.Title, Proxied: l.browser.Fixed, Epoch: t.epoch})
			a.hub.root.Send(t.to.PID, tab.Retell{})
		}
	}
}

// Failed goes on after a panic of the actor itself. What is known of the
// connection that the message was about can't be trusted any more: it is
// closed, and the extension connects anew and tells everything.
func (a *extBrowsersActor) Failed(ctx actor.Context, message any) {
	switch m := message.(type) {
	case connectOrder:
		a.hub.root.Send(a.hub.browser, m)
	case *extOrder:
		select {
		case m.answer <- orderAnswer{err: errInternal}:
		default: // it was answered
		}
	case extClosed:
		a.parting = max(a.parting-1, 0)
	case *actor.Stopping:
		return
	case *actor.Stopped:
		a.over()
		return
	}
	_, stop := message.(stopBrowser)
	if stop || a.stopping {
		a.stopAtOnce(ctx)
		return
	}
	if a.failures.tooMany() {
		a.hub.giveUp("the side of browsers' extensions")
		return
	}
	switch m := message.(type) {
	case extOpened:
		_ = m.wire.Close()
	case fromExtension:
		a.drop(m.browser)
	case orderOverdue:
		a.drop(m.browser)
	case tab.ActorFailed:
		if l, t := a.find(m.Page); t != nil && t.to == m.Of {
			a.drop(l)
		}
	case registryFailed:
		a.hub.root.Send(ctx.Self(), m)
	}
}

func (a *extBrowsersActor) drop(l *extBrowser) {
	a.leave(l, endings.ByFailure, extlink.CloseGoingAway, "an error of the hub", func() {})
}

// leave forgets a connection, and closes it once its pages' calls have been
// told to stop; gone is called after that, in no actor's turn.
func (a *extBrowsersActor) leave(l *extBrowser, ended func(tool string) registry.Result, code int, reason string, gone func()) {
	all := make([]*tab.Address, 0, len(l.tabs))
	for _, t := range l.tabs {
		all = append(all, t.to)
	}
	a.letGo(l, ended)
	go func() {
		for _, to := range all {
			<-to.Gone()
		}
		l.conn.Close(code, reason)
		<-l.conn.Done()
		gone()
	}()
}

// shutDown ends all pages, and closes the connections once the pages' calls
// have been told to stop.
func (a *extBrowsersActor) shutDown(ctx actor.Context) {
	if a.stopping {
		return
	}
	a.stopping = true
	root, self := a.hub.root, ctx.Self()
	for len(a.browsers) > 0 {
		a.parting++
		a.leave(a.browsers[0], endings.ByStop, extlink.CloseGoingAway, "the hub is stopping", func() { root.Send(self, extClosed{}) })
	}
	a.end(ctx)
}

// stopAtOnce is shutDown without ceremony.
func (a *extBrowsersActor) stopAtOnce(ctx actor.Context) {
	a.stopping, a.parting = true, 0
	for len(a.browsers) > 0 {
		l := a.browsers[0]
		a.letGo(l, endings.ByStop)
		l.conn.Close(extlink.CloseGoingAway, "the hub is stopping")
	}
	a.end(ctx)
}

// end stops the actor once no connection is left behind.
func (a *extBrowsersActor) end(ctx actor.Context) {
	if a.stopping && a.parting == 0 {
		ctx.Stop(ctx.Self())
	}
}

// over says that the actor has ended.
func (a *extBrowsersActor) over() {
	select {
	case <-a.hub.extBrowsersStopped:
	default:
		close(a.hub.extBrowsersStopped)
	}
}
