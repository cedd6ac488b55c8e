package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// A soakAction is something that happens to a random tab, or to all.
type soakAction struct {
	name   string
	weight int
	do     func(s *soak, p *soakTab)
}

// soakActions are what may happen at any time to a tab whose page is alive.
var soakActions = []soakAction{
	{"a tab is opened", 7, func(s *soak, _ *soakTab) {
		if len(s.tabs) < soakTabs {
			s.openTab()
		}
	}},
	{"a tab is closed", 5, func(s *soak, p *soakTab) {
		if len(s.tabs) > 1 {
			s.closeTab(slices.Index(s.tabs, p))
		}
	}},
	{"a tab goes to its own site", 4, func(s *soak, p *soakTab) { s.goes(p, "127.0.0.1") }},
	{"a tab goes to the other site", 4, func(s *soak, p *soakTab) { s.goes(p, "localhost") }},
	{"a tab is reloaded", 5, func(s *soak, p *soakTab) {
		p.do("setTimeout(() => location.reload()), true")
		s.perhapsWait(p)
	}},
	{"a tab goes back", 4, func(s *soak, p *soakTab) { s.travels(p, "back") }},
	{"a tab goes forward", 4, func(s *soak, p *soakTab) { s.travels(p, "forward") }},
	{"tools come and go", 20, func(s *soak, p *soakTab) { p.do("churn(" + s.steps(1+s.rng.IntN(4)) + "), true") }},
	{"tools come and go in a storm", 4, func(s *soak, p *soakTab) { p.do("churn(" + s.steps(200) + "), true") }},
	{"tools of a frame come and go", 6, func(s *soak, p *soakTab) {
		p.do(fmt.Sprintf("churnFrame(%d, %s), true", s.rng.IntN(3), s.steps(1+s.rng.IntN(20))))
	}},
	{"a frame is added", 8, func(s *soak, p *soakTab) {
		more := []string{}
		if s.rng.IntN(4) == 0 {
			more = append(more, "nest="+s.url(p, s.site()))
		}
		p.do(fmt.Sprintf("frames_().length < 3 && addFrame(%q), true", s.url(p, s.site(), more...)))
	}},
	{"a frame is removed", 6, func(s *soak, p *soakTab) { p.do(fmt.Sprintf("removeFrame(%d), true", s.rng.IntN(3))) }},
	{"a frame goes elsewhere", 6, func(s *soak, p *soakTab) {
		p.do(fmt.Sprintf("moveFrame(%d, %q), true", s.rng.IntN(3), s.url(p, s.site())))
	}},
	{"a tool is called", 35, func(s *soak, _ *soakTab) { s.callAny() }},
	{"ten tools are called at once", 4, func(s *soak, _ *soakTab) {
		for range 10 {
			s.callAny()
		}
	}},
	{"a tool opens a dialog", 2, func(s *soak, p *soakTab) { s.dialog(p) }},
	{"the client lists", 8, func(s *soak, _ *soakTab) { s.list() }},
}

// crashedActions are what may happen to a tab whose page has crashed.
var crashedActions = []soakAction{
	{"a crashed tab is closed", 1, func(s *soak, p *soakTab) {
		if len(s.tabs) > 1 {
			s.closeTab(slices.Index(s.tabs, p))
		}
	}},
	{"a crashed tab goes elsewhere", 2, func(s *soak, p *soakTab) { p.navigate(s.anyURL(p, s.site())) }},
	{"a tool is called next to a crashed page", 6, func(s *soak, _ *soakTab) { s.callAny() }},
}

// anything does something, by weight.
func (s *soak) anything() {
	p := pick(s, s.tabs...)
	from := soakActions
	if p.hasCrashed() {
		from = crashedActions
	}
	sum := 0
	for _, a := range from {
		sum += a.weight
	}
	n := s.rng.IntN(sum)
	for _, a := range from {
		if n -= a.weight; n < 0 {
			s.note(p, a.name)
			a.do(s, p)
			return
		}
	}
}

