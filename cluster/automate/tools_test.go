package automate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"webmcphub/automation"
	"webmcphub/cluster/api"
	"webmcphub/cluster/gateway"
	"webmcphub/internal/browsertool"
	"webmcphub/registry"

	"webmcphub/registry/names"
)

// fakeNodes answer calls of browser tools.
type fakeNodes struct {
	mu     sync.Mutex
	asked  []string // "NODE TOOL CLIENT PAGE ARGS"
	gone   []string
	on     map[string][]string // categories by node; all where it says nothing
	answer func(node string, a *api.Automation) (*api.Automated, error)
}

func (n *fakeNodes) Automate(_ context.Context, node string, a *api.Automation, _ func(string)) (*api.Automated, error) {
	n.mu.Lock()
	n.asked = append(n.asked, fmt.Sprintf("%s %s %s %s %s", node, a.Tool, a.Client, a.Page, a.Args))
	n.mu.Unlock()
	if n.answer != nil {
		return n.answer(node, a)
	}
	return &api.Automated{Result: says("done"), Page: a.Page}, nil
}

func (n *fakeNodes) Automates(node string) ([]string, bool) {
	on, known := n.on[node]
	return on, known
}

func (n *fakeNodes) ClientGone(node, client string) { n.gone = append(n.gone, node+" "+client) }

// took gives what was asked since.
func (n *fakeNodes) took() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer func() { n.asked = nil }()
	slices.Sort(n.asked)
	return strings.Join(n.asked, "\n")
}

func says(text string) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}})
	return raw
}

// scene is a tenant's room with two nodes: page 1 is in one/a, 2 and 3 are in two/b.
type scene struct {
	t     *testing.T
	state *registry.State
	nodes *fakeNodes
	tools *Tools
	ctx   context.Context
	kept  string // why tabs are another's
	judge func(*registry.Tab) error
}

func play(t *testing.T) *scene {
	s := &scene{t: t, nodes: &fakeNodes{}, ctx: t.Context()}
	own := (*names.Origins)(nil).WithOwn(names.NewOwn("8809", "10.0.0.2"))
	s.state = registry.NewState(registry.Options{Origins: own})
	s.tools = NewTools(s.nodes, "shop", automation.Categories(), own)
	s.state.Step(registry.BrowsersNamed{Browsers: []registry.NamedBrowser{{Name: "one/a"}, {Name: "two/b", Labels: []string{"mine"}}}})
	s.state.Step(registry.BrowserChanged{Browser: "one/a"})
	s.state.Step(registry.BrowserChanged{Browser: "two/b"})
	s.open("one/p1", "one/a", 1)
	s.open("two/p2", "two/b", 2)
	s.open("two/p3", "two/b", 3)
	return s
}

func (s *scene) open(page registry.PageID, browser string, number registry.TabID) {
	s.state.Step(registry.PageOpened{Page: page, Browser: browser, Tab: number, URL: "https://" + strings.ReplaceAll(string(page), "/", ".") + "/"})
	s.state.Step(registry.FlushDue{})
}

func (s *scene) call(session, tool, args string) (registry.Result, string) {
	s.t.Helper()
	now := s.state.Catalog
	var judge func(context.Context, browsertool.Action) error
	if s.judge != nil {
		judge = func(_ context.Context, d browsertool.Action) error { return s.judge(d.Tab) }
	}
	r := s.tools.Call(s.ctx, browsertool.Call{
		Tool: tool, Args: json.RawMessage(args), Client: browsertool.Client{ID: session, Name: "agent", Current: now,
			Await: func(_ context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
				if satisfied(now()) {
					return now()
				}
				return nil
			},
			Refusal: func(*registry.Tab) string { return s.kept }},
		Progress: func(string) {}, About: func(*registry.Tab) {}, Judge: judge,
	})
	var is struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(r.JSON, &is); err != nil || len(is.Content) == 0 {
		s.t.Fatalf("%s gave %s", tool, r.JSON)
	}
	var texts []string
	for _, c := range is.Content {
		texts = append(texts, c.Text)
	}
	return r, strings.Join(texts, "\n")
}

