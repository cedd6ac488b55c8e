package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"webmcphub/internal/browsertool"
	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// judge is a Trust that notes what it is asked and told.
type judge struct {
	mu   sync.Mutex
	told []string
	// decide says why an action is refused, or is empty; nil allows everything.
	decide func(calls.Action) string
}

func (j *judge) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.told = append(j.told, fmt.Sprintf(format, args...))
}

func (j *judge) Judge(_ context.Context, d calls.Action) *calls.Refusal {
	j.note("%s %s %s %s %s %s", d.Kind, d.Name, d.Class, d.Origin, d.To, d.Args)
	if j.decide != nil {
		if why := j.decide(d); why != "" {
			return &calls.Refusal{Text: why}
		}
	}
	return nil
}
func (j *judge) Sent(d calls.Action)                { j.note("sent %s %s", d.Name, d.Origin) }
func (j *judge) Read(calls.Action, json.RawMessage) {}
func (j *judge) Delimit(_ calls.Action, r registry.Result) registry.Result {
	return sanitize.WithMeta(sanitize.WithNotice(r, "a page's words"), json.RawMessage(`{"whose":"a page's words"}`))
}
func (j *judge) ClientGone(session string) { j.note("gone %s", session) }

// heard is what it was told since the last time.
func (j *judge) heard() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	told := j.told
	j.told = nil
	return told
}

func (j *judge) want(t *testing.T, want ...string) {
	t.Helper()
	if got := j.heard(); !slices.Equal(got, want) {
		t.Errorf("was told\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func trusting(j *judge) func(*Options, *registry.Options) {
	return func(o *Options, _ *registry.Options) { o.Trust = j }
}

// Every way to a page's tool is judged by the tool that it reaches.
func TestEveryWayToAToolIsJudged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{}
		b := &tabBrowser{sites: map[string][]string{}}
		h := newHub(t, echo, trusting(j), func(o *Options, r *registry.Options) { o.Browser, r.Naming = b, offer.MCPBNames })
		b.h = h
		h.page("A", "https://shop.test/", "x", "y")
		c := h.connect(true)
		c.handshake()
		for _, call := range [][2]string{
			{"website_tool_shop_test_y", `{"n":1}`},
			{"website_tool_shop_test_tab1_x", `{"n":1}`},
			{"call_webmcp_tool", `{"name":"x","arguments":{"n":1}}`},
		} {
			name := strings.TrimPrefix(call[0][len(call[0])-1:], "l")
			if name == "" {
				name = "x"
			}
			if got := c.call(call[0], call[1]); !strings.HasPrefix(got, "A/"+name) || !strings.Contains(got, "a page's words") {
				t.Errorf("%s gave %q", call[0], got)
			}
			j.want(t, "page "+name+" unknown https://shop.test  {\"n\":1}", "sent "+name+" https://shop.test")
			j.decide = func(calls.Action) string { return "not today" }
			if got := c.call(call[0], call[1]); got != "error: not today" {
				t.Errorf("%s was refused with %q", call[0], got)
			}
			j.want(t, "page "+name+" unknown https://shop.test  {\"n\":1}")
			j.decide = nil
		}
		c.hangUp()
		j.want(t, "gone stdio-1")
	})
}

// In focus mode tools are judged likewise, and tabs are opened and closed only after that.
func TestTabToolsAreJudged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{}
		b := &tabBrowser{sites: map[string][]string{"https://other.test/": {"z"}}}
		h := newHub(t, echo, trusting(j), func(o *Options, r *registry.Options) { o.Browser, o.Settings.Mode = b, view.FocusedTab })
		b.h = h
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		call := func(name, args string) string {
			c.send(callLine("1", name, args))
			fakeclock.Elapse(calls.ToolsQuiet)
			for _, line := range c.take() {
				if line != listChanged {
					return said(t, line)
				}
			}
			return ""
		}
		call("connect_browser", `{}`)
		call("focus_tab", `{"tabId":1}`)
		call("list_tabs", `{}`)
		call("connect_browser", `{"launch":true}`)
		j.want(t, "automation connect_browser read-only   {}", `automation focus_tab unknown https://shop.test  {"tabId":1}`, "automation list_tabs read-only   {}", "automation list_tabs read-only https://shop.test  {}", `automation connect_browser unknown   {"launch":true}`)
		call("x", `{}`)
		j.want(t, "page x unknown https://shop.test  {}", "sent x https://shop.test")
		call("open_tab", `{"url":"https://other.test/","focus":false}`)
		j.want(t, `automation open_tab unknown  https://other.test/ {"url":"https://other.test/","focus":false}`, "sent open_tab https://other.test")
		j.decide = func(calls.Action) string { return "not today" }
		for _, name := range []string{"open_tab", "close_tab", "focus_tab", "list_tabs", "connect_browser"} {
			if got := call(name, `{"url":"https://other.test/","tabId":1}`); got != "error: not today" {
				t.Errorf("%s: %q", name, got)
			}
		}
		if b.opened != 1 || h.catalog().Tab("A") == nil {
			t.Errorf("%d tabs were opened, and tab 1 is %v", b.opened, h.catalog().Tab("A"))
		}
		c.hangUp()
	})
}

