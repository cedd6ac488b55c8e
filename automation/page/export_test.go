package page

import (
	"context"
	"time"
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
