package browser

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// What was open in a Chrome that crashed is opened again in the next one, by its addresses. The next Chrome is
// started with the first address, so its first tab is that one. The others are opened when that tab is there.

// Bounds of what is opened again. The first address is an argument of the next Chrome, and a process can't start
// with arguments that are too long: a page must not be able to keep Chrome from starting.
const (
	maxReopened    = 64   // tabs
	maxReopenedURL = 2048 // bytes
)

// crash is what was open in a Chrome that crashed, until the registry has been told what became of each tab.
type crash struct {
	tabs  []wasOpen
	begun bool // the first tab of the next Chrome is there
}

// wasOpen is one of the tabs.
type wasOpen struct {
	registry.ReopenedTab
	url string
}

type (
	// reopenReply tags the reply to the order to open a tab again.
	reopenReply struct{ tab int }
	// contextsReply tags the reply that names the browser contexts.
	contextsReply struct{}
)

// Why tabs are not opened again. Clients read it.
const (
	whyIsolated  = "isolated contexts end with Chrome"
	whyUnknown   = "Chrome did not say whether its context was an isolated one"
	whyKeptOut   = "the user's rules for sites keep it out"
	whyScheme    = "only http and https addresses are opened again"
	whyLong      = "the address is too long"
	whyMany      = "at most 64 tabs are opened again"
	whyAgain     = "Chrome crashed soon after tabs had been opened again, perhaps because of one of them"
	whyOther     = "the hub went on with a Chrome that was running already"
	whyLostAgain = "Chrome was lost or closed again before"
	whyRefused   = "Chrome refused to open it"
)

// crashed notes what was open in a Chrome that has crashed.
func (b *Actor) crashed() {
	b.crash = &crash{}
	n := 0
	for _, t := range b.tabs.InOrder() {
		was, context := wasOpen{url: t.Shown.URL}, t.Shown.BrowserContextID
		was.Was = t.ID
		switch {
		case time.Since(b.reopened) < ReopenPause:
			was.Why = whyAgain
		case context != "" && b.defaultContext == "":
			was.Why = whyUnknown
		case context != "" && context != b.defaultContext:
			was.Why = whyIsolated
		case !reopenable(was.url):
			was.Why = whyScheme
		case len(was.url) > maxReopenedURL:
			was.Why = whyLong
		case n >= maxReopened:
			was.Why = whyMany
		default:
			n++
		}
		b.crash.tabs = append(b.crash.tabs, was)
	}
}

// reopenable says whether an address has a scheme that is opened again.
func reopenable(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// reopens says how many tabs are to be opened again, and the address of the first one.
func (b *Actor) reopens() (n int, first string) {
	if b.crash == nil {
		return 0, ""
	}
	for i := range b.crash.tabs {
		t := &b.crash.tabs[i]
		if t.Why == "" && b.Origins.KeptOut(t.url) != nil {
			t.Why = whyKeptOut
		}
		if t.Why == "" {
			if n++; n == 1 {
				first = t.url
			}
		}
	}
	return n, first
}

// reopensKey is the key of a dial's context for its attempt.
type reopensKey struct{}

// Reopens is the address that a [Dialer] which starts Chrome has it open: the first one that was open in the Chrome
// before, which crashed; "" is none. ctx is what the Dialer was given. A Dialer that doesn't start Chrome must not ask.
func Reopens(ctx context.Context) string {
	a, _ := ctx.Value(reopensKey{}).(*attempt)
	if a == nil || a.first == "" {
		return ""
	}
	a.opened.Store(true)
	return a.first
}

// startedAgain is for a Chrome that has been reached after one crashed.
func (b *Actor) startedAgain() {
	if b.crash == nil {
		return
	}
	if b.attempt.opened.Load() {
		b.reopened = time.Now()
		return
	}
	b.leaveClosed(whyOther)
}

// firstTab is told of each new tab. The first one of a Chrome that was started again is the one that Chrome was
// started with; then the others are opened. Its address may be that of a redirect by now, or be missing still. But
// a page of the browser or of an extension is another tab.
func (b *Actor) firstTab(page registry.PageID, url string) {
	if b.crash == nil || b.crash.begun || url != "" && url != "about:blank" && !reopenable(url) {
		return
	}
	b.crash.begun = true
	for i := range b.crash.tabs {
		switch t := &b.crash.tabs[i]; {
		case t.Why != "":
		case page != "":
			t.Is, page = page, ""
		default:
			b.conn.Post("", cdpclient.TargetCreateTarget, createTarget{t.url, true}, reopenReply{i})
		}
	}
	b.tellReopened()
}

// reopenedTab takes the reply to the order to open a tab again.
func (b *Actor) reopenedTab(tab int, r cdpclient.Reply) {
	if b.crash == nil {
		return
	}
	var created cdpclient.CreateTargetResult
	if t := &b.crash.tabs[tab]; errors.Join(r.Err, json.Unmarshal(r.Result, &created)) != nil {
		t.Why = whyRefused
	} else {
		t.Is = b.page(string(created.TargetID))
	}
	b.tellReopened()
}

// leaveClosed ends the reopening: what isn't open again yet stays closed.
func (b *Actor) leaveClosed(why string) {
	if b.crash == nil {
		return
	}
	for i := range b.crash.tabs {
		if t := &b.crash.tabs[i]; t.Is == "" && t.Why == "" {
			t.Why = why
		}
	}
	b.tellReopened()
}

// tellReopened tells the registry what became of the tabs, once that is known of all.
func (b *Actor) tellReopened() {
	told := registry.TabsReopened{Browser: b.Browser}
	for _, t := range b.crash.tabs {
		if t.Is == "" && t.Why == "" {
			return
		}
		told.Tabs = append(told.Tabs, t.ReopenedTab)
	}
	b.crash = nil
	b.Tell(told)
}

// contexts learns which browser context is Chrome's own. Tabs in others are a private window's, or somebody
// has made their contexts over the debugging port.
func (b *Actor) contexts(r cdpclient.Reply) {
	var is struct{ DefaultBrowserContextID string }
	_ = json.Unmarshal(r.Result, &is) // a Chrome from before 2025 doesn't say
	b.defaultContext = is.DefaultBrowserContextID
}
