package actors_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/keeper"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func TestReconnect(t *testing.T) {
	for name, drop := range map[string]func(*cdptest.Browser){"socket broke": (*cdptest.Browser).Disconnect, "Chrome died": (*cdptest.Browser).Die} {
		t.Run("withdraws at once and says so: "+name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p := h.Offer(Tool("add"))
				h.Want("shop_test_page0_add")
				drop(h.Chrome)
				h.Want() // long before the next attempt
				if s := h.Pub.Current().BrowserStatus(); !strings.Contains(s, "was lost") {
					t.Errorf("the status is %q", s)
				}
				if n := len(h.Dialer.Attempts()); n != 1 {
					t.Fatalf("%d attempts already", n)
				}
				if name == "Chrome died" {
					h.Dialer.Replace(cdptest.New()) // the next one
					fakeclock.Elapse(FirstBackoff)
					h.Want()
					h.Dialer.Current().OpenPage(Shop).Register(Tool("new"))
					h.Want("shop_test_page0_new")
					return
				}
				fakeclock.Elapse(FirstBackoff)
				h.Want("shop_test_page0_add")
				if s := h.Pub.Current().BrowserStatus(); s != "" {
					t.Errorf("the status is %q", s)
				}
				h.CallSays("shop_test_page0_add", `{}`, "ok")
				p.Register(Tool("buy"))
				h.Want("shop_test_page0_add", "shop_test_page0_buy")
			})
		})
	}
	t.Run("keeps the order and the ids of the pages that it finds again", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			for i := range 5 {
				h.Chrome.OpenPage(fmt.Sprintf("http://s%d.test/", i)).Register(Tool("x"))
			}
			h.Quiet()
			before, tabs := h.Tools(), h.Pub.Current().Tabs()
			h.Chrome.Disconnect()
			h.Want()
			fakeclock.Elapse(FirstBackoff)
			h.Want(before...)
			for i, tab := range h.Pub.Current().Tabs() {
				if tab.ID != tabs[i].ID || tab.Page != tabs[i].Page {
					t.Errorf("tab %d at %s is tab %d at %s now", tabs[i].ID, tabs[i].URL, tab.ID, tab.URL)
				}
			}
		})
	})
	t.Run("backs off while Chrome can't be reached, and logs each reason once", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Dialer.FailWith(func(attempt int) error {
				if attempt <= 5 {
					return errors.New("nobody listens on port 9222; start Chrome")
				}
				if attempt <= 10 {
					return errors.New("another reason")
				}
				return nil
			})
			h.Chrome.OpenPage(Shop).Register(Tool("add"))
			h.Start()
			if s := h.Pub.Current().BrowserStatus(); !strings.Contains(s, "start Chrome") {
				t.Errorf("the status is %q", s)
			}
			fakeclock.Elapse(time.Minute)
			h.Want("shop_test_page0_add")
			var waits []time.Duration
			all := h.Dialer.Attempts()
			for i := range all[1:] {
				waits = append(waits, all[i+1].Sub(all[i]))
			}
			ms := time.Millisecond
			want := []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 5000 * ms, 5000 * ms, 5000 * ms, 5000 * ms}
			if !slices.Equal(waits, want) {
				t.Errorf("waited %v, want %v", waits, want)
			}
			if n := h.Log.Count(slog.LevelWarn, "could not be reached"); n != 2 {
				t.Errorf("%d warnings for two reasons", n)
			}
		})
	})
	t.Run("backs off from a Chrome that hangs up at once", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Chrome.Die() // connections to it end as they are made
			h.Start()
			fakeclock.Elapse(time.Minute)
			if n := len(h.Dialer.Attempts()); n > 20 {
				t.Errorf("%d attempts in a minute", n)
			}
		})
	})
	t.Run("begins again with short waits after a connection that worked", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Dialer.FailWith(func(attempt int) error {
				if attempt <= 6 {
					return errors.New("not yet")
				}
				return nil
			})
			h.Offer(Tool("add"))
			h.Start()
			fakeclock.Elapse(time.Minute)
			h.Want("shop_test_page0_add")
			h.Chrome.Disconnect()
			fakeclock.Elapse(FirstBackoff)
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("messages of an old connection are not heard", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Offer(Tool("add"))
			h.Root().Send(h.BrowserActor(), FromBrowser(0, cdpclient.Closed{Err: errors.New("long ago")}))
			h.Root().Send(h.BrowserActor(), Redial(0))
			h.Want("shop_test_page0_add")
			if n := len(h.Dialer.Attempts()); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	})
	t.Run("a Chrome that refuses to be watched is reported", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Chrome.On(cdpclient.TargetSetAutoAttach, func(cdptest.Command) (any, error) { return nil, errors.New("not allowed") })
			h.Start()
			if n := h.Log.Count(slog.LevelError, "refused a command"); n != 1 {
				t.Errorf("logged %d times", n)
			}
		})
	})
}

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
			for range keeper.MaxFailures {
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

// quitter is a wire to a Chrome that its user closed, not one that crashed.
type quitter struct{ cdpclient.Wire }

func (q quitter) Read() ([]byte, error) {
	msg, err := q.Wire.Read()
	if err != nil {
		err = fmt.Errorf("%w (%w)", cdpclient.ErrQuit, err)
	}
	return msg, err
}

// TestChromeThatIsStartedOnNeed isn't started before, nor again when its user
// closes it; one that crashes is.
func TestChromeThatIsStartedOnNeed(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		quits := true
		h := Prepare(t, func(o *Options) {
			o.OnNeed = true
			d := o.Dialer
			o.Dialer = dialFunc(func(ctx context.Context) (cdpclient.Wire, error) {
				w, err := d.Dial(ctx)
				if err == nil && quits {
					w = quitter{w}
				}
				return w, err
			})
		})
		h.Offer(Tool("add"))
		h.Start()
		attempts := func(want int) {
			t.Helper()
			fakeclock.Elapse(time.Hour)
			if n := len(h.Dialer.Attempts()); n != want {
				t.Fatalf("%d attempts, want %d", n, want)
			}
		}
		attempts(0)
		if s := h.Pub.Current().BrowserStatus(); s != NotNeeded {
			t.Errorf("the status is %q", s)
		}
		connect := func() {
			t.Helper()
			if _, err := h.Connect(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			h.Quiet()
		}
		connect()
		h.Want("shop_test_page0_add")
		h.Chrome.Disconnect() // as closing does
		attempts(1)
		h.Want()
		if s := h.Pub.Current().BrowserStatus(); s != Closed {
			t.Errorf("the status is %q", s)
		}
		quits = false
		connect()
		h.Want("shop_test_page0_add")
		h.Chrome.Disconnect()
		attempts(3)
		h.Want("shop_test_page0_add")
		// One that can't be started is left alone, too.
		h.Dialer.FailWith(func(int) error { return errors.New("there is no Chrome") })
		h.Chrome.Disconnect()
		attempts(4)
		if s := h.Pub.Current().BrowserStatus(); s != "there is no Chrome" {
			t.Errorf("the status is %q", s)
		}
		h.Dialer.FailWith(nil)
		connect()
	})
}

type dialFunc func(ctx context.Context) (cdpclient.Wire, error)

func (d dialFunc) Dial(ctx context.Context) (cdpclient.Wire, error) { return d(ctx) }