// What is judged and then done is the same thing, or nothing is done.
func TestWhatChangesWhileItIsJudgedIsNotDone(t *testing.T) {
	for change, events := range map[string][]registry.Event{
		"the tool is another": {registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "x", Description: "does worse"}}}},
		"the tool is gone":    {tools("A", 1, "y")},
		"another document":    {navigated("A", 2, "https://shop.test/b"), tools("A", 2, "x")},
		"the tab is gone":     {registry.PageClosed{Page: "A"}},
	} {
		bubble(t, func(t *testing.T) {
			j := &judge{}
			asked := false
			h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result { asked = true; return echo(ctx, c) }, trusting(j))
			j.decide = func(calls.Action) string { h.change(events...); return "" }
			h.page("A", "https://shop.test/", "x")
			c := h.connect(true)
			c.handshake()
			c.send(callLine("1", "webmcp_shop_test_page0_x", `{}`))
			answered := ""
			for _, line := range c.take() {
				if line != listChanged {
					answered = said(t, line)
				}
			}
			if asked || !strings.Contains(answered, "webmcp_shop_test_page0_x was not called: its page changed or withdrew it") {
				t.Errorf("%s: asked %v, %q", change, asked, answered)
			}
			c.hangUp()
		})
	}
	bubble(t, func(t *testing.T) {
		j := &judge{}
		b := &tabBrowser{}
		h := newHub(t, echo, trusting(j), func(o *Options, _ *registry.Options) { o.Browser = b })
		b.h = h
		j.decide = func(calls.Action) string { h.change(navigated("A", 2, "https://bank.test/")); return "" }
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "close_tab", `{"tabId":1}`))
		if got := strings.Join(c.take(), "\n"); !strings.Contains(got, "shows another page than when the call was allowed") || h.catalog().Tab("A") == nil {
			t.Errorf("close_tab: %s", got)
		}
		c.hangUp()
	})
}

// A tab is opened for a site's tool only after that was judged.
func TestOpeningForASitesToolIsJudged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{}
		b := &tabBrowser{sites: map[string][]string{"https://shop.test/": {"x"}}}
		h := newHub(t, echo, trusting(j), func(o *Options, r *registry.Options) { o.Browser, r.Naming = b, offer.MCPBNames })
		b.h = h
		h.change(cached("https://shop.test/"))
		c := h.connect(true)
		c.handshake()
		call := func() string {
			c.send(callLine("1", shopX, `{}`))
			fakeclock.Elapse(calls.SiteToolTimeout)
			for _, line := range c.take() {
				if line != listChanged {
					return said(t, line)
				}
			}
			return ""
		}
		j.decide = func(calls.Action) string { return "not today" }
		if got := call(); got != "error: not today" || b.opened != 0 {
			t.Errorf("%q, %d tabs were opened", got, b.opened)
		}
		j.heard()
		var stages []browsertool.Stage
		j.decide = func(d calls.Action) string { stages = append(stages, d.Stage); return "" }
		call()
		j.want(t, "page x unknown https://shop.test https://shop.test/ {}", "page x unknown https://shop.test  {}", "sent x https://shop.test")
		if !slices.Equal(stages, []browsertool.Stage{browsertool.StageBegin, browsertool.StageEnter}) { // else it is two calls to those who count them
			t.Errorf("the stages are %v", stages)
		}
		c.hangUp()
	})
}

