package view

import (
	"context"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// maxStatus bounds, in bytes, what a client is told about what the browser waits for.
const maxStatus = 300

// TellStatus calls tell with first. Then, while no browser is connected, it calls tell with the browser's status each
// time that it changes. The returned function ends this, and waits for a running call of tell to return. Any
// goroutine may call TellStatus.
func (c *Current) TellStatus(first string, tell func(status string)) (end func()) {
	tell(first)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	was := c.told.Load().Catalog.BrowserStatus()
	changed := func(now *registry.Catalog) bool { return now.BrowserStatus() != was }
	go func() {
		defer close(over)
		for now := c.Await(ctx, changed); now != nil; now = c.Await(ctx, changed) {
			if was = now.BrowserStatus(); was != "" {
				tell(sanitize.Text(was, maxStatus))
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}
