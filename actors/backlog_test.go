package actors_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/asynkron/protoactor-go/actor"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// counting counts the messages of a kind that actors take.
func counting(message string, n *atomic.Int64) func(*Options) {
	return func(o *Options) {
		o.TestHooks.Inside = append(o.TestHooks.Inside, func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
				if MessageName(env.Message) == message {
					n.Add(1)
				}
				next(c, env)
			}
		})
	}
}

// TestBacklogs: what senders do may not make a mailbox grow without bound.
func TestBacklogs(t *testing.T) {
	t.Run("a page that sends more than its actor can read is taken up anew", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			other := NewSlow()
			q := h.Chrome.OpenPage("http://news.test/")
			q.Register(other.Tool("read"))
			p := h.Offer(NewSlow().Tool("wait"))
			bystander, own := h.Begin("news_test_page0_read", `{}`), h.Begin("shop_test_page1_wait", `{}`)
			flow := h.FlowControl(p)
			goOn := h.StopActor(p)
			big := strings.Repeat("x", 1<<20)
			for i := range 2 * tab.MaxBacklog >> 20 {
				p.Register(cdptest.Tool{Name: "big", Description: fmt.Sprint(i, big)})
				p.Unregister("big")
				synctest.Wait()
				if n := flow.Waiting(); n > tab.MaxBacklog+2*tab.MaxBacklog>>20 && !flow.Flooded() {
					t.Fatalf("%d bytes wait", n)
				}
			}
			if n := h.Log.Count(slog.LevelError, "floods"); n != 1 {
				t.Errorf("the log says so %d times", n)
			}
			goOn()
			own.Fails("internal error")
			h.Want("news_test_page0_read", "shop_test_page1_wait")
			p.Register(Tool("add"))
			h.Want("news_test_page0_read", "shop_test_page1_wait", "shop_test_page1_add")
			other.Answers <- "unharmed"
			bystander.Says("unharmed")
			if n := flow.Waiting(); n < 0 || n > 2*tab.MaxBacklog {
				t.Errorf("%d bytes are counted", n)
			}
		})
	})
	t.Run("events that were read don't count", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			flow := h.FlowControl(p)
			before := flow.Waiting()
			for range 100 {
				p.Register(Tool("add"))
				p.Unregister("add")
			}
			h.Quiet()
			if n := flow.Waiting() - before; n != 0 {
				t.Errorf("%d bytes are counted, though all were read", n)
			}
		})
	})
	t.Run("one report of a page waits for the registry", func(t *testing.T) {
		var reports atomic.Int64
		Bubble(t, func(t *testing.T) {
			h := NewHub(t, counting("tab.Report", &reports))
			p := h.Offer()
			gate := make(chan struct{})
			h.Pub.Also(func([]registry.Effect) { <-gate })
			p.Register(Tool("first"))
			synctest.Wait() // the registry is busy with it
			before := reports.Load()
			for i := range 1000 {
				p.Register(Tool("other"))
				p.PushState(Shop + fmt.Sprint(i))
				p.Unregister("other")
				fakeclock.Elapse(2 * tab.ReportInterval)
			}
			h.Pub.Also(nil)
			close(gate)
			h.Want("shop_test_page0_first")
			if n := reports.Load() - before; n > 2 {
				t.Errorf("%d reports stood in the registry's mailbox", n)
			}
			if tab := h.Tab(p); tab.URL != Shop+"999" {
				t.Errorf("the last change is lost: %s", tab.URL)
			}
		})
	})
	t.Run("one title waits for its page", func(t *testing.T) {
		var titles atomic.Int64
		Bubble(t, func(t *testing.T) {
			h := NewHub(t, counting("tab.infoChanged", &titles))
			p := h.Offer(Tool("add"))
			goOn := h.StopActor(p)
			before := titles.Load()
			for i := range 1000 {
				p.SetTitle(fmt.Sprint("Title ", i))
			}
			goOn()
			h.Quiet()
			if n := titles.Load() - before; n != 1 {
				t.Errorf("%d messages for 1000 titles", n)
			}
			if tab := h.Tab(p); tab.Title != "Title 999" {
				t.Errorf("the title is %q", tab.Title)
			}
		})
	})
}
