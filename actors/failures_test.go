package actors

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/keeper"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// always is middleware that panics in each actor of a kind that gets the message.
func always(message string) func(*Options) {
	return func(o *Options) {
		o.inside = append(o.inside, func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
				if messageName(env.Message) == message {
					panic("a test's panic")
				}
				next(c, env)
			}
		})
	}
}

// failed says whether the hub has given up.
func (h *testHub) failed() bool {
	synctest.Wait()
	select {
	case err := <-h.Failed():
		return err != nil
	default:
		return false
	}
}

// TestTooManyFailures is what an actor that panics again and again leads to,
// instead of going on for ever.
func TestTooManyFailures(t *testing.T) {
	for kind, provoke := range map[string]struct {
		message string
		again   func(*testHub)
	}{
		"the registry": {"registry.FramesReported", func(h *testHub) { h.root.Send(h.registry, registry.FramesReported{}) }},
		"the browser":  {cdpclient.TargetTargetInfoChanged, func(h *testHub) { h.chrome.Pages()[0].SetTitle(time.Now().String()) }},
	} {
		t.Run("of "+kind+" end the hub", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, always(provoke.message))
				slow := newSlow()
				h.offer(slow.tool("wait"))
				c := h.begin("shop_test_page0_wait", `{}`)
				for range keeper.MaxFailures + 2 {
					provoke.again(h)
					h.quiet()
				}
				if !h.failed() {
					t.Error("it goes on")
				}
				if n := h.log.count(slog.LevelError, "can't go on"); n == 0 {
					t.Error("the log doesn't say so")
				}
				h.stop()
				c.result()
			})
		})
		t.Run("of "+kind+" count only within their window", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, always(provoke.message))
				h.offer(tool("add"))
				for range 3 * keeper.MaxFailures {
					provoke.again(h)
					fakeclock.Elapse(2 * keeper.FailureWindow / keeper.MaxFailures)
				}
				if h.failed() {
					t.Error("the hub gave up")
				}
				h.want("shop_test_page0_add")
			})
		})
	}
	t.Run("of a page cost only that page", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			q := h.chrome.OpenPage("http://news.test/")
			q.Register(tool("read"))
			h.quiet()
			for range keeper.MaxFailures + 1 {
				h.inActor(p, func(*cdpLink) { panic("a test's panic") })
				h.quiet()
			}
			h.want("news_test_page0_read")
			if n := h.log.count(slog.LevelError, "left alone"); n != 1 {
				t.Errorf("the log says so %d times", n)
			}
			h.inActor(q, func(*cdpLink) { panic("a test's panic") })
			h.want("news_test_page0_read")
			if h.failed() {
				t.Error("the hub gave up")
			}
			h.chrome.Disconnect() // a new connection is a new chance
			fakeclock.Elapse(firstBackoff)
			h.want("shop_test_page0_add", "news_test_page1_read")
		})
	})
	t.Run("at once, of a page that can't even start", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t, func(o *Options) {
				o.inside = append(o.inside, func(next actor.ReceiverFunc) actor.ReceiverFunc {
					return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
						p, ok := c.Actor().(*tab.Tab)
						if _, started := env.Message.(*actor.Started); ok && started && p.Doc.URL == shop {
							panic("a test's panic")
						}
						next(c, env)
					}
				})
			})
			h.chrome.OpenPage("http://news.test/").Register(tool("read"))
			h.chrome.OpenPage(shop).Register(tool("add"))
			h.want("news_test_page0_read")
			if n := h.log.count(slog.LevelError, "panicked"); n != keeper.MaxFailures+1 {
				t.Errorf("%d panics", n)
			}
		})
	})
	t.Run("in the mending itself end the hub", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			pid := h.root.Spawn(props(h.Hub, hopeless{}))
			if !h.failed() {
				t.Error("it goes on")
			}
			h.root.Stop(pid)
		})
	})
}

type hopeless struct{}

func (hopeless) Receive(actor.Context)     { panic("a test's panic") }
func (hopeless) Failed(actor.Context, any) { panic("another") }
