package automate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"webmcphub/automation"
	"webmcphub/cluster/api"
	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// fakeNode is a node "one" with the browsers "a" and "b"; a State makes its catalogs.
type fakeNode struct {
	mu     sync.Mutex
	state  *registry.State
	lives  map[string]string
	opened []registry.NewTab
}

func newFakeNode(pages ...string) *fakeNode {
	n := &fakeNode{state: registry.NewState(registry.Options{}), lives: map[string]string{"a": "a.1", "b": "b.1"}}
	n.step(registry.BrowsersNamed{Browsers: []registry.NamedBrowser{{Name: "a"}, {Name: "b"}}})
	n.step(registry.BrowserChanged{Browser: "a"}, registry.BrowserChanged{Browser: "b"})
	for _, page := range pages {
		n.open(page)
	}
	return n
}

func (n *fakeNode) step(events ...registry.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range events {
		n.state.Step(e)
	}
	n.state.Step(registry.FlushDue{})
	n.state.Step(registry.FlushDue{})
}

// open opens a page, which is called after its browser: "a1" is a's.
func (n *fakeNode) open(page string) {
	url := "https://" + page + ".example/"
	n.step(registry.PageOpened{Page: registry.PageID(page), Browser: page[:1], URL: url}, registry.Navigated{Page: registry.PageID(page), Gen: 1, URL: url},
		registry.PageChanged{Page: registry.PageID(page), Arrived: true, URL: url})
}

func (n *fakeNode) Name() string { return "one" }

func (n *fakeNode) Current() *registry.Catalog {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state.Catalog()
}

func (n *fakeNode) Await(_ context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	if c := n.Current(); satisfied(c) {
		return c
	}
	return nil
}

func (n *fakeNode) InLife(browser, life string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return life == "" || n.lives[browser] == life
}

func (n *fakeNode) OpenTab(_ context.Context, tab registry.NewTab) (registry.PageID, error) {
	n.opened = append(n.opened, tab)
	page := tab.In[0] + "9"
	n.open(page)
	return registry.PageID(page), nil
}

func (n *fakeNode) ActivateTab(context.Context, registry.PageID) error { return nil }

func (n *fakeNode) CloseTab(_ context.Context, page registry.PageID) error {
	n.step(registry.PageClosed{Page: page})
	return nil
}

func (n *fakeNode) Debuggable(registry.PageID) (ported bool, err error) {
	return false, errors.New("it can't be debugged")
}

func (n *fakeNode) Debug(registry.PageID) (automation.Access, error) {
	return automation.Access{}, errors.New("it can't be debugged")
}

func (n *fakeNode) Titles(context.Context) (map[registry.PageID]registry.Title, error) {
	return nil, nil
}

// serve makes a service of a node's.
func serve(t *testing.T, n *fakeNode, set ...func(*ServiceOptions)) *Service {
	o := ServiceOptions{Categories: automation.Categories()}
	for _, f := range set {
		f(&o)
	}
	s := NewService(n, o)
	t.Cleanup(s.Close)
	return s
}

// sees are browsers in their first lives.
func sees(names ...string) (all []*api.VisibleBrowser) {
	for _, name := range names {
		all = append(all, &api.VisibleBrowser{Browser: name, Life: name + ".1"})
	}
	return all
}

func number(page string) int { return int(pages.Number(pages.Named("one", registry.PageID(page)))) }

// call calls a tool, and gives the answer and its text.
func nodeCall(t *testing.T, s *Service, client string, c *api.Automation, args any) (*api.Automated, string) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	c.Args, c.Client, c.Name = raw, client, "agent "+client
	done := s.Call(t.Context(), client, c, func(string) {})
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(done.Result, &r); err != nil || len(r.Content) == 0 {
		t.Fatalf("%s, %v", done.Result, err)
	}
	return done, r.Content[0].Text
}

type object map[string]any

