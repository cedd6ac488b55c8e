package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A soakTab is a tab on soak.html, alive or crashed.
type soakTab struct {
	*tab
	number  int             // never used again
	crashed <-chan struct{} // closed when its page's process has ended
}

var errCrashed = errors.New("the page has crashed")

// url is an address for a tab.
func (s *soak) url(p *soakTab, site string, more ...string) string {
	return s.address(site, append(more, fmt.Sprint("tab=", p.number))...)
}

// address is one on one of the two sites, of a page that may be on another
// runtime, be kept in the back-forward cache, or begin with frames.
func (s *soak) address(site string, more ...string) string {
	s.documents++
	more = append(more, fmt.Sprint("n=", s.documents))
	if site == "localhost" {
		return pages.otherSite("soak.html", more...)
	}
	return pages.url("soak.html", more...)
}

func (s *soak) site() string { return pick(s, "127.0.0.1", "localhost") }

// anyURL is url with everything left to chance. @mcp-b/global 5 isn't among
// it: beside native WebMCP it reads the page's tools at every change, and this
// Chromium (156) dies, all of it, when a page is left meanwhile.
func (s *soak) anyURL(p *soakTab, site string) string {
	more := []string{"runtime=" + pick(s, "native", "native", "native", "native", string(mcpb2))}
	if s.rng.IntN(2) == 0 {
		more = append(more, "cached=")
	}
	if s.rng.IntN(5) == 0 {
		more = append(more, "nest="+s.url(p, s.site()))
	}
	return s.url(p, site, more...)
}

func pick[T any](s *soak, from ...T) T { return from[s.rng.IntN(len(from))] }

func (s *soak) openTab() {
	s.opened++
	p := &soakTab{tab: &tab{t: s.t, chrome: s.c}, number: s.opened}
	p.tab = s.c.openAndLeave(s.t, s.anyURL(p, s.site()))
	p.watch()
	p.page("Page.enable", nil, nil) // for dialogs
	s.tabs = append(s.tabs, p)
}

// closeTab closes a tab for good: this Chromium (156) forgets that it was told to
// when the tab's next page comes just then.
func (s *soak) closeTab(i int) {
	s.t.Helper()
	for p := s.tabs[i]; s.isOpen(p); {
		gone := s.c.expect("", "Target.detachedFromTarget")
		// It may go by the time it's told to.
		_ = s.c.withPatience("", "Target.closeTarget", map[string]any{"targetId": p.target}, nil)
		select {
		case <-gone:
		case <-time.After(time.Second):
		}
	}
	s.tabs = append(s.tabs[:i:i], s.tabs[i+1:]...)
}

// isOpen says whether Chrome has the tab, whatever it was told.
func (s *soak) isOpen(p *soakTab) bool {
	s.t.Helper()
	return slices.ContainsFunc(s.chromesTabs(), func(info targetInfo) bool { return info.TargetID == p.target })
}

// watch readies for the next crash.
func (p *soakTab) watch() { p.crashed = p.chrome.expect(p.session, "Inspector.targetCrashed") }

func (p *soakTab) hasCrashed() bool {
	select {
	case <-p.crashed:
		return true
	default:
		return false
	}
}

// navigate goes elsewhere, which also brings a crashed tab back.
func (p *soakTab) navigate(url string) {
	p.t.Helper()
	if p.hasCrashed() {
		p.watch()
	}
	p.page("Page.navigate", map[string]any{"url": url}, nil)
}

// awaitCrash waits for what crash, or chrome://crash, does to the page.
func (p *soakTab) awaitCrash() {
	p.t.Helper()
	select {
	case <-p.crashed:
	case <-time.After(patience):
		p.t.Fatal("the page doesn't crash")
	}
}

// ask runs an expression in whatever page of ours the tab shows, or is about to.
func (p *soakTab) ask(expression string) (json.RawMessage, error) {
	expression = `(() => {
		const run = () => (` + expression + `);
		if (typeof truth === 'function') return run();
		if (location.href === 'about:blank') return new Promise(() => {});
		return new Promise(resolve => document.readyState === 'complete' ? resolve() : addEventListener('load', resolve)).then(run);
	})()`
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func(crashed <-chan struct{}) {
		select {
		case <-crashed:
			cancel()
		case <-ctx.Done():
		}
	}(p.crashed)
	for {
		value, err := p.evaluateWithin(ctx, expression)
		switch {
		case p.hasCrashed():
			return nil, errCrashed
		case !errors.Is(err, errReplaced):
			return value, err
		}
	}
}

// do is ask for what nobody needs an answer to. Pages may crash meanwhile, with
// one that shares their process.
func (p *soakTab) do(expression string) {
	p.t.Helper()
	if _, err := p.ask(expression); err != nil && !errors.Is(err, errCrashed) {
		p.t.Fatalf("in tab %d, %s: %v", p.number, expression, err)
	}
}
