package page

import (
	"context"
	"time"

	"webmcphub/cdpclient"
)

// Await waits until met is, which is asked at each change of the page.
func Await(p *Page, ctx context.Context, met func() bool) error {
	return p.await(ctx, func(o *owner) (bool, error) {
		o.publish()
		return met(), nil
	})
}

// DrawnOn sets how long a page is drawn on.
func DrawnOn(p *Page, d time.Duration) { p.ask(func(o *owner) { o.on = d }) }

// SessionEnds tells the page of the end of its tab's session as the connection does that found it
// out by itself.
func SessionEnds(p *Page) {
	p.ask(func(o *owner) { o.mail.inbox(cdpclient.SessionEnded{Session: o.tab.id}) })
}

// Sever has Chrome end the session with the page's tab.
func Sever(p *Page) {
	p.ask(func(o *owner) {
		o.post(o.browser, cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: o.tab.id}, nil)
	})
}

// WithinRules is within.
var WithinRules = within