// TestCallView: a call sees the browsers alone that its gateway names, in the lives that it names, by the
// gateway's names and numbers; nothing else is there.
func TestCallView(t *testing.T) {
	n := newFakeNode("a1", "a2", "b1")
	s := serve(t, n)
	for name, c := range map[string]struct {
		call        *api.Automation
		has, hasNot []string
	}{
		"one browser":   {&api.Automation{Browsers: sees("a")}, []string{fmt.Sprint(number("a1")), fmt.Sprint(number("a2")), "Browsers: one/a"}, []string{"b1", "one/b"}},
		"both":          {&api.Automation{Browsers: sees("a", "b")}, []string{"a1", "b1", "Browsers: one/a, one/b"}, nil},
		"labels":        {&api.Automation{Browsers: []*api.VisibleBrowser{{Browser: "b", Labels: []string{"mine"}}}}, []string{"one/b (mine)", "b1"}, []string{"a1"}},
		"another life":  {&api.Automation{Browsers: []*api.VisibleBrowser{{Browser: "a", Life: "a.0"}, {Browser: "b", Life: "b.1"}}}, []string{"b1"}, []string{"a1"}},
		"other numbers": {&api.Automation{Browsers: sees("a"), Numbers: map[string]int64{"a1": 77}}, []string{"77: ", fmt.Sprint(number("a2"))}, []string{fmt.Sprint(number("a1"))}},
	} {
		c.call.Tool = "list_pages"
		_, text := nodeCall(t, s, "x", c.call, object{})
		for _, has := range c.has {
			if !strings.Contains(text, has) {
				t.Errorf("%s: the list lacks %s: %s", name, has, text)
			}
		}
		for _, hasNot := range c.hasNot {
			if strings.Contains(text, hasNot) {
				t.Errorf("%s: the list has %s: %s", name, hasNot, text)
			}
		}
	}
	for _, tool := range []string{"select_page", "close_page", "take_snapshot", "evaluate_script", "click"} {
		args := object{"pageId": number("b1"), "uid": "a1", "function": "() => 1"}
		done, text := nodeCall(t, s, "x", &api.Automation{Tool: tool, Browsers: sees("a")}, args)
		if !done.IsError || !strings.Contains(text, "There is no page") || strings.Contains(text, "b1.example") {
			t.Errorf("%s in another tenant's page: %s", tool, text)
		}
	}
	if n.Current().Tab("b1") == nil {
		t.Error("the page of another tenant was closed")
	}
}

// TestNewPage: a page opens in the browser that the gateway names, by the node's own name; the answer says what has
// come, and which page is the client's current one.
func TestServingNewPage(t *testing.T) {
	n := newFakeNode("a1", "b1")
	s := serve(t, n)
	done, text := nodeCall(t, s, "x", &api.Automation{Tool: "new_page", Browsers: sees("b")}, object{"url": "https://b9.example/", "browser": "one/b"})
	if done.IsError || len(n.opened) != 1 || strings.Join(n.opened[0].In, " ") != "b" || done.Page != "b9" || done.Came["b9"] != int64(number("b9")) || !strings.Contains(text, fmt.Sprintf("Page %d was opened", number("b9"))) {
		t.Errorf("%+v, %s; opened %+v", done, text, n.opened)
	}
	done, text = nodeCall(t, s, "x", &api.Automation{Tool: "new_page", Browsers: sees("b")}, object{"url": "https://x.example/", "browser": "one/a"})
	if !done.IsError || len(n.opened) != 1 {
		t.Errorf("in a browser of another tenant: %s, %+v", text, n.opened)
	}
	if done, text = nodeCall(t, s, "x", &api.Automation{Tool: "new_page", Browsers: sees("b")}, object{"url": "https://x.example/"}); !done.IsError || len(n.opened) != 1 {
		t.Errorf("in any browser: %s, %+v", text, n.opened)
	}
	done, _ = nodeCall(t, s, "x", &api.Automation{Tool: "close_page", Browsers: sees("b"), Page: "b9"}, object{"pageId": number("b9")})
	if done.IsError || len(done.Gone) != 1 || done.Gone[0] != "b9" {
		t.Errorf("closing gave %+v", done)
	}
}