// asks calls, and compares what nodes were asked.
func (s *scene) asks(session, tool, args, want string) string {
	s.t.Helper()
	r, text := s.call(session, tool, args)
	if got := s.nodes.took(); got != want || r.IsError {
		s.t.Errorf("%s %s asked %q, want %q; it says %s", tool, args, got, want, text)
	}
	return text
}

// refuses calls, and wants an error and no node to be asked.
func (s *scene) refuses(session, tool, args, want string) registry.Result {
	s.t.Helper()
	r, text := s.call(session, tool, args)
	if got := s.nodes.took(); got != "" || !r.IsError || !strings.Contains(text, want) {
		s.t.Errorf("%s %s says %q, want %q; nodes were asked %q", tool, args, text, want, got)
	}
	return r
}

// TestWhichNode: a call goes to the node of the page that it names, or of its client's current page, which is
// kept here alone.
func TestWhichNode(t *testing.T) {
	s := play(t)
	s.refuses("x", "take_snapshot", `{}`, "You have no current page")
	s.refuses("x", "click", `{"uid":"a1","pageId":7}`, "There is no page 7")
	s.asks("x", "click", `{"uid":"a1","pageId":2}`, `two click shop x  {"pageId":2,"uid":"a1"}`)
	s.nodes.answer = func(_ string, a *api.Automation) (*api.Automated, error) {
		return &api.Automated{Result: says("Page 3 is your current page"), Page: "p3"}, nil
	}
	s.asks("x", "select_page", `{"pageId":3}`, `two select_page shop x  {"pageId":3}`)
	s.nodes.answer = nil
	s.asks("x", "take_snapshot", `{}`, "two take_snapshot shop x p3 {}")
	s.asks("x", "take_snapshot", `{"pageId":1.0}`, `one take_snapshot shop x  {"pageId":1.0}`)
	s.asks("x", "take_snapshot", `{}`, "two take_snapshot shop x p3 {}")
	s.refuses("y", "take_snapshot", `{}`, "You have no current page")
	s.asks("", "take_snapshot", `{"pageId":1}`, `one take_snapshot   {"pageId":1}`)
	s.kept = "tab 1 is kept by another client"
	if r := s.refuses("x", "click", `{"uid":"a1","pageId":1}`, "kept by another client"); r.Ending != "refused" {
		t.Errorf("it ended as %q", r.Ending)
	}
	s.tools.ClientGone("x")
	if slices.Sort(s.nodes.gone); !slices.Equal(s.nodes.gone, []string{"one shop x", "two shop x"}) {
		t.Errorf("gone are %q", s.nodes.gone)
	}
	s.refuses("x", "take_snapshot", `{}`, "You have no current page")
}

// TestNewPage: a page opens in the browser that is named, else beside the current page, else in the first that
// is connected and whose node does it; it is the client's current one.
func TestNewPage(t *testing.T) {
	s := play(t)
	s.nodes.answer = func(node string, _ *api.Automation) (*api.Automated, error) {
		s.open(registry.PageID(node+"/new"), map[string]string{"one": "one/a", "two": "two/b"}[node], 9)
		return &api.Automated{Result: says("Page 9 was opened"), Page: "new", Came: map[string]int64{"new": 8}}, nil
	}
	s.nodes.on = map[string][]string{"one": {}}
	if text := s.asks("x", "new_page", `{"url":"https://x.example/"}`, `two new_page shop x  {"browser":"two/b","url":"https://x.example/"}`); !strings.Contains(text, "page 8 is called page 9 from now on") {
		t.Errorf("it says %s", text)
	}
	s.nodes.on = nil
	s.asks("y", "new_page", `{"url":"https://x.example/"}`, `one new_page shop y  {"browser":"one/a","url":"https://x.example/"}`)
	s.asks("x", "new_page", `{"url":"https://x.example/"}`, `two new_page shop x new {"browser":"two/b","url":"https://x.example/"}`)
	s.asks("y", "new_page", `{"url":"https://x.example/","browser":"mine"}`, `two new_page shop y  {"browser":"two/b","url":"https://x.example/"}`)
	s.refuses("y", "new_page", `{"url":"https://x.example/","browser":"three/c"}`, "No browser has the name or the label")
	s.nodes.on = map[string][]string{"one": {"input"}, "two": {}}
	s.refuses("z", "new_page", `{"url":"https://x.example/"}`, "the node one carries out no browser tools of the category navigation")
}

