package actors

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/endings"
	"webmcphub/registry/sanitize"
)

// What the browser actor does when an actor panicked: a page's, the registry
// or itself.

// replace attaches a page anew whose actor panicked: as a page that has just
// been opened.
func (b *browserActor) replace(m tab.ActorFailed) {
	t := b.pages[m.Page]
	if t == nil || t.to != m.Of {
		return
	}
	b.close(t, tab.End{Why: endings.ByFailure, Lives: true})
	f := b.fails[m.Page]
	if f == nil {
		f = &failures{}
		b.fails[m.Page] = f
	}
	if f.tooMany() {
		b.leftAlone[m.Page] = true
		b.hub.log.Error("a page failed too often; it is left alone until Chrome is connected anew", "page", m.Page, "url", sanitize.Text(t.info.URL, 200))
		return
	}
	b.open(t.info, nil)
}

// retell tells a registry that has failed of all pages, in their order.
func (b *browserActor) retell() {
	b.hub.root.Send(b.hub.registry, startAnew{})
	b.tell(b.status)
	for _, t := range slices.SortedFunc(maps.Values(b.pages), func(t, u *cdpTab) int { return cmp.Compare(t.epoch, u.epoch) }) {
		b.tell(registry.PageOpened{Page: t.id, URL: t.info.URL, Title: t.info.Title, Epoch: t.epoch})
		b.hub.root.Send(t.to.PID, tab.Retell{})
	}
	b.hub.root.Send(b.hub.extBrowsers, registryFailed{})
}

var errInternal = errors.New("an internal error of the hub")

// Failed goes on after a panic of the actor itself. Its state may lack what the
// message would have changed, and nothing else; so that is made up for here.
func (b *browserActor) Failed(ctx actor.Context, message any) {
	b.refuse(message)
	switch m := message.(type) {
	case connected:
		b.dialling = false
		go m.wire.Close() // a launched Chrome may take a while to go
	case dialFailed:
		b.dialling = false
	case parted:
		b.closing = false
	case *actor.Stopping:
		return
	case *actor.Stopped:
		b.over()
		return
	}
	_, stop := message.(stopBrowser)
	if stop || b.stopping {
		b.stopAtOnce(ctx)
		return
	}
	if b.failures.tooMany() {
		b.hub.giveUp("the connection to Chrome")
		return
	}
	switch m := message.(type) {
	case connected:
		b.lost(ctx, errInternal)
	case fromBrowser:
		b.missed(ctx, m.message)
	case tab.ActorFailed, registryFailed, watchFront:
		b.hub.root.Send(ctx.Self(), m)
	case *actor.Started, redial, dialFailed, connectOrder:
		if b.conn == nil && !b.dialling {
			b.redialLater(ctx, errInternal)
		}
	}
}

// refuse answers an order that can't be carried out any more.
func (b *browserActor) refuse(message any) {
	if m, ok := message.(fromBrowser); ok && isTabOrder(m.message) {
		message = m.message.(cdpclient.Reply).Tag
	}
	switch o := message.(type) {
	case connectOrder:
		select {
		case o.answer <- connectAnswer{err: errInternal}:
		default: // it was answered
		}
	case attachOrder:
		o.reply(errInternal)
	case *tabOrder:
		select {
		case o.answer <- cdpclient.Reply{Err: errInternal}:
		default:
		}
	}
}

// missed makes up for a message of Chrome.
func (b *browserActor) missed(ctx actor.Context, m cdpclient.Message) {
	var e cdpclient.Event
	switch m := m.(type) {
	case cdpclient.Closed:
		if b.conn != nil {
			b.lost(ctx, m.Err)
		} else if !b.dialling {
			b.redialLater(ctx, errInternal)
		}
		return
	case cdpclient.Reply:
		if (m.Tag == (attachReply{}) || m.Tag == (gatheredReply{})) && b.conn != nil { // somebody may wait for it
			b.reply(ctx, m)
		}
		if tag, ok := m.Tag.(attaching); ok {
			b.refused(tag, m.Err)
		}
	case cdpclient.Event:
		e = m
	}
	switch e.Method {
	case cdpclient.TargetAttachedToTarget:
		var at cdpclient.AttachedToTarget
		if json.Unmarshal(e.Params, &at) != nil || b.conn == nil {
			return
		}
		turnDown(b.conn, at.SessionID)
		id := registry.PageID(at.TargetInfo.TargetID)
		if t := b.pages[id]; t != nil { // it may have the session, or not
			b.close(t, tab.End{Why: endings.ByFailure, Lives: true})
		}
		if at.TargetInfo.Type == cdpclient.TypePage && !isDevTools(at.TargetInfo) && !b.leftAlone[id] {
			b.open(at.TargetInfo, nil)
		}
	case cdpclient.TargetTargetCreated, cdpclient.TargetTargetDestroyed, cdpclient.TargetTargetCrashed, cdpclient.TargetDetachedFromTarget:
		b.event(ctx, e) // these can be told twice
	}
}

// stopAtOnce is shutDown without ceremony.
func (b *browserActor) stopAtOnce(ctx actor.Context) {
	b.stopping, b.closing = true, false
	b.stop()
	b.answerWaiting(connectAnswer{err: ErrStopped})
	if b.retry != nil {
		b.retry.Stop()
	}
	if conn := b.letGo(endings.ByStop); conn != nil {
		go conn.Close() // a launched Chrome may take a while to go
	}
	b.end(ctx)
}

// over says that the actor has ended.
func (b *browserActor) over() {
	select {
	case <-b.hub.stopped:
	default:
		close(b.hub.stopped)
	}
}
