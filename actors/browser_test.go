package actors

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

	"webmcphub/actors/keeper"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

func TestReconnect(t *testing.T) {
	for name, drop := range map[string]func(*cdptest.Browser){"socket broke": (*cdptest.Browser).Disconnect, "Chrome died": (*cdptest.Browser).Die} {
		t.Run("withdraws at once and says so: "+name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p := h.offer(tool("add"))
				h.want("shop_test_page0_add")
				drop(h.chrome)
				h.want() // long before the next attempt
				if s := h.pub.current().BrowserStatus(); !strings.Contains(s, "was lost") {
					t.Errorf("the status is %q", s)
				}
				if n := len(h.dialer.attempts()); n != 1 {
					t.Fatalf("%d attempts already", n)
				}
				if name == "Chrome died" {
					h.dialer.replace(cdptest.New()) // the next one
					fakeclock.Elapse(firstBackoff)
					h.want()
					h.dialer.current().OpenPage(shop).Register(tool("new"))
					h.want("shop_test_page0_new")
					return
				}
				fakeclock.Elapse(firstBackoff)
				h.want("shop_test_page0_add")
				if s := h.pub.current().BrowserStatus(); s != "" {
					t.Errorf("the status is %q", s)
				}
				h.call("shop_test_page0_add", `{}`, "ok")
				p.Register(tool("buy"))
				h.want("shop_test_page0_add", "shop_test_page0_buy")
			})
		})
	}
	t.Run("keeps the order and the ids of the pages that it finds again", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			for i := range 5 {
				h.chrome.OpenPage(fmt.Sprintf("http://s%d.test/", i)).Register(tool("x"))
			}
			h.quiet()
			before, tabs := h.tools(), h.pub.current().Tabs()
			h.chrome.Disconnect()
			h.want()
			fakeclock.Elapse(firstBackoff)
			h.want(before...)
			for i, tab := range h.pub.current().Tabs() {
				if tab.ID != tabs[i].ID || tab.Page != tabs[i].Page {
					t.Errorf("tab %d at %s is tab %d at %s now", tabs[i].ID, tabs[i].URL, tab.ID, tab.URL)
				}
			}
		})
	})
	t.Run("backs off while Chrome can't be reached, and logs each reason once", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.dialer.failWith(func(attempt int) error {
				if attempt <= 5 {
					return errors.New("nobody listens on port 9222; start Chrome")
				}
				if attempt <= 10 {
					return errors.New("another reason")
				}
				return nil
			})
			h.chrome.OpenPage(shop).Register(tool("add"))
			h.start()
			if s := h.pub.current().BrowserStatus(); !strings.Contains(s, "start Chrome") {
				t.Errorf("the status is %q", s)
			}
			fakeclock.Elapse(time.Minute)
			h.want("shop_test_page0_add")
			var waits []time.Duration
			all := h.dialer.attempts()
			for i := range all[1:] {
				waits = append(waits, all[i+1].Sub(all[i]))
			}
			ms := time.Millisecond
			want := []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 5000 * ms, 5000 * ms, 5000 * ms, 5000 * ms}
			if !slices.Equal(waits, want) {
				t.Errorf("waited %v, want %v", waits, want)
			}
			if n := h.log.count(slog.LevelWarn, "could not be reached"); n != 2 {
				t.Errorf("%d warnings for two reasons", n)
			}
		})
	})
	t.Run("backs off from a Chrome that hangs up at once", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.chrome.Die() // connections to it end as they are made
			h.start()
			fakeclock.Elapse(time.Minute)
			if n := len(h.dialer.attempts()); n > 20 {
				t.Errorf("%d attempts in a minute", n)
			}
		})
	})
	t.Run("begins again with short waits after a connection that worked", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.dialer.failWith(func(attempt int) error {
				if attempt <= 6 {
					return errors.New("not yet")
				}
				return nil
			})
			h.offer(tool("add"))
			h.start()
			fakeclock.Elapse(time.Minute)
			h.want("shop_test_page0_add")
			h.chrome.Disconnect()
			fakeclock.Elapse(firstBackoff)
			h.want("shop_test_page0_add")
		})
	})
	t.Run("messages of an old connection are not heard", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.offer(tool("add"))
			h.root.Send(h.browser, fromBrowser{epoch: 0, message: cdpclient.Closed{Err: errors.New("long ago")}})
			h.root.Send(h.browser, redial{epoch: 0})
			h.want("shop_test_page0_add")
			if n := len(h.dialer.attempts()); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	})
	t.Run("a Chrome that refuses to be watched is reported", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.chrome.On(cdpclient.TargetSetAutoAttach, func(cdptest.Command) (any, error) { return nil, errors.New("not allowed") })
			h.start()
			if n := h.log.count(slog.LevelError, "refused a command"); n != 1 {
				t.Errorf("logged %d times", n)
			}
		})
	})
}

