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
	"webmcphub/cdpclient"
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
func starts(h *TestHub, address func() string) { startsWith(h, cmp.Or(address(), "chrome://newtab/")) }

func startsWith(h *TestHub, addresses ...string) {
	chrome := cdptest.New()
	for range 20 * len(h.Dialer.Attempts()) {
		chrome.OpenPage("about:blank").Close()
	}
	for _, address := range addresses {
		chrome.OpenPage(address)
	}
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

// twoTabs starts a hub whose Chrome has Shop and Cart open.
func twoTabs(t *testing.T, start func(*TestHub, func() string), set ...func(*Options)) (*TestHub, *announced) {
	t.Helper()
	h, clients := crashing(t, start, set...)
	h.Chrome.OpenPage(Shop)
	h.Chrome.OpenPage(Cart)
	h.Start()
	if _, err := h.Connect(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	h.Quiet()
	return h, clients
}

// open are the addresses of the tabs that the hub knows.
func open(h *TestHub) (all []string) {
	for _, tab := range h.Pub.Current().Tabs() {
		all = append(all, tab.URL)
	}
	return all
}

// TestClosedWhileTabsAreOpenedAgain: if the user closes Chrome before all tabs are open again, clients are told, and
// the next Chrome opens none of them.
func TestClosedWhileTabsAreOpenedAgain(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, clients := twoTabs(t, starts)
		h.Dialer.Dropping(`"result":{"targetId"`) // the reply about the second tab
		crash(h)
		h.Dialer.EndingWith(cdpclient.ErrQuit)
		h.Dialer.Current().Die()
		h.Quiet()
		clients.wants(t, "tab 1 is now tab 3", "tab 2 (Chrome was lost or closed again before)")
		if _, err := h.Connect(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		h.Quiet()
		if got := open(h); len(got) != 1 || got[0] == Shop || got[0] == Cart {
			t.Errorf("the next Chrome has %q", got)
		}
		if said := clients.take(); said != "" {
			t.Errorf("clients are told %q too", said)
		}
	})
}

// TestTabOpenedAgainBehindAnother: a page of an extension that comes first is not taken for the tab that Chrome was
// started with.
func TestTabOpenedAgainBehindAnother(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, clients := twoTabs(t, func(h *TestHub, address func() string) {
			startsWith(h, "chrome-extension://abc/welcome.html", address())
		})
		crash(h)
		if got := open(h); len(got) != 3 || got[1] != Shop || got[2] != Cart {
			t.Errorf("open are %q", got)
		}
		clients.wants(t, "tab 1 is now tab 4, tab 2 is now tab 5")
	})
}

// TestContextsThatChromeDoesNotName: where it isn't known which context is Chrome's own, nothing is opened again.
func TestContextsThatChromeDoesNotName(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, clients := crashing(t, starts)
		h.Dialer.Editing(func(msg []byte) [][]byte {
			return [][]byte{[]byte(strings.Replace(string(msg), `"defaultBrowserContextId"`, `"x"`, 1))}
		})
		h.Chrome.OpenPage(Shop).InContext("C1")
		h.Start()
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		h.Quiet()
		crash(h)
		clients.wants(t, "tab 1 (Chrome did not say whether")
		if got := open(h); len(got) != 1 || got[0] == Shop {
			t.Errorf("open are %q", got)
		}
	})
}

// TestTabsAreNotOpenedInAnotherChrome that the hub finds instead of starting one.
func TestTabsAreNotOpenedInAnotherChrome(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, clients := twoTabs(t, func(h *TestHub, _ func() string) { starts(h, func() string { return "" }) })
		crash(h)
		clients.wants(t, "tab 1, 2 (the hub went on with a Chrome that was running already)")
		if tabs := h.Pub.Current().Tabs(); len(tabs) != 1 || tabs[0].URL == Shop {
			t.Errorf("there are %v", tabs)
		}
	})
}