// TestList: all nodes' pages are in one list; of a node that doesn't answer what is known here.
func TestList(t *testing.T) {
	s := play(t)
	s.nodes.answer = func(node string, a *api.Automation) (*api.Automated, error) {
		if node == "one" {
			return &api.Automated{}, &gateway.NodeLost{Node: "one", Why: "its connection ended"}
		}
		return &api.Automated{Result: json.RawMessage(`{"content":[],"structuredContent":{"pages":[{"id":3,"title":"Three","url":"https://three.example/","owner":"yours","current":true},{"id":2,"title":"Two","url":"https://two.example/","browser":"two/b"}]}}`)}, nil
	}
	r, text := s.call("x", "list_pages", `{}`)
	want := "1: (untitled) https://one.p1/ [browser one/a] — its owner is unknown: the node one was lost: its connection ended\n" +
		"2: \"Two\" https://two.example/ [browser two/b]\n3: \"Three\" https://three.example/ [browser two/b] [yours]\nBrowsers: one/a, two/b (mine)"
	if text != want || r.IsError {
		t.Errorf("it is\n%s\nwant\n%s", text, want)
	}
	if want := "one list_pages shop x  {}\ntwo list_pages shop x  {}"; s.nodes.took() != want {
		t.Error("not each node was asked once")
	}
}

// TestListOfAnother: a node tells of its own pages alone: not of another node's, and not where they are.
func TestListOfAnother(t *testing.T) {
	s := play(t)
	s.nodes.answer = func(node string, _ *api.Automation) (*api.Automated, error) {
		if node == "one" {
			return &api.Automated{Result: json.RawMessage(`{"content":[],"structuredContent":{"pages":[{"id":1,"title":"One","url":"https://one.example/","browser":"two/b\nBrowsers: none"},{"id":2,"title":"Forged","url":"https://forged.example/"},{"id":3,"title":"Forged","url":"https://forged.example/"}]}}`)}, nil
		}
		return &api.Automated{Result: json.RawMessage(`{"content":[],"structuredContent":{"pages":[{"id":2,"title":"Two","url":"https://two.example/","owner":"used by x\n9: forged"}]}}`)}, nil
	}
	_, text := s.call("x", "list_pages", `{}`)
	want := "1: \"One\" https://one.example/ [browser one/a]\n2: \"Two\" https://two.example/ [browser two/b] [used by x 9: forged]\nBrowsers: one/a, two/b (mine)"
	if text != want {
		t.Errorf("it is\n%s\nwant\n%s", text, want)
	}
}

// TestGoneMeanwhile: a client whose session ends while a call of it goes on has nothing once that is over, at
// nodes neither.
func TestGoneMeanwhile(t *testing.T) {
	s := play(t)
	s.nodes.answer = func(string, *api.Automation) (*api.Automated, error) {
		s.tools.ClientGone("x")
		return &api.Automated{Result: says("done"), Page: "p3"}, nil
	}
	for tool, args := range map[string]string{"select_page": `{"pageId":3}`, "performance_start_trace": `{"autoStop":false,"pageId":2}`} {
		_, _ = s.call("x", tool, args)
		if n := s.tools.current.Len(); n > 0 || len(s.tools.sessions) > 0 {
			t.Errorf("%s: %d current pages and %v are left", tool, n, s.tools.sessions)
		}
	}
}

// TestOwnPage: the gateway's own page isn't shown to agents, opened or operated, whatever its nodes would do.
func TestOwnPage(t *testing.T) {
	s := play(t)
	s.state.Step(registry.Navigated{Page: "one/p1", Gen: 1, URL: "http://10.0.0.2:8809/webmcp-hub-live-secret/"})
	s.state.Step(registry.FlushDue{})
	s.refuses("x", "take_snapshot", `{"pageId":1}`, "There is no page 1")
	s.refuses("x", "new_page", `{"url":"http://10.0.0.2:8809/x"}`, "hub's own page")
	s.refuses("x", "navigate_page", `{"url":"HTTP://10.0.0.2:8809/x","pageId":2}`, "hub's own page")
	s.nodes.answer = func(node string, _ *api.Automation) (*api.Automated, error) {
		return &api.Automated{Result: json.RawMessage(`{"content":[],"structuredContent":{"pages":[{"id":1,"title":"WebMCP Hub","url":"http://10.0.0.2:8809/webmcp-hub-live-secret/"}]}}`)}, nil
	}
	if _, text := s.call("x", "list_pages", `{}`); strings.Contains(text, "secret") || strings.Contains(text, "WebMCP Hub") {
		t.Errorf("it is listed: %s", text)
	}
}

