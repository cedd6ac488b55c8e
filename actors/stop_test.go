package actors_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func TestStop(t *testing.T) {
	t.Run("leaves nothing running", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			h := Prepare(t)
			h.Hub = Start(h.Opts)
			w := NewSlow()
			p := h.Offer(Tool("add"))
			p.AddFrame(Ads).Register(Tool("pay"))
			s := h.Serve(p.Main(), w.Tool("wait"))
			release := s.Hold("tools/list")
			s.Change(Tool("later"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			h.StopNow()
			c.Fails("The hub is stopping")
			release()
			s.Stop()
			if n := h.Dialer.Open(); n != 0 {
				t.Errorf("%d connections are open", n)
			}
			fakeclock.Elapse(time.Minute)
			synctest.Wait()
			h.Chrome.Die()
			synctest.Wait()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("twice", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Offer(Tool("add"))
			h.StopNow()
			h.StopNow()
		})
	})
	t.Run("by many at a time", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			done := make(chan error, 10)
			for range 10 {
				go func() { done <- h.Stop(context.Background()) }()
			}
			for range 10 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
		})
	})
	t.Run("with calls in flight answers them", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			w := NewSlow()
			h.Offer(w.Tool("wait"))
			var calls []*Running
			for range 20 {
				calls = append(calls, h.Begin("shop_test_page0_wait", `{}`))
			}
			h.StopNow()
			for _, c := range calls {
				c.Fails("The hub is stopping")
			}
			if _, aborted := w.Counts(); aborted != len(calls) {
				t.Errorf("the page was told of %d calls that nobody waits for any more", aborted)
			}
		})
	})
	t.Run("a call after it is answered", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			h.StopNow()
			h.BeginTool(t.Context(), add, `{}`).Fails("The hub is stopping")
		})
	})
	t.Run("during an attempt waits for its end and closes what it brings", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Dialer.Hold = make(chan struct{})
			h.Start()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := h.Stop(ctx); err == nil {
				t.Error("it stopped before its Chrome was there to be closed")
			}
			close(h.Dialer.Hold)
			h.StopNow()
			if n := h.Dialer.Open(); n != 0 {
				t.Errorf("%d connections are open", n)
			}
		})
	})
	t.Run("during an attempt that fails", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Dialer.Hold = make(chan struct{})
			h.Dialer.FailWith(func(int) error { return errors.New("no Chrome") })
			h.Start()
			go func() { close(h.Dialer.Hold) }()
			h.StopNow()
			if n := len(h.Dialer.Attempts()); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	})
	t.Run("between two attempts", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Dialer.FailWith(func(int) error { return errors.New("no Chrome") })
			h.Start()
			n := len(h.Dialer.Attempts())
			h.StopNow()
			fakeclock.Elapse(time.Minute)
			if len(h.Dialer.Attempts()) != n {
				t.Error("it still tries")
			}
		})
	})
}

func TestPanics(t *testing.T) {
	t.Run("of a page's actor end its calls, and the page is taken up anew", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			w := NewSlow()
			p := h.Offer(NewSlow().Tool("wait"))
			q := h.Chrome.OpenPage("http://news.test/")
			q.Register(w.Tool("read"))
			h.Want("shop_test_page0_wait", "news_test_page1_read")
			c, other := h.Begin("shop_test_page0_wait", `{}`), h.Begin("news_test_page1_read", `{}`)
			h.InActor(p, func(*tab.Tab) { panic("a test's panic") })
			synctest.Wait()
			c.Fails("wait") // whatever it says
			other.Runs()
			h.Want("shop_test_page1_wait", "news_test_page0_read")
			if n := h.Log.Count(slog.LevelError, "panicked"); n != 1 {
				t.Errorf("logged %d times", n)
			}
			p.Register(Tool("more"))
			h.Want("shop_test_page1_wait", "shop_test_page1_more", "news_test_page0_read")
			h.CallSays("shop_test_page1_more", `{}`, "ok")
			w.Answers <- "unharmed"
			other.Says("unharmed")
		})
	})
	t.Run("of a page's actor while it ends are survived", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			goOn := h.StopActor(p)
			h.InActor(p, func(*tab.Tab) { panic("a test's panic") })
			p.Close()
			goOn()
			h.Want()
			h.Chrome.OpenPage(Shop).Register(Tool("add"))
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("of one page again and again are given up", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			q := h.Chrome.OpenPage("http://news.test/")
			q.Register(Tool("read"))
			p := h.Offer(Tool("add"))
			for range supervisor.MaxFailures {
				h.InActor(p, func(*tab.Tab) { panic("a test's panic") })
				h.Want("shop_test_page1_add", "news_test_page0_read")
			}
			h.InActor(p, func(*tab.Tab) { panic("a test's panic") })
			h.Want("news_test_page0_read")
		})
	})
	t.Run("of the publisher don't end the hub", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			h.Want("shop_test_page0_add")
			h.Pub.Also(func([]registry.Effect) { panic("a test's panic") })
			p.Register(Tool("buy"))
			h.Quiet()
			h.Pub.Also(nil)
			p.Register(Tool("sell"))
			h.Want("shop_test_page0_add", "shop_test_page0_buy", "shop_test_page0_sell")
		})
	})
}
