package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/endings"
)

// Which pages the hub is attached to: to each as soon as it is there, unless a
// caller let go of it; or with Options.Explicit to none until a caller asks
// for it. What callers chose for a page holds for its life, also when the
// connection to its Chrome is made again. The browser actor says what is wanted;
// the tab attaches and lets go.

// ConnectPage attaches to a page, if the hub isn't attached already. It
// returns when Chrome has done so; the page's tools follow.
func (h *Hub) ConnectPage(ctx context.Context, page registry.PageID) error {
	return h.attach(ctx, page, true)
}

// DisconnectPage lets go of a page: its calls end, its tools go, and nothing
// of the hub acts in it any more. It returns when that has begun; the page's
// state in the catalog ([registry.NotConnected]) says when its tools are gone.
func (h *Hub) DisconnectPage(ctx context.Context, page registry.PageID) error {
	return h.attach(ctx, page, false)
}

func (h *Hub) attach(ctx context.Context, page registry.PageID, on bool) error {
	if h.viaExtension(page) {
		does := orderDisconnect
		if on {
			does = orderConnect
		}
		_, err := h.orderExt(ctx, extOrder{does: does, page: page})
		return err
	}
	o := attachOrder{page, on, make(chan error, 1)}
	h.root.Send(h.browser, o)
	select {
	case err := <-o.answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the browser did not answer Target.attachToTarget (%w)", context.Cause(ctx))
	case <-h.stopped:
		return ErrStopped
	}
}

// reply answers an order; the first word counts.
func (o attachOrder) reply(err error) {
	select {
	case o.answer <- err:
	default:
	}
}

func (b *browserActor) attachOrdered(o attachOrder) {
	t := b.pages[o.page]
	switch {
	case b.conn == nil:
		o.reply(errNoBrowser)
	case t == nil:
		o.reply(errors.New("the tab was closed meanwhile"))
	default:
		b.chosen[t.id] = o.on
		b.hub.root.Send(t.to.PID, tab.Wanted{On: o.on, Answer: o.reply})
	}
}

// wants says whether the hub is to be attached to a page.
func (b *browserActor) wants(page registry.PageID) bool {
	if chosen, asked := b.chosen[page]; asked {
		return chosen
	}
	return !b.hub.options.Explicit
}

// attached passes a session on to its tab, which is taken up with it if need be.
func (b *browserActor) attached(at cdpclient.AttachedToTarget) {
	id := registry.PageID(at.TargetInfo.TargetID)
	switch t := b.pages[id]; {
	case at.TargetInfo.Type != cdpclient.TypePage || isDevTools(at.TargetInfo) || b.leftAlone[id]:
		turnDown(b.conn, at.SessionID)
	case t != nil:
		t.info = at.TargetInfo
		b.hub.root.Send(t.to.PID, tab.Offered{Session: at})
	default:
		b.open(at.TargetInfo, at)
	}
}

func isDevTools(info cdpclient.TargetInfo) bool { return strings.HasPrefix(info.URL, "devtools://") }

// detached passes on that Chrome has ended a session. If the tab has gone, that
// follows.
func (b *browserActor) detached(d cdpclient.DetachedFromTarget) {
	if t := b.pages[registry.PageID(d.TargetID)]; t != nil {
		b.hub.root.Send(t.to.PID, tab.SessionEnded{Session: d.SessionID})
	}
}

// refused passes on that Chrome makes no session. Those that it makes it announces.
func (b *browserActor) refused(tag attaching, err error) {
	if err != nil {
		b.hub.root.Send(tag.to, tab.Refused{Err: err})
	}
}

// open takes up a tab, with the session that came with it, nil for none.
func (b *browserActor) open(info cdpclient.TargetInfo, session any) {
	id := registry.PageID(info.TargetID)
	b.spawned++
	t := &cdpTab{id: id, epoch: b.spawned, info: info, to: tab.NewAddress(b.hub.browser), intake: &tab.Intake{}}
	b.pages[id] = t
	b.tell(registry.PageOpened{Page: id, URL: info.URL, Title: info.Title, Epoch: t.epoch})
	b.hub.spawnTab(newCDPTab(b.shared, b.conn, tab.Birth{
		Info: tab.Info{URL: info.URL, Title: info.Title}, ID: id, Epoch: t.epoch, Wanted: b.wants(id), Session: session, Address: t.to, Intake: t.intake,
	}))
	if opener := b.pages[registry.PageID(info.OpenerID)]; opener != nil {
		b.hub.root.Send(opener.to.PID, tabOpened{id, registry.FrameID(info.OpenerFrameID), info.URL})
	}
}

// close ends a tab's actor and withdraws its tools. The message that ends
// it stands behind what the page said last, so answers on their way still count.
func (b *browserActor) close(t *cdpTab, how tab.End) {
	delete(b.pages, t.id)
	b.hub.pages.CompareAndDelete(t.id, t.to)
	b.hub.root.Send(t.to.PID, how)
	b.tell(registry.PageClosed{Page: t.id})
}

// discovered learns of a tab without touching its page. Where the hub attaches
// by itself, the session is the first that it hears of a tab.
func (b *browserActor) discovered(info cdpclient.TargetInfo) {
	// A subtype is a page that is being prerendered, which nobody sees.
	if b.hub.options.Explicit && info.Type == cdpclient.TypePage && info.Subtype == "" && !isDevTools(info) && b.pages[registry.PageID(info.TargetID)] == nil && b.conn != nil {
		b.open(info, nil)
	}
}

// destroyed is the end of a tab.
func (b *browserActor) destroyed(page registry.PageID) {
	delete(b.chosen, page)
	delete(b.leftAlone, page)
	if t := b.pages[page]; t != nil {
		b.close(t, tab.End{Why: endings.ByClose})
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
