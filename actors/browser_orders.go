package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/advice"
	"webmcphub/registry/sanitize"
)

// BrowserInfo names the browser that the hub is connected to, for example
// "Chrome" and "156.0.8078.79".
type BrowserInfo struct{ Name, Version string }

// ErrStopped says that the hub is stopping or has stopped.
var ErrStopped = errors.New("the hub is stopping")

// Connect returns when a browser is reached: one whose extension is connected,
// or Chrome, trying at once if it isn't. With launch, Options.Launcher starts
// one if none is found. The error says why none could be reached and what to do.
func (h *Hub) Connect(ctx context.Context, launch bool) (BrowserInfo, error) {
	o := connectOrder{launch, make(chan connectAnswer, 1)}
	h.root.Send(h.extBrowsers, o)
	select {
	case a := <-o.answer:
		if why := h.whyKeptOut(); a.err != nil && why != "" {
			a.err = fmt.Errorf("%s; %w", why, a.err)
		}
		return a.info, a.err
	case <-ctx.Done():
		return BrowserInfo{}, fmt.Errorf("the browser was not reached in time (%w)", context.Cause(ctx))
	case <-h.stopped:
		return BrowserInfo{}, ErrStopped
	}
}

// OpenTab opens a tab, whose address the caller has checked, and says by which
// id its page will be known, perhaps is already. If the page beside which it
// should open is gone, or in a browser that opens no tabs, the first browser that
// does opens it.
func (h *Hub) OpenTab(ctx context.Context, at registry.NewTab) (registry.PageID, error) {
	open := extOrder{does: orderOpen, url: at.URL, page: at.Beside, background: at.Background}
	if h.viaExtension(at.Beside) {
		page, err := h.orderExt(ctx, open)
		if !errors.Is(err, advice.OpensNoTabs{}) && !errors.Is(err, errNoBrowser) {
			return page, err
		}
	}
	var r cdpclient.CreateTargetResult
	err := h.order(ctx, cdpclient.TargetCreateTarget, createTarget{at.URL, at.Background}, &r)
	if errors.Is(err, errNoBrowser) {
		return h.orderExt(ctx, open)
	}
	return registry.PageID(r.TargetID), err
}

// ActivateTab brings a tab to the front of its window.
func (h *Hub) ActivateTab(ctx context.Context, page registry.PageID) error {
	if h.viaExtension(page) {
		_, err := h.orderExt(ctx, extOrder{does: orderFocus, page: page})
		return err
	}
	return h.order(ctx, cdpclient.TargetActivateTarget, targetParams{page}, nil)
}

// CloseTab closes a tab, without asking its page. It returns when the browser
// has taken the order; the page's end follows.
func (h *Hub) CloseTab(ctx context.Context, page registry.PageID) error {
	if h.viaExtension(page) {
		_, err := h.orderExt(ctx, extOrder{does: orderClose, page: page})
		return err
	}
	return h.order(ctx, cdpclient.TargetCloseTarget, targetParams{page}, nil)
}

// order has the browser actor send a command to Chrome and waits for the reply.
func (h *Hub) order(ctx context.Context, method string, params, result any) error {
	o := &tabOrder{method, params, make(chan cdpclient.Reply, 1)}
	h.root.Send(h.browser, o)
	return h.answered(ctx, o, result)
}

// answered waits for the reply to an order.
func (h *Hub) answered(ctx context.Context, o *tabOrder, result any) error {
	select {
	case r := <-o.answer:
		switch {
		case r.Err != nil:
			return r.Err
		case result != nil:
			return json.Unmarshal(r.Result, result)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the browser did not answer %s (%w)", o.method, context.Cause(ctx))
	case <-h.stopped:
		return ErrStopped
	}
}

// versionReply tags the reply that names the browser, attachReply the one
// that comes when its tabs have been announced.
type (
	versionReply struct{}
	attachReply  struct{}
)

// connectOrdered answers at once, or when an attempt has ended.
func (b *browserActor) connectOrdered(ctx actor.Context, o connectOrder) {
	if b.stopping {
		o.answer <- connectAnswer{err: ErrStopped}
		return
	}
	b.waiting = append(b.waiting, o)
	if b.ready {
		b.answerWaiting(connectAnswer{info: b.info})
	}
	if b.conn == nil && !b.dialling {
		if b.retry != nil {
			b.retry.Stop()
		}
		b.dial(ctx, o.launch)
	}
}

// wantsLaunch says whether somebody waits for a Chrome to be started.
func (b *browserActor) wantsLaunch() bool {
	for _, o := range b.waiting {
		if o.launch {
			return b.hub.options.Launcher != nil
		}
	}
	return false
}

// answerWaiting goes by way of the registry actor, so that what was told to
// it before is in the catalog when the answer arrives.
func (b *browserActor) answerWaiting(a connectAnswer) {
	if b.waiting != nil {
		b.hub.root.Send(b.hub.registry, connectAnswered{b.waiting, a})
		b.waiting = nil
	}
}

// named takes the browser's name from the reply to Browser.getVersion.
func (b *browserActor) named(r cdpclient.Reply) {
	var v cdpclient.BrowserVersion
	_ = json.Unmarshal(r.Result, &v)
	name, version, _ := strings.Cut(v.Product, "/")
	name = strings.TrimPrefix(name, "Headless")
	if name == "" {
		name = "Chrome"
	}
	b.info = BrowserInfo{sanitize.Text(name, 64), sanitize.Text(version, 64)}
}

func (b *browserActor) tabOrdered(o *tabOrder) {
	if b.conn == nil {
		o.answer <- cdpclient.Reply{Err: errNoBrowser}
		return
	}
	b.takesFront(o)
	b.conn.Post("", o.method, o.params, o)
}

// takesFront tells the user's switching of tabs from what an order does; for a
// tab that one opens, carriedOut does.
func (b *browserActor) takesFront(o *tabOrder) {
	if p, ok := o.params.(targetParams); ok {
		b.tell(registry.FrontTaken{Page: p.Target, Closed: o.method == cdpclient.TargetCloseTarget})
	}
}

// carriedOut learns from the reply to an order what its caller is not the only
// one to need.
func (b *browserActor) carriedOut(o *tabOrder, r cdpclient.Reply) {
	if r.Err != nil {
		return
	}
	switch p := o.params.(type) {
	case createTarget:
		var created cdpclient.CreateTargetResult
		if !p.Background && json.Unmarshal(r.Result, &created) == nil {
			b.tell(registry.FrontTaken{Page: registry.PageID(created.TargetID)})
		}
	case listPages:
		b.titled(r.Result)
	}
}

// createTarget is for Target.createTarget.
type createTarget struct {
	URL        string `json:"url"`
	Background bool   `json:"background,omitempty"`
}

// targetParams name the tab of an order.
type targetParams struct {
	Target registry.PageID `json:"targetId"`
}

var errNoBrowser = errors.New("no browser is connected")

// isTabOrder says whether somebody waits for this reply, whatever became of
// the connection.
func isTabOrder(m cdpclient.Message) bool {
	r, ok := m.(cdpclient.Reply)
	if ok {
		_, ok = r.Tag.(*tabOrder)
	}
	return ok
}
