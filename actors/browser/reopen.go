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

// After a crash of Chrome, the tabs that were open are opened again in the next Chrome, by their addresses. The next
// Chrome is started with the first address, which becomes its first tab. The others are opened when that tab is
// there.

// Bounds of what is opened again. The first address is an argument of the next Chrome, and a process can't start with
// arguments that are too long. So without a bound, a page could keep Chrome from starting.
const (
	maxReopened    = 64   // tabs
	maxReopenedURL = 2048 // bytes
)

// crash has the tabs of a Chrome that crashed, until the actor has told the registry what became of each.
type crash struct {
	tabs  []wasOpen
	begun bool // the first tab of the next Chrome is there
}

// wasOpen is one of these tabs.
type wasOpen struct {
	registry.ReopenedTab
	url string
}

type (
	// reopenReply tags the reply to the command that opens a tab again.
	reopenReply struct{ tab int }
	// contextsReply tags the reply that lists the browser contexts.
	contextsReply struct{}
)

// Reasons why tabs are not opened again. Clients read them.
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

// crashed records the tabs that were open in a Chrome that has crashed.
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

// reopenable says whether a page with this address may be opened again, as far as its scheme is concerned.
func reopenable(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// reopens returns how many tabs are to be opened again, and the address of the first one.
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

// reopensKey is the context key under which a dial's context has its attempt.
type reopensKey struct{}

// ReopenAddress returns the address with which a [Dialer] is to start Chrome: the first one that was open in the Chrome
// that crashed before, or "" if there is none. ctx is the context of Dial. A Dialer that doesn't start Chrome must
// not call ReopenAddress.
func ReopenAddress(ctx context.Context) string {
	a, _ := ctx.Value(reopensKey{}).(*attempt)
	if a == nil || a.first == "" {
		return ""
	}
	a.opened.Store(true)
	return a.first
}

// startedAgain is called when a Chrome has been reached, and handles the tabs of one that crashed before.
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

// firstTab is called for each new tab. The first tab of a Chrome that was started again is the one with which Chrome
// was started, and firstTab then opens the others. By now, its address may be missing still or be that of a redirect.
// But a page of the browser or of an extension is not that tab.
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

// reopenedTab handles the reply to the command that opens a tab again.
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

// leaveClosed ends the reopening. Tabs that aren't open again yet stay closed.
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

// tellReopened tells the registry what became of the tabs, once that is known for all of them.
func (b *Actor) tellReopened() {
	reopened := registry.TabsReopened{Browser: b.Browser}
	for _, t := range b.crash.tabs {
		if t.Is == "" && t.Why == "" {
			return
		}
		reopened.Tabs = append(reopened.Tabs, t.ReopenedTab)
	}
	b.crash = nil
	b.Tell(reopened)
}

// contexts records which browser context is Chrome's default one. Tabs in other contexts belong to a private window,
// or to somebody who has made a context over the debugging port.
func (b *Actor) contexts(r cdpclient.Reply) {
	var is struct{ DefaultBrowserContextID string }
	_ = json.Unmarshal(r.Result, &is) // a Chrome from before 2025 doesn't have it
	b.defaultContext = is.DefaultBrowserContextID
}
