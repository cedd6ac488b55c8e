package actors_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	. "webmcphub/actors"
	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// always is middleware that panics in each actor of a kind that gets the message.
func always(message string) func(*Options) {
	return func(o *Options) {
		o.TestHooks.Inside = append(o.TestHooks.Inside, func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
				if MessageName(env.Message) == message {
					panic("a test's panic")
				}
				next(c, env)
			}
		})
	}
}

// TestTooManyFailures is what an actor that panics again and again leads to,
// instead of going on for ever.
func TestTooManyFailures(t *testing.T) {
	for kind, provoke := range map[string]struct {
		message string
		again   func(*TestHub)
	}{
		"the registry": {"registry.FramesReported", func(h *TestHub) { h.TellRegistry(registry.FramesReported{}) }},
		"the browser":  {cdpclient.TargetTargetInfoChanged, func(h *TestHub) { h.Chrome.Pages()[0].SetTitle(time.Now().String()) }},
	} {
		t.Run("of "+kind+" end the hub", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t, always(provoke.message))
				slow := NewSlow()
				h.Offer(slow.Tool("wait"))
				c := h.Begin("shop_test_page0_wait", `{}`)
				for range supervisor.MaxFailures + 2 {
					provoke.again(h)
					h.Quiet()
				}
				if !h.GaveUp() {
					t.Error("it goes on")
				}
				if n := h.Log.Count(slog.LevelError, "can't go on"); n == 0 {
					t.Error("the log doesn't say so")
				}
				h.StopNow()
				c.Result()
			})
		})
		t.Run("of "+kind+" count only within their window", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t, always(provoke.message))
				h.Offer(Tool("add"))
				for range 3 * supervisor.MaxFailures {
					provoke.again(h)
					fakeclock.Elapse(2 * supervisor.FailureWindow / supervisor.MaxFailures)
				}
				if h.GaveUp() {
					t.Error("the hub gave up")
				}
				h.Want("shop_test_page0_add")
			})
		})
	}
	t.Run("of a page cost only that page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			q := h.Chrome.OpenPage("http://news.test/")
			q.Register(Tool("read"))
			h.Quiet()
			for range supervisor.MaxFailures + 1 {
				h.InActor(p, func(*tab.Tab) { panic("a test's panic") })
				h.Quiet()
			}
			h.Want("news_test_page0_read")
			if n := h.Log.Count(slog.LevelError, "left alone"); n != 1 {
				t.Errorf("the log says so %d times", n)
			}
			h.InActor(q, func(*tab.Tab) { panic("a test's panic") })
			h.Want("news_test_page0_read")
			if h.GaveUp() {
				t.Error("the hub gave up")
			}
			h.Chrome.Disconnect() // a new connection is a new chance
			fakeclock.Elapse(browser.FirstBackoff)
			h.Want("shop_test_page0_add", "news_test_page1_read")
		})
	})
	t.Run("at once, of a page that can't even start", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t, func(o *Options) {
				o.TestHooks.Inside = append(o.TestHooks.Inside, func(next actor.ReceiverFunc) actor.ReceiverFunc {
					return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
						p, ok := c.Actor().(*tab.Tab)
						if _, started := env.Message.(*actor.Started); ok && started && p.Doc.URL == Shop {
							panic("a test's panic")
						}
						next(c, env)
					}
				})
			})
			h.Chrome.OpenPage("http://news.test/").Register(Tool("read"))
			h.Chrome.OpenPage(Shop).Register(Tool("add"))
			h.Want("news_test_page0_read")
			if n := h.Log.Count(slog.LevelError, "panicked"); n != supervisor.MaxFailures+1 {
				t.Errorf("%d panics", n)
			}
		})
	})
	t.Run("in the mending itself end the hub", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			pid := h.Root().Spawn(Props(h.Hub, hopeless{}))
			if !h.GaveUp() {
				t.Error("it goes on")
			}
			h.Root().Stop(pid)
		})
	})
}

type hopeless struct{}

func (hopeless) Receive(actor.Context)     { panic("a test's panic") }
func (hopeless) Failed(actor.Context, any) { panic("another") }
