package node

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/actors"
	"webmcphub/cluster/mailbox"
	"webmcphub/registry"
)

// hanging are browsers of which one never answers.
type hanging struct {
	asked map[string]int
	ask   chan string
	fresh chan struct{} // closed when the hub is told of other browsers
}

func (h hanging) Ping(ctx context.Context, browser string) error {
	h.ask <- browser
	if browser == "hangs" {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return nil
}

func (h hanging) SetBrowsers([]actors.BrowserOptions) { close(h.fresh) }

// A browser that hangs is started afresh after three checks, and the others are checked as often as without it.
func TestHungBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &Node{options: Options{Health: DefaultHealth}, log: slog.New(slog.DiscardHandler),
			box: mailbox.New[func()](maxWaiting)}
		n.life.ctx, n.life.end = context.WithCancel(t.Context())
		h := hanging{asked: map[string]int{}, ask: make(chan string), fresh: make(chan struct{})}
		k := newBrowserPool(n, []Browser{
			{Own: true, BrowserOptions: actors.BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: "hangs"}}},
			{Own: true, BrowserOptions: actors.BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: "answers"}}},
		})
		k.chromes = h
		begun := time.Now()
		go k.run()
		for over := false; !over; {
			select {
			case name := <-h.ask:
				h.asked[name]++
			case <-h.fresh:
				over = true
			}
		}
		if took := time.Since(begun); took < 3*DefaultHealth || took > 4*DefaultHealth {
			t.Errorf("it was started afresh after %v", took)
		}
		if h.asked["answers"] != 3 {
			t.Errorf("the other one was asked %d times", h.asked["answers"])
		}
		n.life.end()
		<-k.over
	})
}