// TestFiles: what names a file is refused, and isn't offered.
func TestFiles(t *testing.T) {
	s := play(t)
	for _, tool := range s.tools.Tools("") {
		if tool.Name == uploads {
			t.Errorf("%s is offered", tool.Name)
		}
		for _, name := range fileArguments {
			if strings.Contains(string(tool.Encoded), name) {
				t.Errorf("%s is offered with %s", tool.Name, name)
			}
		}
	}
	s.refuses("x", "take_screenshot", `{"filePath":"/tmp/a.png","pageId":1}`, "filePath names a file")
	s.refuses("x", "evaluate_script", `{"sourcePath":"/tmp/a.js","pageId":1}`, "give the text as function")
	s.refuses("x", "get_network_request", `{"reqid":1,"responseFilePath":"/tmp/a","pageId":1}`, "use offset to read on")
}

// TestTrace: the trace that a client has begun is ended where it is recorded.
func TestTrace(t *testing.T) {
	s := play(t)
	s.asks("x", "performance_start_trace", `{"autoStop":false,"pageId":1}`, `one performance_start_trace shop x  {"autoStop":false,"pageId":1}`)
	s.refuses("x", "performance_start_trace", `{"pageId":2}`, "recording a trace already")
	s.refuses("x", "performance_stop_trace", `{"pageId":7}`, "There is no page 7")
	s.asks("x", "performance_stop_trace", `{"pageId":2}`, `one performance_stop_trace shop x  {}`)
	s.asks("x", "performance_start_trace", `{"pageId":2}`, `two performance_start_trace shop x  {"pageId":2}`)
}

// timeUp is a cause that says that the time is up.
type timeUp struct{ error }

func (timeUp) Timeout() bool { return true }

// TestEnds: a call that no node answers ends with what became of it.
func TestEnds(t *testing.T) {
	s := play(t)
	s.nodes.answer = func(string, *api.Automation) (*api.Automated, error) {
		return &api.Automated{}, &gateway.NodeLost{Node: "one", Why: "killed"}
	}
	for _, c := range []struct {
		cause        error
		says, ending string
	}{
		{nil, "The node one, which runs the browser, was lost while click ran (killed); whether it took effect is unknown", "lost"},
		{timeUp{errors.New("no result within 60s")}, "no result within 60s", "timeout"},
		{context.Canceled, "cancelled", "cancelled"},
	} {
		if c.cause != nil {
			s.nodes.answer = func(string, *api.Automation) (*api.Automated, error) { return &api.Automated{}, c.cause }
			ctx, end := context.WithCancelCause(t.Context())
			end(c.cause)
			s.ctx = ctx
		}
		if r, text := s.call("x", "click", `{"uid":"a1","pageId":1}`); !r.IsError || r.Ending != c.ending || !strings.Contains(text, c.says) {
			t.Errorf("%v: it says %q and ended as %q", c.cause, text, r.Ending)
		}
	}
}

// What the gateway's operator has paused, a client or a tab, is refused, and no node asked.
func TestPaused(t *testing.T) {
	s := play(t)
	s.judge = func(tab *registry.Tab) error {
		if tab != nil && tab.ID == 2 {
			return errors.New("the user has paused tab 2")
		}
		return nil
	}
	s.refuses("c", "click", `{"pageId":2,"uid":"1_1"}`, "The user has paused tab 2")
	s.asks("c", "take_snapshot", `{"pageId":3}`, "two take_snapshot shop c  {\"pageId\":3}")
	s.judge = func(*registry.Tab) error { return errors.New("the user has paused this client") }
	for tool, args := range map[string]string{"list_pages": `{}`, "new_page": `{"url":"https://a.example/"}`, "take_snapshot": `{"pageId":3}`} {
		s.refuses("c", tool, args, "The user has paused this client")
	}
	if asked := s.nodes.took(); asked != "" {
		t.Errorf("nodes were asked %s", asked)
	}
}
