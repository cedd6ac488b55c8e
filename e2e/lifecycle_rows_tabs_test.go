package e2e

import (
	"path/filepath"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	closed    = `error: The page of tool "…" was closed; whether the call took effect is unknown. List the tools again.`
	wasClosed = goneBegins + `the page that it belonged to was closed` + goneEnds
)

var tabRows = []row{
	{
		page:   "A page opens a popup.",
		list:   "The popup's tools join as those of the next page.",
		during: says("done"),
		after:  says("b ran"),
		run: func(s *scene) {
			s.begin()
			s.addTool("waits", "async () => { note('waiting'); await happened('go'); return text('done'); }")
			call := s.start("waits", "waiting")
			s.popUp()
			s.lists("a", "a_hangs", "waits", "1/b", "1/b_hangs")
			s.after("1/b")
			s.p.eval(`note('go')`)
			s.during(call)
		},
	},
	{
		page:   "A popup is closed by the page that opened it.",
		unsaid: true,
		list:   "Its tools go.",
		during: says(closed),
		after:  says(wasClosed),
		run: func(s *scene) {
			s.begin()
			s.popUp()
			s.lists("a", "a_hangs", "1/b", "1/b_hangs")
			call := s.start("1/b_hangs", "hanging")
			s.unseen()
			s.p.eval(`popup.close()`)
			s.during(call)
			s.stale("1/b")
			s.lists("a", "a_hangs")
			s.works("a")
		},
	},
	{
		page:   "The user or a page closes the tab.",
		list:   "Its tools go.",
		during: says(closed),
		after:  says(wasClosed),
		run: func(s *scene) {
			s.begin()
			call := s.hangs()
			s.unseen()
			s.p.close()
			s.during(call)
			s.stale("a")
			s.lists()
		},
	},
	{
		page:   "The page crashes while nobody calls it, and is reloaded.",
		unsaid: true,
		list:   "Its tools go, and come again when it's reloaded.",
		after:  says(pageCrashed),
		run: func(s *scene) {
			s.begin()
			s.unseen()
			s.p.crash()
			s.crashedAndReloaded()
		},
	},
	{
		page:   "The page crashes during a call, and is reloaded.",
		list:   "Its tools go, and come again when it's reloaded.",
		during: says(crashed),
		after:  says(pageCrashed),
		run: func(s *scene) {
			s.begin()
			call := s.hangs()
			s.unseen()
			s.p.crash()
			s.during(call)
			s.crashedAndReloaded()
		},
	},
	{
		page:   "Chrome discards the tab (chrome.tabs.discard), and the user comes back to it.",
		list:   "Its tools go, and come as another page's once Chrome has loaded the tab anew.",
		during: says(closed),
		after:  says(wasClosed),
		run:    func(s *scene) { s.discarded() },
	},
	{
		page:   "The page is frozen, with a call in flight, and called.",
		list:   "The tools stay. @mcp-b/global answers once the page is active again.",
		during: says("done"),
		after:  says("a ran"),
		run: func(s *scene) {
			s.begin()
			s.addTool("waits", "async () => { note('waiting'); await happened('go'); return text('done'); }")
			waits := s.start("waits", "waiting")
			s.p.page("Page.setWebLifecycleState", map[string]any{"state": "frozen"}, nil)
			s.lists("a", "a_hangs", "waits")
			if s.on == native {
				s.works("a")
			}
			call := s.begins("a")
			s.p.page("Page.setWebLifecycleState", map[string]any{"state": "active"}, nil)
			s.p.eval(`note('go')`)
			s.during(waits)
			wantText(s.T, s.h.await(call), "a ran")
			s.lists("a", "a_hangs", "waits")
			s.after("a")
		},
	},
	{
		page:   "A page that Chrome prerendered before the hub came is activated.",
		list:   "The page's tools go, then the prerendered one's come, none before.",
		during: says(navigatedAway),
		after:  says("b ran"),
		run:    func(s *scene) { s.prerendered() },
	},
	{
		page:   "A page asks for a prerendered page while the hub is there, and goes to it.",
		list:   "Chrome doesn't prerender in a tab that is debugged: it's like any other navigation.",
		during: says(navigatedAway),
		after:  says("b ran"),
		run: func(s *scene) {
			s.attach(chromeFor(s.T, s.on))
			s.open("prerender="+s.url("tool=b"), "go="+s.Name())
			call := s.hangs()
			pages.held(s.Name()).ask()
			s.during(call)
			s.lists("b", "b_hangs")
			s.after("b")
		},
	},
}