// Resources and prompts are judged by what their page is asked.
func TestOffersAreJudged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{}
		h := newOfferHub(t, trusting(j))
		h.page("A", "https://shop.test/", "note://1", "note://{id}", "#greet")
		c := h.connect(true)
		c.handshake()
		requests := []struct{ method, params, action string }{
			{"resources/read", `{"uri":"webmcp://shop.test/page0/note%3A%2F%2F1"}`, `resource note://1 read-only https://shop.test  {"uri":"note://1"}`},
			{"resources/read", `{"uri":"webmcp://shop.test/page0/note%3A%2F%2F7"}`, `resource note://7 read-only https://shop.test  {"uri":"note://7"}`},
			{"resources/subscribe", `{"uri":"webmcp://shop.test/page0/note%3A%2F%2F1"}`, `resource note://1 read-only https://shop.test  {"uri":"note://1"}`},
			{"prompts/get", `{"name":"webmcp_shop_test_page0_greet","arguments":{"who":"me"}}`, `prompt greet read-only https://shop.test  {"arguments":{"who":"me"},"name":"greet"}`},
			{"completion/complete", `{"ref":{"type":"ref/prompt","name":"webmcp_shop_test_page0_greet"},"argument":{"name":"who","value":"m"}}`,
				`prompt greet read-only https://shop.test  {"argument":{"name":"who","value":"m"},"ref":{"name":"greet","type":"ref/prompt"}}`},
		}
		j.decide = func(calls.Action) string { return "not today" }
		for _, r := range requests {
			if got := c.one(r.method, r.params); !strings.Contains(got, "not today") {
				t.Errorf("%s %s: %s", r.method, r.params, got)
			}
			j.want(t, r.action)
		}
		h.expectHeard()
		j.decide = nil
		for _, r := range requests {
			got := c.one(r.method, r.params)
			if !strings.HasPrefix(got, "{") || strings.Contains(got, "a page's words") != (r.method != "resources/subscribe") {
				t.Errorf("%s %s: %s", r.method, r.params, got)
			}
			if told := j.heard(); len(told) == 0 || told[0] != r.action || len(told) != 2 {
				t.Errorf("%s: was told %q", r.method, told)
			}
		}
		h.heard()
		j.decide = func(calls.Action) string { h.change(offered("A", 1, "note://2")); return "" }
		c.send(ask("1", "resources/read", requests[0].params))
		if got := strings.Join(c.take(), "\n"); !strings.Contains(got, "changed or withdrew") {
			t.Errorf("a resource that is gone: %s", got)
		}
		h.expectHeard()
		c.hangUp()
	})
}

// What a page asks of a client is judged, as the answer tells the page something; and the
// page's words count as sent before it can say any: also by an error, or in its log.
func TestWhatPagesSayAndAskIsJudged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{}
		h := newOfferHub(t, trusting(j))
		h.page("A", "https://evil.test/", "note://1")
		c := h.connect(true)
		c.send(helpful, initialized)
		c.take()
		h.answer = func(context.Context, registry.DocumentRef, string, func(json.RawMessage)) (json.RawMessage, error) {
			if told := j.heard(); len(told) != 2 || told[1] != "sent note://1 https://evil.test" {
				t.Errorf("when the page is asked, was told %q", told)
			}
			j.decide = func(d calls.Action) string { return "not today" }
			if g := <-h.asks(t.Context(), sample("A")); g.err == nil || !strings.Contains(g.err.Error(), "not allowed now") {
				t.Errorf("the page was given %+v", g)
			}
			if told := j.heard(); len(told) != 1 || !strings.HasPrefix(told[0], "request sampling/createMessage read-only https://a.test  {") || !strings.Contains(told[0], `"text":"hi"`) {
				t.Errorf("was told %q", told)
			}
			j.decide = nil
			return nil, registry.PageError{Code: -32000, Text: "balance 4711"}
		}
		c.send(ask("1", "resources/read", `{"uri":"webmcp://evil.test/page0/note%3A%2F%2F1"}`))
		if got := strings.Join(c.take(), "\n"); !strings.Contains(got, "balance 4711") || strings.Contains(got, "sampling") {
			t.Errorf("the client was sent %s", got)
		}
		j.want(t)
		h.Apply([]registry.Effect{registry.PageLogged{Server: serverOf("A", 1), Origin: "https://evil.test", Params: json.RawMessage(`{"level":"error","data":"balance 4711"}`)}})
		if got := strings.Join(c.take(), "\n"); !strings.Contains(got, "balance 4711") {
			t.Errorf("the client was sent %s", got)
		}
		j.want(t, "sent  https://evil.test")
		c.hangUp()
	})
}

// Pages are connected and disconnected, for all clients, only where that is allowed.
func TestConnectingIsJudged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{decide: func(calls.Action) string { return "no" }}
		b := &tabBrowser{sites: map[string][]string{}}
		h := newHub(t, echo, trusting(j), func(o *Options, _ *registry.Options) { o.Browser = b })
		b.h = h
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		for _, name := range []string{"disconnect_webmcp", "connect_webmcp"} {
			if got := c.call(name, `{"page":0}`); got != "error: no" {
				t.Errorf("%s: %s", name, got)
			}
			if told := j.heard(); len(told) != 1 || !strings.Contains(told[0], name) || !strings.Contains(told[0], "https://shop.test") {
				t.Errorf("%s: was told %q", name, told)
			}
		}
		if tab := h.current.Catalog().Tab("A"); tab == nil || !tab.Connected() {
			t.Error("the page was disconnected")
		}
		c.hangUp()
	})
}
