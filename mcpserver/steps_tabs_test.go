package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/batch"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// A step may use a tool that a step before it has brought to another tab than the one that had
// it when the batch began.
func TestStepsThatMoveATool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, nil)
		h.reaches(func(_ context.Context, c calls.Call) registry.Result {
			if c.Tool.Route.Tool == "move" {
				h.change(registry.PageClosed{Page: "A"})
				go func() {
					fakeclock.Pause(time.Second)
					h.change(tools("B", 1, "arrive"))
				}()
			}
			return sanitize.TextResult(string(c.Tool.Route.Page) + "/" + c.Tool.Route.Tool)
		})
		h.page("A", "https://a.test/", "move", "arrive")
		h.page("B", "https://b.test/", "other")
		c := h.connect(true)
		c.handshake()
		out, text := c.batch(`{"steps":[{"tool":"move"},{"tool":"arrive"}]}`)
		if out.short() != "ok, ok" || out.Steps[1].Text != "B/arrive" {
			t.Errorf("%s", text)
		}
		c.hangUp()
	})
}

// No more steps run at a time than a client's user can be asked about at a time, so that none
// fails because the others ask.
func TestAllStepsMayAsk(t *testing.T) {
	if batch.MaxSideBySide > wire.MaxQuestions {
		t.Errorf("%d steps side by side, and %d questions", batch.MaxSideBySide, wire.MaxQuestions)
	}
	bubble(t, func(t *testing.T) {
		a := &permission{before: "pay"}
		h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.Trust = a })
		var steps []string
		for i := range 12 {
			h.page(string(rune('A'+i)), fmt.Sprintf("https://site%d.test/", i), "pay")
			steps = append(steps, fmt.Sprintf(`{"tool":"webmcp_site%d_test_page%d_pay"}`, i, i))
		}
		c := h.connect(true)
		c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1), initialized)
		c.take()
		c.send(stepsLine("1", `{"steps":[`+strings.Join(steps, ",")+`]}`))
		for range 50 {
			for _, line := range c.take() {
				if strings.HasPrefix(line, `{"jsonrpc":"2.0","id":1,`) {
					if out, text := stepsAnswer(t, line); strings.Count(out.short(), "ok") != 12 {
						t.Errorf("%s", text)
					}
					c.hangUp()
					return
				}
				_, id, _ := strings.Cut(line, `"id":"`)
				id, _, _ = strings.Cut(id, `"`)
				c.send(`{"jsonrpc":"2.0","id":"` + id + `","result":{"action":"accept","content":{}}}`)
			}
		}
		t.Fatal("the batch was not answered")
	})
}

// Tools of sites can be steps: their tab is chosen, or opened, when they are called, so all steps
// before them end first.
func TestToolsOfSitesAsSteps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		h, b := routingHub(t, func(_ context.Context, c calls.Call) registry.Result {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, string(c.Tool.Route.Page)+"/"+c.Tool.Route.Tool+" "+string(c.Args))
			return sanitize.NativeResult([]byte(`{"id":7}`))
		})
		b.sites["https://shop.test/a"] = []string{"x"}
		h.page("A", "https://other.test/", "y", "z")
		h.change(cached("https://shop.test/a"))
		c := h.connect(true)
		c.handshake()
		out, text := c.batch(`{"steps":[{"tool":"website_tool_other_test_y","as":"y"},{"tool":"` + shopX + `","as":"x","arguments":{"n":{"$ref":"y.id"}}},{"tool":"website_tool_other_test_tab1_z","arguments":{"n":{"$ref":"x.id"}}}]}`)
		if out.short() != "ok, ok, ok" || out.Steps[0].Tab != 1 || out.Steps[1].Tab != 2 || out.Steps[1].Origin != "https://shop.test" {
			t.Errorf("%s\n%+v", text, out)
		}
		if len(log) != 3 || log[0] != "A/y {}" || !strings.HasSuffix(log[1], `/x {"n":7}`) || log[2] != `A/z {"n":7}` {
			t.Errorf("%q", log)
		}
		if i := slices.IndexFunc(out.Steps, func(s stepOut) bool { return s.Result == nil }); i >= 0 {
			t.Errorf("step %d has no result", i)
		}
		c.hangUp()
	})
}

// A tab's id says where a tool is that several tabs have, in a call and in a step.
func TestToolsByTheirTab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://a.test/", "x")
		h.page("B", "https://b.test/", "x", "y")
		c := h.connect(true)
		c.handshake()
		for args, want := range map[string]string{
			`{"name":"x","tab":2}`:                     "B/x {}",
			`{"name":"x","tab":1}`:                     "A/x {}",
			`{"name":"x","tab":2,"page":1}`:            "B/x {}",
			`{"name":"x","tab":2,"page":0}`:            "error: Page 0 is tab 1, and not tab 2: give one of them.",
			`{"name":"y","tab":1}`:                     "error: Tab 1 (https://a.test/) has no tool called y. It has: x.",
			`{"name":"x","tab":7}`:                     "error: There is no tab 7; if there was one, it was closed.",
			`{"name":"webmcp_a_test_page0_x","tab":2}`: "error: webmcp_a_test_page0_x is not a tool of tab 2. List the tools again (list_webmcp_tools), or leave that out.",
		} {
			if got := c.call("call_webmcp_tool", args); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s, want %s", args, got, want)
			}
		}
		out, text := c.batch(`{"steps":[{"tool":"x","tab":2},{"tool":"x","tab":1},{"tool":"y","tab":1}],"stopOn":"never"}`)
		if out.short() != "ok, ok, error" || out.Steps[0].Tab != 2 || out.Steps[1].Tab != 1 || !strings.Contains(out.Steps[2].Why, "Tab 1 (https://a.test/) has no tool called y") {
			t.Errorf("%s", text)
		}
		if _, text := c.batch(`{"steps":[{"tool":"list_webmcp_tools","tab":1}]}`); !strings.HasPrefix(text, "error: No step was run: step 0 can't have a tab beside its arguments") {
			t.Errorf("%s", text)
		}
		c.hangUp()
	})
}
