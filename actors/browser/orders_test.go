package browser_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

func TestTabOrders(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		h.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
		info, err := h.Connect(t.Context(), false)
		if want := (BrowserInfo{Name: "Chrome", Version: "156.0.0.0"}); info != want || err != nil {
			t.Errorf("connected to %v (%v), want %v", info, err, want)
		}
		id, err := h.OpenTab(t.Context(), registry.NewTab{URL: Shop})
		if err != nil {
			t.Fatal(err)
		}
		h.Quiet()
		if tab := h.Pub.Current().Tab(id); tab == nil || tab.URL != Shop {
			t.Errorf("the new tab is %v", tab)
		}
		if _, err := h.OpenTab(t.Context(), registry.NewTab{URL: Third, Background: true}); err != nil {
			t.Error(err)
		}
		var told []string
		for _, c := range h.Chrome.Commands() {
			if c.Method == cdpclient.TargetCreateTarget {
				told = append(told, string(c.Params))
			}
		}
		if want := []string{`{"url":"` + Shop + `"}`, `{"url":"` + Third + `","background":true}`}; !slices.Equal(told, want) {
			t.Errorf("Chrome was told %q, want %q", told, want)
		}
		if err := h.ActivateTab(t.Context(), id); err != nil {
			t.Error(err)
		}
		if err := h.CloseTab(t.Context(), id); err != nil {
			t.Error(err)
		}
		h.Quiet()
		if tab := h.Pub.Current().Tab(id); tab != nil {
			t.Errorf("the closed tab is still there: %v", tab)
		}
		var refused *cdpclient.Error
		if err := h.CloseTab(t.Context(), id); !errors.As(err, &refused) {
			t.Errorf("closing it again: %v", err)
		}
	})
}

// TestTabsThatStayOpen: an order to close a tab leaves nothing behind where the tab doesn't close.
func TestTabsThatStayOpen(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Chrome.OpenPage(Shop)
		h.Chrome.On(cdpclient.TargetCloseTarget, func(cdptest.Command) (any, error) { return map[string]bool{"success": true}, nil })
		h.Quiet()
		for range 3 {
			if err := h.CloseTab(t.Context(), registry.PageID(p.ID())); err != nil {
				t.Error(err)
			}
		}
		h.Quiet()
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if n := strings.Count(string(stacks), "browser.(*Actor).closeTab.func"); n != 0 {
			t.Errorf("%d goroutines are left", n)
		}
	})
}

// TestOpenedInVain: a tab that Chrome opens when nobody waits for it any more doesn't stay.
func TestOpenedInVain(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		h.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.OpenTab(gone, registry.NewTab{URL: Shop}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		h.Quiet()
		opened := slices.ContainsFunc(h.Chrome.Commands(), func(c cdptest.Command) bool { return c.Method == cdpclient.TargetCreateTarget })
		if tabs := h.Pub.Current().Tabs(); !opened || slices.ContainsFunc(tabs, func(t *registry.Tab) bool { return t.URL == Shop }) {
			t.Errorf("Chrome was asked: %v; tabs %v", opened, tabs)
		}
	})
}

func TestOrdersWithoutChrome(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t, func(o *Options) { o.Lazy = true })
		h.Dialer.FailWith(func(int) error { return errors.New("no Chrome here") })
		h.Start()
		if n := len(h.Dialer.Attempts()); n != 0 {
			t.Fatalf("%d attempts before anybody asked", n)
		}
		if s := h.Pub.Current().BrowserStatus(); s != registry.NotAsked {
			t.Errorf("the status is %q", s)
		}
		if _, err := h.OpenTab(t.Context(), registry.NewTab{URL: Shop}); err == nil || !strings.Contains(err.Error(), "no browser is connected") {
			t.Errorf("opened a tab: %v", err)
		}
		if _, err := h.Connect(t.Context(), true); err == nil || err.Error() != "no Chrome here" {
			t.Errorf("connected: %v", err)
		}
		h.Quiet()
		if n := len(h.Dialer.Attempts()); n != 1 {
			t.Errorf("%d attempts, want the one that was asked for", n)
		}
		h.Dialer.FailWith(nil)
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Error(err)
		}
		h.Chrome.Die()
		h.Dialer.Replace(cdptest.New())
		h.Quiet()
		if n := len(h.Dialer.Attempts()); n != 2 || h.Pub.Current().BrowserStatus() == "" {
			t.Errorf("after the loss: %d attempts, status %q", n, h.Pub.Current().BrowserStatus())
		}
		if _, err := h.Connect(t.Context(), false); err != nil || h.Pub.Current().BrowserStatus() != "" {
			t.Errorf("not connected again: %v, status %q", err, h.Pub.Current().BrowserStatus())
		}
	})
}

// A launch that is asked for while an attempt without one is under way comes
// after that has failed.
func TestConnectLaunches(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		launcher := &ChromeDialer{Chrome: cdptest.New()}
		h := Prepare(t, func(o *Options) { o.Lazy, o.Launcher = true, launcher })
		h.Dialer.FailWith(func(int) error { return errors.New("no Chrome here") })
		hold := make(chan struct{})
		h.Dialer.Hold = hold
		h.Start()
		defer func() { launcher.Close(); launcher.Current().Die() }()

		connect := func(launch bool) <-chan error {
			done := make(chan error, 1)
			go func() {
				_, err := h.Connect(context.Background(), launch)
				done <- err
			}()
			synctest.Wait()
			return done
		}
		first, second := connect(false), connect(true)
		close(hold)
		if err := <-second; err != nil {
			t.Error(err)
		}
		if err := <-first; err != nil {
			t.Error(err) // there is a Chrome now
		}
		if len(launcher.Attempts()) != 1 {
			t.Errorf("launched %d times", len(launcher.Attempts()))
		}
	})
}

func TestOrdersEndWithTheirContextAndTheHub(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t, func(o *Options) { o.Lazy = true })
		hold := make(chan struct{})
		h.Dialer.Hold = hold
		h.Start()
		h.ExtensionsKeptOut("port 8765 is taken")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		if _, err := h.Connect(ctx, false); err == nil || !strings.Contains(err.Error(), "enough") {
			t.Errorf("connected: %v", err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := h.Connect(context.Background(), false)
			done <- err
		}()
		synctest.Wait()
		go h.Stop(context.Background())
		synctest.Wait()
		close(hold)
		if err := <-done; !errors.Is(err, ErrStopped) || err.Error() != ErrStopped.Error() {
			t.Errorf("connected: %v", err)
		}
		synctest.Wait()
		if err := h.CloseTab(t.Context(), registry.PageID("X")); !errors.Is(err, ErrStopped) {
			t.Errorf("closed a tab: %v", err)
		}
	})
}
