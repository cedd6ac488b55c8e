package actors

import (
	"context"
	"errors"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Which pages the hub is attached to: to each as soon as it is there, unless a
// caller let go of it; or with Options.Explicit to none until a caller asks
// for it. What callers chose for a page holds for its life, also when the
// connection to its Chrome is made again.

// ConnectPage attaches to a page, if the hub isn't attached already. It
// returns when Chrome has done so; the page's tools follow.
func (h *Hub) ConnectPage(ctx context.Context, page registry.PageID) error {
	return h.link(ctx, page, true)
}

// DisconnectPage lets go of a page: its calls end, its tools go, and nothing
// of the hub acts in it any more. It returns when that has begun; the page's
// state in the catalog ([registry.NotConnected]) says when its tools are gone.
func (h *Hub) DisconnectPage(ctx context.Context, page registry.PageID) error {
	return h.link(ctx, page, false)
}

func (h *Hub) link(ctx context.Context, page registry.PageID, on bool) error {
	if h.viaExtension(page) {
		does := orderDisconnect
		if on {
			does = orderConnect
		}
		_, err := h.orderExt(ctx, extOrder{does: does, page: page})
		return err
	}
	o := linkOrder{page, on, &tabOrder{method: "Target.attachToTarget", answer: make(chan cdpclient.Reply, 1)}}
	h.root.Send(h.browser, o)
	return h.answered(ctx, o.tabOrder, nil)
}

func (b *browserActor) linkOrdered(o linkOrder) {
	t := b.pages[o.page]
	switch {
	case b.conn == nil:
		o.answer <- cdpclient.Reply{Err: errNoBrowser}
		return
	case t == nil:
		o.answer <- cdpclient.Reply{Err: errors.New("the tab was closed meanwhile")}
		return
	}
	b.chosen[t.id] = o.on
	switch {
	case o.on && t.session == "":
		b.attach(t.id, o.tabOrder)
		return
	case !o.on && t.session != "":
		delete(b.sessions, t.session)
		t.session = "" // its page lets go of it
		b.hub.root.Send(t.ref.pid, unlinkPage{})
	}
	o.answer <- cdpclient.Reply{}
}

// wants says whether the hub is to be attached to a page.
func (b *browserActor) wants(page registry.PageID) bool {
	if chosen, asked := b.chosen[page]; asked {
		return chosen
	}
	return !b.hub.options.Explicit
}

// link gives a page that was only known its session.
func (b *browserActor) link(t *tab, at cdpclient.AttachedToTarget) {
	t.session, t.info = at.SessionID, at.TargetInfo
	b.sessions[t.session] = t
	b.hub.root.Send(t.ref.pid, linkPage{at})
	b.conn.Attach(t.session, b.hub.inbox(t.id, t.ref))
}

// discovered learns of a tab without touching its page. Where the hub attaches
// by itself, the session is the first that it hears of a tab.
func (b *browserActor) discovered(info cdpclient.TargetInfo) {
	id := registry.PageID(info.TargetID)
	// A subtype is a page that is being prerendered, which nobody sees.
	if !b.hub.options.Explicit || info.Type != cdpclient.TypePage || info.Subtype != "" || isDevTools(info) || b.pages[id] != nil || b.conn == nil {
		return
	}
	b.open(cdpclient.AttachedToTarget{TargetInfo: info})
	if b.chosen[id] {
		b.attach(id, nil)
	}
}

// destroyed is how the end of a tab is told that the hub is not attached to.
func (b *browserActor) destroyed(page registry.PageID) {
	delete(b.chosen, page)
	delete(b.leftAlone, page)
	if t := b.pages[page]; t != nil && t.session == "" {
		b.close(t, registry.EndedByClose)
	}
}

// forgetChoices drops those for pages that this Chrome doesn't have.
func (b *browserActor) forgetChoices() {
	for page := range b.chosen {
		if b.pages[page] == nil {
			delete(b.chosen, page)
		}
	}
}
