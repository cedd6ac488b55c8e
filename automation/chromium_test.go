package automation

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/registry"
)

// TestMain gives Chromium an extension that discards tabs, which nothing else can.
func TestMain(m *testing.M) { automationtest.Main(m, "--load-extension="+discarder()) }

// discarder is the extension's folder.
func discarder() string {
	path, err := filepath.Abs("../e2e/testdata/discarder")
	if err != nil {
		panic(err)
	}
	return path
}

// chromium is a fakeBrowser whose only tab is a real one.
type chromium struct {
	*fakeBrowser
	tab *automationtest.Tab
}

func (c chromium) Debuggable(registry.PageID) (ported bool, err error) { return true, nil }

func (c chromium) Debug(registry.PageID) (Access, error) {
	return Access{Conn: c.tab.Conn, Target: c.tab.Target}, nil
}

// real is an agent with one page, which is a real one.
type real struct {
	*agent
	*automationtest.Tab
}

func openReal(t *testing.T, pages automationtest.Pages) real {
	t.Helper()
	t.Parallel()
	return openAlone(t, pages)
}

// openRealIn is openReal in one of a table's tabs.
func openRealIn(t *testing.T, tabs *automationtest.Table, pages automationtest.Pages) real {
	t.Helper()
	t.Parallel()
	return realIn(t, tabs.Open(t, pages))
}

// openAlone is openReal for a test that nothing runs beside.
func openAlone(t *testing.T, pages automationtest.Pages) real {
	t.Helper()
	return realIn(t, automationtest.Open(t, pages))
}

func realIn(t *testing.T, tab *automationtest.Tab, set ...func(*Options)) real {
	t.Helper()
	b := newFakeBrowser(tab.Site.URL("a", "/"))
	s := newService(b, append(set, func(o *Options) { o.Browser = chromium{b, tab} })...)
	t.Cleanup(s.Close)
	return real{newAgent(t, s, b, "1"), tab}
}

// at wants the page to be at a path.
func (r real) at(path string) {
	r.t.Helper()
	if got := js[string](r, "location.pathname+location.hash"); got != path {
		r.t.Errorf("the page is at %s, want %s", got, path)
	}
}