// TestNextLife: a page opens in the life of a browser alone in which its client has it, though the next one
// begins meanwhile.
func TestNextLife(t *testing.T) {
	n := newFakeNode("a1", "b1")
	s := serve(t, n)
	_, _ = nodeCall(t, s, "x", &api.Automation{Tool: "new_page", Browsers: sees("b")}, object{"url": "https://b9.example/", "browser": "one/b"})
	if len(n.opened) != 1 || n.opened[0].May == nil || n.opened[0].May("b") != nil {
		t.Fatalf("opened %+v", n.opened)
	}
	n.lives["b"] = "b.2"
	if err := n.opened[0].May("b"); err == nil {
		t.Error("it may be opened in the next life")
	}
}

// TestOwners: two gateways' clients are two: what one opened is the other's only with a note, or not at all.
// A client that is gone owns nothing.
func TestOwners(t *testing.T) {
	n := newFakeNode("a1")
	s := serve(t, n)
	alone := serve(t, n, func(o *ServiceOptions) { o.ExclusiveTabs = true })
	for _, s := range []*Service{s, alone} {
		if done, text := nodeCall(t, s, "front 1", &api.Automation{Tool: "select_page", Browsers: sees("a")}, object{"pageId": number("a1")}); done.IsError || done.Page != "a1" {
			t.Fatalf("%+v, %s", done, text)
		}
		if _, text := nodeCall(t, s, "back 1", &api.Automation{Tool: "list_pages", Browsers: sees("a")}, object{}); !strings.Contains(text, "[used by agent front 1]") {
			t.Errorf("the list of the other gateway's client says %s", text)
		}
	}
	press := &api.Automation{Tool: "press_key", Browsers: sees("a")}
	if _, text := nodeCall(t, s, "back 1", press, object{"key": "A", "pageId": number("a1")}); !strings.Contains(text, "Note: page") {
		t.Errorf("it says %s", text)
	}
	if _, text := nodeCall(t, alone, "back 1", press, object{"key": "A", "pageId": number("a1")}); !strings.Contains(text, "belongs to another client") {
		t.Errorf("it says %s", text)
	}
	alone.ClientGone("front 1")
	if _, text := nodeCall(t, alone, "back 1", &api.Automation{Tool: "list_pages", Browsers: sees("a")}, object{}); strings.Contains(text, "used by") {
		t.Errorf("a client that is gone owns %s", text)
	}
}

// TestOthersStay: the call of a client that sees less doesn't end what others have.
func TestOthersStay(t *testing.T) {
	n := newFakeNode("a1", "b1")
	s := serve(t, n)
	_, _ = nodeCall(t, s, "x", &api.Automation{Tool: "select_page", Browsers: sees("a")}, object{"pageId": number("a1")})
	_, _ = nodeCall(t, s, "y", &api.Automation{Tool: "select_page", Browsers: sees("b")}, object{"pageId": number("b1")})
	if _, text := nodeCall(t, s, "x", &api.Automation{Tool: "list_pages", Browsers: sees("a"), Page: "a1"}, object{}); !strings.Contains(text, "[current] [yours]") {
		t.Errorf("the list says %s", text)
	}
}

// TestTabNumbers: uids of two tabs of a node never begin alike, and of two nodes hardly.
func TestTabNumbers(t *testing.T) {
	one, two := newTabNumbers("one"), newTabNumbers("two")
	seen, alike := map[int]bool{}, 0
	for i := range 20_000 {
		page := registry.PageID(fmt.Sprint(i))
		n := one.next(page)
		if seen[n] {
			t.Fatalf("two tabs have the number %d", n)
		}
		seen[n] = true
		if i < 100 && n == two.next(page) {
			alike++
		}
	}
	if alike > 1 {
		t.Errorf("%d of 100 pages have the same letters at two nodes", alike)
	}
}
