package view

import (
	"context"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// maxStatus is how much a client is told of what the browser waits for, in bytes.
const maxStatus = 300

// TellStatus calls tell with first, and then, while no browser is connected, with how the browser
// stands each time that this changes. The returned function ends that, and waits for a call of
// tell that is under way. Any goroutine may call it.
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
