package browser_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	. "webmcphub/actors"
	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
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
					fakeclock.Elapse(browser.FirstBackoff)
					h.Want()
					h.Dialer.Current().OpenPage(Shop).Register(Tool("new"))
					h.Want("shop_test_page0_new")
					return
				}
				fakeclock.Elapse(browser.FirstBackoff)
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
			fakeclock.Elapse(browser.FirstBackoff)
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
			fakeclock.Elapse(browser.FirstBackoff)
			h.Want("shop_test_page0_add")
		})
	})
	t.Run("messages of an old connection are not heard", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Offer(Tool("add"))
			h.TellChrome(browser.Said(0, cdpclient.Closed{Err: errors.New("long ago")}))
			h.TellChrome(browser.Redial(0))
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
		if s := h.Pub.Current().BrowserStatus(); s != browser.NotNeeded {
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
		if s := h.Pub.Current().BrowserStatus(); s != browser.Closed {
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
