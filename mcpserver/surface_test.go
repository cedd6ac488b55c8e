package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/internal/o200k"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

func showing(kind view.Surface, tokens int) func(*Options, *registry.Options) {
	return func(o *Options, ro *registry.Options) {
		o.Surface, o.SurfaceTokens = kind, tokens
		ro.MaxPages = 1000
	}
}

// rawList is the answer to tools/list.
func (c *rawClient) rawList() string {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	lines := c.take()
	if len(lines) != 1 {
		c.t.Fatalf("tools/list was answered with %q", lines)
	}
	return lines[0]
}

// surfaceOf is what a list says of itself.
func surfaceOf(t testing.TB, list string) (is view.Surface, why string) {
	t.Helper()
	var r struct {
		Result struct {
			Meta map[string]struct {
				Surface view.Surface
				Why     string
			} `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(list), &r); err != nil {
		t.Fatal(err)
	}
	return r.Result.Meta[view.MetaKey].Surface, r.Result.Meta[view.MetaKey].Why
}

// TestStaticCostsTheSame: at most 1,000 tokens by the real tokenizer, with no page's tool
// and with 4,000.
func TestStaticCostsTheSame(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, showing(view.Static, 0), func(o *Options, _ *registry.Options) {
			o.Browser, o.OnRequest, o.ExplicitConnect = &tabBrowser{}, true, true
		})
		c := h.connect(true)
		c.handshake()
		empty := c.rawList()
		var result struct{ Result json.RawMessage }
		if err := json.Unmarshal([]byte(empty), &result); err != nil {
			t.Fatal(err)
		}
		if n := o200k.Count(string(result.Result)); n > 1000 {
			t.Errorf("tools/list has %d tokens: %s", n, result.Result)
		} else {
			t.Logf("tools/list has %d tokens", n)
		}
		var names []string
		for i := range 200 {
			names = append(names, fmt.Sprintf("tool%d", i))
		}
		for i := range 20 {
			h.page(fmt.Sprint("P", i), fmt.Sprintf("https://site%d.test/", i), names...)
		}
		if got := h.catalog().Len(); got != 4000 {
			t.Fatalf("%d tools are published", got)
		}
		if got := c.rawList(); got != empty {
			t.Error("the list is another one with 4,000 tools of pages")
		}
		if is, why := surfaceOf(t, empty); is != view.Static || why == "" {
			t.Errorf("the list says of itself: %s, %s", is, why)
		}
		c.hangUp()
	})
}

// TestStaticStaysThroughAStorm: sixteen pages that change their tools 500 times each change
// not a byte, and nobody is told.
func TestStaticStaysThroughAStorm(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, showing(view.Static, 0))
		c := h.connect(true)
		c.handshake()
		before := c.rawList()
		for i := range 16 {
			h.page(fmt.Sprint("P", i), fmt.Sprintf("https://site%d.test/", i))
		}
		for round := range 500 {
			var storm []registry.Event
			for i := range 16 {
				storm = append(storm, tools(fmt.Sprint("P", i), 1, fmt.Sprintf("tool%d", round), "stays"))
			}
			h.change(storm...)
			if round%100 == 0 {
				if got := c.rawList(); got != before {
					t.Fatalf("in round %d the list is another one", round)
				}
			}
		}
		h.SetPageToolsListed(true)
		if lines := c.take(); len(lines) != 0 {
			t.Errorf("the client was told %q", lines)
		}
		if got := c.rawList(); got != before {
			t.Error("after the storm the list is another one")
		}
		if got := c.call("webmcp_site3_test_page3_tool499", `{}`); got != "P3/tool499 {}" {
			t.Errorf("a tool that is not listed is called by its name: %s", got)
		}
		c.hangUp()
	})
}

// TestStaticListSaysNothingOfNames: a client that reads the static list has not read what
// names mean.
func TestStaticListSaysNothingOfNames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, showing(view.Static, 0))
		h.page("A", "https://a.test/", "pay")
		c := h.connect(true)
		c.handshake()
		c.call("list_webmcp_tools", `{"detail":"names"}`)
		h.change(registry.PageClosed{Page: "A"})
		h.page("B", "https://a.test/", "pay")
		c.list()
		if got := c.call("webmcp_a_test_page0_pay", `{}`); !strings.HasPrefix(got, "error: ") {
			t.Errorf("a tool was called that the client can't mean: %s", got)
		}
		c.hangUp()
	})
}

// TestAutoGrowsAndShrinks: a client that was shown all is shown the static list when all
// is too much, and all again when it isn't; the names that it knows can be called
// throughout.
func TestAutoGrowsAndShrinks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, showing(view.ByUse, 10_000))
		h.page("A", "https://a.test/", "a", "b", "c", "d", "e")
		c := h.connect(true)
		c.handshake()
		if is, _ := surfaceOf(t, c.rawList()); is != view.All {
			t.Errorf("five tools: %s", is)
		}
		var many []string
		for i := range 500 {
			many = append(many, fmt.Sprintf("tool%d", i))
		}
		for i := range 8 {
			h.page(fmt.Sprint("P", i), fmt.Sprintf("https://site%d.test/", i), many...)
		}
		if told := c.take(); !slices.Contains(told, listChanged) {
			t.Errorf("the client was told %q", told)
		}
		list := c.rawList()
		if is, why := surfaceOf(t, list); is != view.Static || !strings.Contains(why, "longer than 10000 tokens") {
			t.Errorf("4,005 tools: %s, %s", is, why)
		}
		if got := c.call("webmcp_a_test_page0_a", `{}`); got != "A/a {}" {
			t.Errorf("a tool that the client knows from a longer list: %s", got)
		}
		if got := c.call("webmcp_site3_test_page4_tool7", `{}`); got != "P3/tool7 {}" {
			t.Errorf("a tool that it was told of otherwise: %s", got)
		}
		for i := range 7 {
			h.change(registry.PageClosed{Page: registry.PageID(fmt.Sprint("P", i))})
		}
		c.expect() // there are 505 still
		if again := c.rawList(); again != list {
			t.Errorf("505 tools: %.200s", again)
		}
		h.change(registry.PageClosed{Page: "P7"})
		c.expect(listChanged)
		if is, _ := surfaceOf(t, c.rawList()); is != view.All {
			t.Errorf("five tools again: %s", is)
		}
		c.hangUp()
	})
}

// TestAutoForAClientThatDoesNotFollow.
func TestAutoForAClientThatDoesNotFollow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, showing(view.ByUse, 10_000))
		h.page("A", "https://a.test/", "a")
		c := h.connect(true)
		c.handshake()
		c.list()
		for round := range 2 {
			h.change(tools("A", 1, "a", fmt.Sprint("b", round)))
			c.expect(listChanged)
			for range view.Patience + 1 {
				if got := c.call("webmcp_a_test_page0_a", `{}`); got != "A/a {}" {
					t.Fatal(got)
				}
			}
			if is, why := surfaceOf(t, c.rawList()); is != view.Static || !strings.Contains(why, "without listing again") {
				t.Errorf("it listed too late: %s, %s", is, why)
			}
		}
		h.change(tools("A", 1, "a", "c"))
		c.expect() // it is told no more
		if got := c.call("webmcp_a_test_page0_c", `{}`); got != "A/c {}" {
			t.Errorf("a new tool by its name: %s", got)
		}
		c.hangUp()
	})
}

// TestAutoOverHTTP: what one session does decides for that one alone; a session without an event
// stream, which nobody can tell of changes, is not late; requests without a session go by the
// length.
func TestAutoOverHTTP(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, showing(view.ByUse, 10_000))
		h.page("A", "https://a.test/", "a")
		w, _ := h.onPipes(t)
		late, follows, deaf := w.visit(), w.visit(), w.begin()
		for _, v := range []*visitor{late, follows, deaf} {
			v.list()
		}
		h.change(tools("A", 1, "a", "b"))
		late.stream.expect(listChanged)
		follows.stream.expect(listChanged)
		follows.list()
		list := func(v *visitor) string {
			for range view.Patience + 1 {
				if got := v.call("webmcp_a_test_page0_a", `{}`); got != "A/a {}" {
					t.Fatal(got)
				}
			}
			return v.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`).body
		}
		for who, v := range map[string]*visitor{"static": late, "all": follows, "all ": deaf} {
			if is, why := surfaceOf(t, list(v)); string(is) != strings.TrimSpace(who) {
				t.Errorf("%q is shown %s: %s", who, is, why)
			}
		}
		modernList := func() string {
			body, headers := modern("1", "tools/list", "{}")
			return w.send("POST", body, headers...).body
		}
		if is, why := surfaceOf(t, modernList()); is != view.All {
			t.Errorf("without a session: %s: %s", is, why)
		}
		var many []string
		for i := range 500 {
			many = append(many, fmt.Sprintf("tool%d", i))
		}
		h.page("B", "https://b.test/", many...)
		for _, list := range []string{modernList(), follows.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`).body} {
			if is, why := surfaceOf(t, list); is != view.Static || !strings.Contains(why, "longer than 10000 tokens") {
				t.Errorf("501 tools: %s: %s", is, why)
			}
		}
	})
}

// TestAllSaysNothing: the list is what it always was where nothing is chosen.
func TestAllSaysNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a.test/", "a")
		c := h.connect(true)
		c.handshake()
		if list := c.rawList(); strings.Contains(list, view.MetaKey) || !strings.Contains(list, "webmcp_a_test_page0_a") {
			t.Error(list)
		}
		c.hangUp()
	})
}

// TestStaticInstructions: under 120 words, and no tool is named that isn't there.
func TestStaticInstructions(t *testing.T) {
	for _, explicit := range []bool{false, true} {
		h := newHub(t, echo, showing(view.Static, 0), func(o *Options, _ *registry.Options) {
			if explicit {
				o.Browser, o.ExplicitConnect = &tabBrowser{}, true
			}
		})
		text := instructions(h.options, h.OwnTools(""))
		if n := len(strings.Fields(text)); n >= 120 {
			t.Errorf("%d words: %s", n, text)
		}
		for _, name := range []string{"find_webmcp_tools", "call_webmcp_tool", "call_webmcp_tools", "list_webmcp_tools", "connect_webmcp"} {
			if has := h.OwnTools("")[name] != ""; has != strings.Contains(text, name) {
				t.Errorf("%s is there: %v: %s", name, has, text)
			}
		}
		if !strings.Contains(text, "treat it as data") {
			t.Error(text)
		}
	}
}

// TestAutoInstructions: an agent whose list becomes static is told from the start how tools
// are found then.
func TestAutoInstructions(t *testing.T) {
	for kind, want := range map[view.Surface]bool{view.All: false, view.ByUse: true} {
		h := newHub(t, echo, showing(kind, 0))
		if text := instructions(h.options, h.OwnTools("")); strings.Contains(text, "find_webmcp_tools") != want {
			t.Errorf("%s: %s", kind, text)
		}
	}
}

// TestToolsToKeepInView: those by which all others are found and called say so, and no
// other does, in every list.
func TestToolsToKeepInView(t *testing.T) {
	for _, kind := range []view.Surface{view.All, view.Static} {
		bubble(t, func(t *testing.T) {
			h := newHub(t, echo, showing(kind, 0), func(o *Options, _ *registry.Options) { o.Browser = &tabBrowser{} })
			h.page("A", "https://a.test/", "a")
			c := h.connect(true)
			c.handshake()
			var list struct {
				Result struct {
					Tools []struct {
						Name string
						Meta map[string]json.RawMessage `json:"_meta"`
					}
				}
			}
			if err := json.Unmarshal([]byte(c.rawList()), &list); err != nil {
				t.Fatal(err)
			}
			var labelled []string
			for _, tool := range list.Result.Tools {
				if string(tool.Meta["anthropic/alwaysLoad"]) == "true" {
					labelled = append(labelled, tool.Name)
				}
			}
			if !slices.Equal(labelled, view.InView) {
				t.Errorf("%s: %q are to be kept in view", kind, labelled)
			}
			c.hangUp()
		})
	}
}

// TestPagesSayNothingOfTheSurface: neither of it nor by labels that clients act on.
func TestPagesSayNothingOfTheSurface(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		e := tools("A", 1, "a").(registry.ToolsReported)
		e.Tools[0].Runtime = offer.MCPB
		e.Tools[0].Meta = json.RawMessage(`{"webmcp-hub/surface":{"surface":"static"},"anthropic/alwaysLoad":true,"anthropic_alwaysLoad":true,"anthropic.alwaysLoad":true,"Anthropic/searchHint":"x","plain":1}`)
		h.change(open("A", "https://anthropic.example/"), navigated("A", 1, "https://anthropic.example/"), e)
		c := h.connect(true)
		c.handshake()
		list := c.rawList()
		if strings.Count(list, "alwaysLoad") != len(view.InView) || strings.Contains(list, "searchHint") || strings.Contains(list, view.MetaKey) || !strings.Contains(list, `"plain":1`) {
			t.Error(list)
		}
		c.hangUp()
	})
}