// js evaluates an expression in the document that the service sees, which the test's own
// session may come to see a little later.
func js[T any](r real, expression string) (value T) {
	r.t.Helper()
	p, err := r.service.tab(r.client.Current, "p0").open(r.Ctx, r.service)
	if err != nil {
		r.t.Fatal(err)
	}
	main, _ := p.Main()
	if err := p.Evaluate(r.Ctx, main.FrameRef, page.Main, "() => ("+expression+")", nil, &value); err != nil {
		r.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

var twoPages = automationtest.Pages{
	"/":      `<title>One</title><a href="/two">two</a>`,
	"/two":   `<title>Two</title>`,
	"/asks":  `<button>x</button><script>onbeforeunload = e => e.preventDefault()</script>`,
	"/alert": `<script>alert("hello")</script>done`,
}

func TestNavigate(t *testing.T) {
	r := openReal(t, twoPages)
	two := r.Site.URL("a", "/two")
	r.says("navigate_page", `{"url":"`+two+`"}`, "The page is at "+two)
	r.at("/two")
	r.says("navigate_page", `{"type":"back"}`, "The page is at")
	r.at("/")
	r.says("navigate_page", `{"type":"forward"}`, "The page is at "+two)
	r.at("/two")
	r.says("navigate_page", `{"url":"`+two+`#x"}`, "#x")
	r.says("navigate_page", `{"type":"back"}`, "The page is at "+two)
	r.at("/two")
	r.says("navigate_page", `{"type":"reload","ignoreCache":true}`, "The page is at "+two)
	r.says("navigate_page", `{"type":"reload","initScript":"window.early = 7"}`, "The page is at")
	if got := js[int](r, "window.early || 0"); got != 7 {
		t.Errorf("the script set %d", got)
	}
	r.says("navigate_page", `{"type":"reload"}`, "The page is at")
	if got := js[int](r, "window.early || 0"); got != 0 {
		t.Errorf("the script is still there")
	}
	r.fails("navigate_page", `{"url":"http://nowhere.invalid/"}`, "was not loaded: net::ERR_NAME_NOT_RESOLVED")
	r.fails("navigate_page", `{"url":"javascript:alert(1)"}`, "http and https addresses only")
}

func TestNavigateToTheEndOfHistory(t *testing.T) {
	r := openReal(t, twoPages)
	r.fails("navigate_page", `{"type":"forward"}`, "nothing to go forward to")
	r.fails("navigate_page", `{"type":"back","url":"http://a.test/"}`, "goes with type url only")
}

func TestNavigateThroughDialogs(t *testing.T) {
	r := openReal(t, twoPages)
	asks := r.Site.URL("a", "/asks")
	for _, c := range []struct{ handle, path string }{{"dismiss", "/asks"}, {"accept", "/two"}} {
		r.says("navigate_page", `{"url":"`+asks+`"}`, "The page is at")
		r.touch()
		args := `{"url":"` + r.Site.URL("a", "/two") + `","handleBeforeUnload":"` + c.handle + `"}`
		if c.handle == "dismiss" {
			r.fails("navigate_page", args, "handleBeforeUnload told to stay")
		} else {
			r.says("navigate_page", args, "The page is at")
		}
		r.at(c.path)
	}
	r.fails("handle_dialog", `{"action":"accept"}`, "no dialog is open")
	r.fails("navigate_page", `{"url":"`+r.Site.URL("a", "/alert")+`"}`, "hello")
	r.says("handle_dialog", `{"action":"accept"}`, `The alert "hello" was accepted`)
	r.at("/alert")
}

// touch is a user's first touch, without which pages can't ask whether to be left.
func (r real) touch() {
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		r.Must("", "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": 20, "y": 20, "button": "left", "clickCount": 1}, nil)
	}
}

// open is openTo for who revives nothing.
func (t *tab) open(ctx context.Context, s *Service) (*opened, error) {
	return t.openTo(ctx, s, page.Stays, true)
}

// TestNavigateTellsThePagesOwnTools: the answer has the tools of the document that has loaded, and none of the last
// one. It comes as soon as the catalog says that the document has loaded, with tools or without.
func TestNavigateTellsThePagesOwnTools(t *testing.T) {
	for _, name := range []string{"", "order"} {
		t.Run(name, func(t *testing.T) {
			r := openReal(t, twoPages)
			b := r.service.options.Browser.(chromium).fakeBrowser
			two := r.Site.URL("a", "/two")
			tell := func(events ...registry.Event) {
				b.mu.Lock()
				defer b.mu.Unlock()
				for _, e := range events {
					b.state.Step(e)
				}
				b.flush()
			}
			tools := func(gen registry.Gen, name string) registry.ToolsReported {
				all := registry.ToolsReported{Page: "p0", Gen: gen}
				if name != "" {
					all.Tools = []*registry.PageTool{{Name: name, Doc: gen, FrameURL: two}}
				}
				return all
			}
			tell(tools(1, "old"))
			steps := [][]registry.Event{
				{registry.Navigated{Page: "p0", Gen: 2}}, // between the documents
				{registry.PageChanged{Page: "p0", URL: two, Arrived: true, Readiness: registry.StillLoading}},
				{tools(2, name), registry.PageChanged{Page: "p0", URL: two, Arrived: true}},
				{tools(2, "late")},
			}
			r.client.Await = func(_ context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
				for {
					if c := b.current(); satisfied(c) {
						return c
					}
					tell(steps[0]...)
					steps = steps[1:]
				}
			}
			answer := r.call("navigate_page", `{"url":"`+two+`"}`).Text
			if name == "" && strings.Contains(answer, "tool") || !strings.HasSuffix(answer, name) || len(steps) != 1 {
				t.Errorf("says %q, and %d steps are left", answer, len(steps))
			}
		})
	}
}
