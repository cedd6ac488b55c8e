package actors

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// counting counts the messages of a kind that actors take.
func counting(message string, n *atomic.Int64) func(*Options) {
	return func(o *Options) {
		o.inside = append(o.inside, func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
				if messageName(env.Message) == message {
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
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			other := newSlow()
			q := h.chrome.OpenPage("http://news.test/")
			q.Register(other.tool("read"))
			p := h.offer(newSlow().tool("wait"))
			bystander, own := h.begin("news_test_page0_read", `{}`), h.begin("shop_test_page1_wait", `{}`)
			intake := h.intake(p)
			goOn := h.stopActor(p)
			big := strings.Repeat("x", 1<<20)
			for i := range 2 * tab.MaxBacklog >> 20 {
				p.Register(cdptest.Tool{Name: "big", Description: fmt.Sprint(i, big)})
				p.Unregister("big")
				synctest.Wait()
				if n := intake.Waiting(); n > tab.MaxBacklog+2*tab.MaxBacklog>>20 && !intake.Flooded() {
					t.Fatalf("%d bytes wait", n)
				}
			}
			if n := h.log.count(slog.LevelError, "floods"); n != 1 {
				t.Errorf("the log says so %d times", n)
			}
			goOn()
			own.fails("internal error")
			h.want("news_test_page0_read", "shop_test_page1_wait")
			p.Register(tool("add"))
			h.want("news_test_page0_read", "shop_test_page1_wait", "shop_test_page1_add")
			other.answers <- "unharmed"
			bystander.says("unharmed")
			if n := intake.Waiting(); n < 0 || n > 2*tab.MaxBacklog {
				t.Errorf("%d bytes are counted", n)
			}
		})
	})
	t.Run("events that were read don't count", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			intake := h.intake(p)
			before := intake.Waiting()
			for range 100 {
				p.Register(tool("add"))
				p.Unregister("add")
			}
			h.quiet()
			if n := intake.Waiting() - before; n != 0 {
				t.Errorf("%d bytes are counted, though all were read", n)
			}
		})
	})
	t.Run("one report of a page waits for the registry", func(t *testing.T) {
		var reports atomic.Int64
		bubble(t, func(t *testing.T) {
			h := newHub(t, counting("tab.Report", &reports))
			p := h.offer()
			gate := make(chan struct{})
			h.pub.also(func([]registry.Effect) { <-gate })
			p.Register(tool("first"))
			synctest.Wait() // the registry is busy with it
			before := reports.Load()
			for i := range 1000 {
				p.Register(tool("other"))
				p.PushState(shop + fmt.Sprint(i))
				p.Unregister("other")
				fakeclock.Elapse(2 * tab.ReportInterval)
			}
			h.pub.also(nil)
			close(gate)
			h.want("shop_test_page0_first")
			if n := reports.Load() - before; n > 2 {
				t.Errorf("%d reports stood in the registry's mailbox", n)
			}
			if tab := h.tab(p); tab.URL != shop+"999" {
				t.Errorf("the last change is lost: %s", tab.URL)
			}
		})
	})
	t.Run("one title waits for its page", func(t *testing.T) {
		var titles atomic.Int64
		bubble(t, func(t *testing.T) {
			h := newHub(t, counting("tab.infoChanged", &titles))
			p := h.offer(tool("add"))
			goOn := h.stopActor(p)
			before := titles.Load()
			for i := range 1000 {
				p.SetTitle(fmt.Sprint("Title ", i))
			}
			goOn()
			h.quiet()
			if n := titles.Load() - before; n != 1 {
				t.Errorf("%d messages for 1000 titles", n)
			}
			if tab := h.tab(p); tab.Title != "Title 999" {
				t.Errorf("the title is %q", tab.Title)
			}
		})
	})
}