func TestStop(t *testing.T) {
	t.Run("leaves nothing running", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			h := prepare(t)
			h.Hub = Start(h.opts)
			w := newSlow()
			p := h.offer(tool("add"))
			p.AddFrame(ads).Register(tool("pay"))
			s := h.serve(p.Main(), w.tool("wait"))
			release := s.hold("tools/list")
			s.change(tool("later"))
			c := h.begin("shop_test_page0_wait", `{}`)
			h.stop()
			c.fails("The hub is stopping")
			release()
			s.Stop()
			if n := h.dialer.open(); n != 0 {
				t.Errorf("%d connections are open", n)
			}
			fakeclock.Elapse(time.Minute)
			synctest.Wait()
			h.chrome.Die()
			synctest.Wait()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("twice", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.offer(tool("add"))
			h.stop()
			h.stop()
		})
	})
	t.Run("by many at a time", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
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
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			w := newSlow()
			h.offer(w.tool("wait"))
			var calls []*running
			for range 20 {
				calls = append(calls, h.begin("shop_test_page0_wait", `{}`))
			}
			h.stop()
			for _, c := range calls {
				c.fails("The hub is stopping")
			}
			if _, aborted := w.counts(); aborted != len(calls) {
				t.Errorf("the page was told of %d calls that nobody waits for any more", aborted)
			}
		})
	})
	t.Run("a call after it is answered", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			h.stop()
			h.beginTool(t.Context(), add, `{}`).fails("The hub is stopping")
		})
	})
	t.Run("during an attempt waits for its end and closes what it brings", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.dialer.hold = make(chan struct{})
			h.start()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := h.Stop(ctx); err == nil {
				t.Error("it stopped before its Chrome was there to be closed")
			}
			close(h.dialer.hold)
			h.stop()
			if n := h.dialer.open(); n != 0 {
				t.Errorf("%d connections are open", n)
			}
		})
	})
	t.Run("during an attempt that fails", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.dialer.hold = make(chan struct{})
			h.dialer.failWith(func(int) error { return errors.New("no Chrome") })
			h.start()
			go func() { close(h.dialer.hold) }()
			h.stop()
			if n := len(h.dialer.attempts()); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	})
	t.Run("between two attempts", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.dialer.failWith(func(int) error { return errors.New("no Chrome") })
			h.start()
			n := len(h.dialer.attempts())
			h.stop()
			fakeclock.Elapse(time.Minute)
			if len(h.dialer.attempts()) != n {
				t.Error("it still tries")
			}
		})
	})
}

func TestPanics(t *testing.T) {
	t.Run("of a page's actor end its calls, and the page is taken up anew", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			w := newSlow()
			p := h.offer(newSlow().tool("wait"))
			q := h.chrome.OpenPage("http://news.test/")
			q.Register(w.tool("read"))
			h.want("shop_test_page0_wait", "news_test_page1_read")
			c, other := h.begin("shop_test_page0_wait", `{}`), h.begin("news_test_page1_read", `{}`)
			h.inActor(p, func(*cdpLink) { panic("a test's panic") })
			synctest.Wait()
			c.fails("wait") // whatever it says
			other.runs()
			h.want("shop_test_page1_wait", "news_test_page0_read")
			if n := h.log.count(slog.LevelError, "panicked"); n != 1 {
				t.Errorf("logged %d times", n)
			}
			p.Register(tool("more"))
			h.want("shop_test_page1_wait", "shop_test_page1_more", "news_test_page0_read")
			h.call("shop_test_page1_more", `{}`, "ok")
			w.answers <- "unharmed"
			other.says("unharmed")
		})
	})
	t.Run("of a page's actor while it ends are survived", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			goOn := h.stopActor(p)
			h.inActor(p, func(*cdpLink) { panic("a test's panic") })
			p.Close()
			goOn()
			h.want()
			h.chrome.OpenPage(shop).Register(tool("add"))
			h.want("shop_test_page0_add")
		})
	})
	t.Run("of one page again and again are given up", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			q := h.chrome.OpenPage("http://news.test/")
			q.Register(tool("read"))
			p := h.offer(tool("add"))
			for range keeper.MaxFailures {
				h.inActor(p, func(*cdpLink) { panic("a test's panic") })
				h.want("shop_test_page1_add", "news_test_page0_read")
			}
			h.inActor(p, func(*cdpLink) { panic("a test's panic") })
			h.want("news_test_page0_read")
		})
	})
	t.Run("of the publisher don't end the hub", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			h.want("shop_test_page0_add")
			h.pub.also(func([]registry.Effect) { panic("a test's panic") })
			p.Register(tool("buy"))
			h.quiet()
			h.pub.also(nil)
			p.Register(tool("sell"))
			h.want("shop_test_page0_add", "shop_test_page0_buy", "shop_test_page0_sell")
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
	bubble(t, func(t *testing.T) {
		quits := true
		h := prepare(t, func(o *Options) {
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
		h.offer(tool("add"))
		h.start()
		attempts := func(want int) {
			t.Helper()
			fakeclock.Elapse(time.Hour)
			if n := len(h.dialer.attempts()); n != want {
				t.Fatalf("%d attempts, want %d", n, want)
			}
		}
		attempts(0)
		if s := h.pub.current().BrowserStatus(); s != notNeeded {
			t.Errorf("the status is %q", s)
		}
		connect := func() {
			t.Helper()
			if _, err := h.Connect(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			h.quiet()
		}
		connect()
		h.want("shop_test_page0_add")
		h.chrome.Disconnect() // as closing does
		attempts(1)
		h.want()
		if s := h.pub.current().BrowserStatus(); s != closed {
			t.Errorf("the status is %q", s)
		}
		quits = false
		connect()
		h.want("shop_test_page0_add")
		h.chrome.Disconnect()
		attempts(3)
		h.want("shop_test_page0_add")
		// One that can't be started is left alone, too.
		h.dialer.failWith(func(int) error { return errors.New("there is no Chrome") })
		h.chrome.Disconnect()
		attempts(4)
		if s := h.pub.current().BrowserStatus(); s != "there is no Chrome" {
			t.Errorf("the status is %q", s)
		}
		h.dialer.failWith(nil)
		connect()
	})
}

type dialFunc func(ctx context.Context) (cdpclient.Wire, error)

func (d dialFunc) Dial(ctx context.Context) (cdpclient.Wire, error) { return d(ctx) }