// crash ends the process of a page while it's called. Only pages at rest crash:
// Chrome itself now and then dies of one that crashes on its way elsewhere.
func (s *soak) crash() {
	p := pick(s, s.tabs...)
	if p.hasCrashed() {
		return
	}
	for _, tool := range s.listed {
		if said := saidBy(tool); said.tab == p.number && (said.tool == "hangs" || said.tool == "waits" || said.tool == "ok") {
			s.call(tool, nil, 0)
		}
	}
	if s.rng.IntN(3) == 0 {
		s.note(p, "a tab goes to chrome://crash")
		_, err := p.chrome.send(p.session, "Page.navigate", map[string]any{"url": "chrome://crash"})
		p.must(err)
	} else {
		s.note(p, "a page crashes")
		p.crash()
	}
	p.awaitCrash()
}

func (s *soak) note(p *soakTab, what string) {
	s.did[what]++
	s.trail = append(s.trail[max(0, len(s.trail)-20):], fmt.Sprintf("%v tab %d: %s", time.Since(s.began).Round(time.Millisecond), p.number, what))
}

// goes navigates by script: a Page.navigate that another navigation overtakes
// can end this Chromium (156), all of it.
func (s *soak) goes(p *soakTab, site string) {
	p.do(fmt.Sprintf("setTimeout(() => { location.href = %q }), true", s.anyURL(p, site)))
	s.perhapsWait(p)
}

func (s *soak) travels(p *soakTab, where string) {
	p.do("setTimeout(() => history." + where + "()), true")
	s.perhapsWait(p)
}

// perhapsWait lets the next page settle, or not.
func (s *soak) perhapsWait(p *soakTab) {
	if s.rng.IntN(2) == 0 {
		p.do("truth()")
	}
}

// steps are for the page's churn. The few names recur in all frames.
func (s *soak) steps(n int) string {
	steps := make([][2]string, n)
	for i := range steps {
		steps[i] = [2]string{pick(s, "add", "remove", "update"), fmt.Sprint("t", s.rng.IntN(12))}
	}
	b, _ := json.Marshal(steps)
	return string(b)
}

// callAny calls a tool of the list that the client has, which may be old.
func (s *soak) callAny() {
	var from []mcp.Tool
	for _, tool := range s.listed {
		if pageTool.MatchString(tool.Name) && saidBy(tool).tool != "asks" {
			from = append(from, tool)
		}
	}
	if len(from) == 0 {
		s.list()
		return
	}
	tool := pick(s, from...)
	args := map[string]any{}
	if saidBy(tool).tool == "goes" {
		// Its own page or an iframe goes there, and @mcp-b/global 2 tells nobody of its
		// tools in an iframe of another site. The page says in which tab: by the time of
		// the call, a later list may have given the name to another tab's tool.
		args = map[string]any{"url": s.address(s.site()), "how": pick(s, "at once", "late", "never")}
	}
	var stopAfter time.Duration
	if s.rng.IntN(4) == 0 || strings.HasSuffix(saidBy(tool).tool, "s") && s.rng.IntN(4) > 0 { // hangs, waits
		stopAfter = time.Duration(1+s.rng.IntN(300)) * time.Millisecond
	}
	s.call(tool, args, stopAfter)
}

// dialog calls the tool that opens a dialog, and closes that as a user would.
func (s *soak) dialog(p *soakTab) {
	i := slices.IndexFunc(s.listed, func(tool mcp.Tool) bool {
		return pageTool.MatchString(tool.Name) && saidBy(tool).tool == "asks" && saidBy(tool).tab == p.number
	})
	if i < 0 {
		return
	}
	opened := p.chrome.expect(p.session, "Page.javascriptDialogOpening")
	called := s.call(s.listed[i], nil, 0)
	select {
	case <-opened:
	case <-called:
		return
	}
	// The page may go meanwhile, and the dialog with it. And this Chromium (156)
	// has dialogs that it can't close: those that open while the page reloads.
	for p.chrome.withPatience(p.session, "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil) != nil {
		select {
		case <-called:
			s.openTab()
			s.closeTab(slices.Index(s.tabs, p))
			return
		default:
		}
	}
}