func (s *scene) popUp() {
	s.Helper()
	s.p.eval(`popup = open('` + s.url("tool=b") + `'), true`)
}

func (s *scene) crashedAndReloaded() {
	s.Helper()
	s.stale("a")
	s.lists()
	s.p.page("Page.reload", nil, nil)
	s.lists("a", "a_hangs")
	s.works("a")
}

// discarded needs an extension: nothing else can discard a tab.
func (s *scene) discarded() {
	extension, err := filepath.Abs("testdata/discarder")
	if err != nil {
		s.Fatal(err)
	}
	if s.on != native {
		needNPM(s.T)
	}
	s.attach(ownChromeWith(s.T, s.on == native, "--load-extension="+extension))
	s.open()
	s.c.open(s.T, pages.url("plain.html")) // the tab that the user looks at
	call := s.hangs()
	s.unseen()
	if got := string(s.extension().eval(`discard('lifecycle')`)); got != "true" {
		s.Fatalf("the tab was not discarded: %s", got)
	}
	s.during(call)
	s.stale("a")
	s.lists()
	s.extension().eval(`activate('lifecycle')`)
	s.lists("1/a", "1/a_hangs")
	s.works("1/a")
}

type target struct{ TargetID, Type, URL string }

func (s *scene) targets() []target {
	s.Helper()
	var all struct{ TargetInfos []target }
	s.p.browser("Target.getTargets", map[string]any{"filter": []any{map[string]any{}}}, &all)
	return all.TargetInfos
}

// extension is the worker of the test's extension.
func (s *scene) extension() *tab {
	s.Helper()
	w := &tab{t: s.T, chrome: s.c}
	poll(s.T, "the extension doesn't run", func() bool {
		for _, t := range s.targets() {
			if t.Type == "service_worker" && strings.HasPrefix(t.URL, "chrome-extension:") {
				w.target = t.TargetID
			}
		}
		return w.target != ""
	})
	w.attach()
	return w
}

func (s *scene) prerendered() {
	c := chromeFor(s.T, s.on)
	s.p = &tab{t: s.T, chrome: c}
	to := s.url("tool=b", "src=/lifecycle.html"+query([]string{"tool=c", "runtime=" + string(s.on)}), "prerendered="+s.Name()+"there")
	// The test's own session would keep Chrome from prerendering too.
	var created struct{ TargetID string }
	s.p.browser("Target.createTarget", map[string]any{"url": s.url("prerender="+to, "go="+s.Name())}, &created)
	<-pages.held(s.Name() + "there").asked
	s.attach(c)
	s.lists("a", "a_hangs")
	call := s.hangsUnseen()
	pages.held(s.Name()).ask()
	s.during(call)
	s.lists("b", "b_hangs", "c", "c_hangs")
	s.works("c")
	s.after("b")
	for _, t := range s.targets() {
		if t.Type == "page" {
			s.p.target = t.TargetID
		}
	}
	s.p.attach()
	if string(s.p.eval(`performance.getEntriesByType('navigation')[0].activationStart > 0`)) != "true" {
		s.Error("this Chrome didn't prerender the page")
	}
	// And on from there.
	s.p.navigate(s.url())
	s.lists("a", "a_hangs")
	s.works("a")
}

// hangsUnseen is hangs in a tab that the test isn't attached to: when a later
// call is answered, the earlier one has begun.
func (s *scene) hangsUnseen() <-chan *mcp.CallToolResult {
	s.Helper()
	call := s.begins("a_hangs")
	s.works("a")
	return call
}
