package lens

import (
	"context"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// maxStatus is how much a client is told of what the browser waits for, in bytes.
const maxStatus = 300

// TellStatus has tell told something at once, and how the browser stands each time that this
// changes while there is none. The returned function ends that, and waits for a call of tell that is under way. Any
// goroutine may call it.
func (c *Current) TellStatus(first string, tell func(status string)) (end func()) {
	tell(first)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	was := c.told.Load().Catalog.BrowserStatus()
	changed := func(now *registry.Catalog) bool {
		status := now.BrowserStatus()
		is := status != was
		was = status
		return is
	}
	go func() {
		defer close(over)
		for c.Await(ctx, changed) != nil {
			if was != "" {
				tell(sanitize.Text(was, maxStatus))
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}
