package browser_test

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"testing"

	. "webmcphub/actors"
	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// announced is a publisher that keeps what clients are to be told.
type announced struct {
	Publisher
	mu   sync.Mutex
	said []string
}

func (a *announced) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if said, is := e.(registry.Announce); is {
			a.mu.Lock()
			a.said = append(a.said, said.Text)
			a.mu.Unlock()
		}
	}
	a.Publisher.Apply(effects)
}

func (a *announced) take() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	said := strings.Join(a.said, "\n")
	a.said = nil
	return said
}

// crashing prepares a hub whose Chrome crashes, and gives what its clients are told. start is as in
// [ChromeDialer.Crashing].
func crashing(t *testing.T, start func(h *TestHub, address func() string), set ...func(*Options)) (*TestHub, *announced) {
	clients := &announced{}
	h := Prepare(t, append(set, func(o *Options) {
		o.OnNeed, clients.Publisher, o.Publisher = true, o.Publisher, clients
	})...)
	first := true
	h.Dialer.Crashing(func(address func() string) {
		if !first {
			start(h, address)
		}
		first = false
	})
	return h, clients
}

// starts starts a Chrome with an address. No target there has the id of one of another Chrome.
func starts(h *TestHub, address func() string) {
	chrome := cdptest.New()
	for range 20 * len(h.Dialer.Attempts()) {
		chrome.OpenPage("about:blank").Close()
	}
	chrome.OpenPage(cmp.Or(address(), "chrome://newtab/"))
	h.Dialer.Replace(chrome)
}

func (a *announced) wants(t *testing.T, parts ...string) {
	t.Helper()
	said := a.take()
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("clients are told %q, which lacks %q", said, part)
		}
	}
}

// crash has Chrome crash, and waits until the next one is there.
func crash(h *TestHub) {
	h.Dialer.Current().Die()
	h.Quiet()
	fakeclock.Elapse(browser.MaxBackoff)
	h.Quiet()
}

// TestTabsAreOpenedAgain: what was open in a Chrome that crashed is opened again, each tab once, and clients are
// told which tab is which. Tabs of isolated contexts, and of sites that the rules keep out, are not.
func TestTabsAreOpenedAgain(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		denied, err := names.ParseOrigins(nil, []string{"http://denied.test"})
		if err != nil {
			t.Fatal(err)
		}
		h, clients := crashing(t, starts, func(o *Options) { o.Registry.Origins = denied })
		h.Chrome.OpenPage("chrome://settings/")
		h.Chrome.OpenPage(Shop)
		h.Chrome.OpenPage(Third).InContext("C1")
		h.Chrome.OpenPage("http://denied.test/")
		h.Chrome.OpenPage("http://long.test/" + strings.Repeat("x", 2048))
		h.Chrome.OpenPage(Cart)
		h.Chrome.OpenPage(Cart)
		h.Start()
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		h.Quiet()
		crash(h)
		var is []string
		for _, tab := range h.Pub.Current().Tabs() {
			is = append(is, fmt.Sprint(tab.ID, " ", tab.URL))
		}
		if got, want := strings.Join(is, ", "), fmt.Sprintf("8 %s, 9 %s, 10 %s", Shop, Cart, Cart); got != want {
			t.Errorf("open are %s, want %s", got, want)
		}
		clients.wants(t, "tab 2 is now tab 8, tab 6 is now tab 9, tab 7 is now tab 10",
			"tab 3 (isolated contexts end with Chrome)", "tab 4 (the user's rules for sites keep it out)",
			"tab 1 (only http and https", "tab 5 (the address is too long)")
		crash(h) // soon after
		clients.wants(t, "tab 8, 9, 10 (Chrome crashed soon after")
		if tabs := h.Pub.Current().Tabs(); len(tabs) != 1 || tabs[0].URL == Shop {
			t.Errorf("after the second crash there are %v", tabs)
		}
		h.Dialer.Current().OpenPage(Shop)
		h.Quiet()
		fakeclock.Elapse(browser.ReopenPause)
		crash(h)
		clients.wants(t, "tab 12 is now tab 13")
	})
}

// TestTabsAreNotOpenedInAnotherChrome that the hub finds instead of starting one.
func TestTabsAreNotOpenedInAnotherChrome(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, clients := crashing(t, func(h *TestHub, _ func() string) { starts(h, func() string { return "" }) })
		h.Chrome.OpenPage(Shop)
		h.Chrome.OpenPage(Cart)
		h.Start()
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		h.Quiet()
		crash(h)
		clients.wants(t, "tab 1, 2 (the hub went on with a Chrome that was running already)")
		if tabs := h.Pub.Current().Tabs(); len(tabs) != 1 || tabs[0].URL == Shop {
			t.Errorf("there are %v", tabs)
		}
	})
}
