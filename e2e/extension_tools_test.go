package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestExtensionCallsTools(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2, polyfill, early} {
		t.Run(string(r), func(t *testing.T) {
			if r != native {
				needNPM(t)
			}
			h, c := hubAndChrome(t, r == native)
			c.open(t, pages.url("behaviours.html", "runtime="+string(r)))
			id := h.tab("behaviours.html")
			h.has(id, "text", "echo", "throws", "hangs", "nothing")
			tool := h.tool(id, "echo")
			if tool.Description != "the echo tool" || tool.InputSchema["properties"] == nil || tool.FrameID != 0 || tool.Doc != h.tabs[id].Doc || tool.FrameURL != h.tabs[id].URL {
				t.Errorf("the tool is told as %+v", tool)
			}
			for _, call := range []struct {
				tool string
				args map[string]any
				want string
			}{
				{"text", nil, `{"content":[{"type":"text","text":"plain"}]`},
				{"echo", map[string]any{"value": []any{1, "zwei"}}, `{\"value\":[1,\"zwei\"]}`},
				{"object", nil, `"total":3`},
				{"structured", nil, `"structuredContent":{"count":3}`},
				{"says-error", nil, map[bool]string{true: "error: out of stock", false: `"isError":true`}[r == early]},
				{"image", nil, `"data":"iVBORw0KGgo="`},
				{"throws", nil, map[bool]string{true: "error: ", false: "the till is on fire"}[r == native || r == polyfill || r == early]},
			} {
				if got := h.call(id, call.tool, call.args); !strings.Contains(got, call.want) {
					t.Errorf("%s answered %s, want %s", call.tool, got, call.want)
				}
			}
			// Nobody waits for what was taken back, and the tab goes on.
			taken := h.begin(id, "hangs", nil)
			h.say(map[string]any{"type": "cancelTool", "callId": taken})
			h.call(id, "text", nil)
			if m, ok := h.answers[taken]; ok {
				t.Errorf("a call that was taken back was answered: %v", m.text())
			}
		})
	}
}

func TestExtensionCancelsNativeTools(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	p := c.open(t, pages.url("behaviours.html"))
	id := h.tab("behaviours.html")
	call := h.begin(id, "waits", nil)
	p.happened("waiting")
	h.say(map[string]any{"type": "cancelTool", "callId": call})
	p.happened("aborted")
}

// TestExtensionEndsCallsInTime: the page is told, and the hub what became of the call.
func TestExtensionEndsCallsInTime(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	p := c.open(t, pages.url("behaviours.html"))
	id := h.tab("behaviours.html")
	tool := h.tool(id, "waits")
	call := nextID()
	h.say(map[string]any{"type": "callTool", "callId": call, "tabId": id, "toolName": "waits", "args": map[string]any{},
		"frameId": tool.FrameID, "doc": tool.Doc, "timeoutMs": 500})
	p.happened("waiting")
	if got := h.answer(call).text(); got != "error: the tool did not answer within 0.5 s" {
		t.Errorf("the call ended with %s", got)
	}
	p.happened("aborted")
}

// TestExtensionPassesProgressOn: what a page's server says of a call that runs.
func TestExtensionPassesProgressOn(t *testing.T) {
	t.Parallel()
	needNPM(t)
	for _, r := range []runtime{mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			h, c := hubAndChrome(t, false)
			p := c.open(t, pages.url("counts.html", "runtime="+string(r)))
			id := h.tab("counts.html")
			calls := []string{h.begin(id, "lasts", map[string]any{"key": 0}), h.begin(id, "lasts", map[string]any{"key": 1})}
			p.eval(`until(({started}) => started.length === 2)`)
			p.eval(`progress(1, {progress: 3, total: 9, message: 'on the way'}); progress(0, {progressToken: 'guessed', progress: 8})`)
			h.wait("progress", func() bool { return len(h.progress) > 0 })
			p.eval(`end()`)
			for key, call := range calls {
				if got := h.answer(call).text(); !strings.Contains(got, fmt.Sprint(key, " ended")) {
					t.Errorf("call %d answered %s", key, got)
				}
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			said := h.progress[0]
			if len(h.progress) != 1 || *said.CallID != calls[1] || said.Params["progress"] != 3.0 || said.Params["total"] != 9.0 || said.Params["message"] != "on the way" {
				t.Errorf("the hub was told %+v", h.progress)
			}
		})
	}
}

// TestExtensionIntrospectsForAHubThatWantsIt, and for as long as it does.
func TestExtensionIntrospectsForAHubThatWantsIt(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, false)
	p := c.open(t, pages.url("deep.html"))
	id := h.tab("deep.html")
	p.eval(`frame('<button>Early</button>')`)
	c.open(t, pages.url("forms.html"))
	h.lists(h.tab("forms.html"), "ask", "book", "find") // which come without it
	h.lists(id)
	h.say(map[string]any{"type": "connect", "introspect": true})
	h.has(id, "click_outer", "click_early", "get_page_content")
	p.eval(`frame('<button>Late</button>')`)
	h.has(id, "click_outer", "click_early", "click_late")
	h.lists(h.tab("forms.html"), "ask", "book", "find")

	p.navigate(pages.url("deep.html"))
	h.wait("the next document's tools", func() bool {
		return slices.Contains(h.names(id), "click_outer") && !slices.Contains(h.names(id), "click_early")
	})
	h.say(map[string]any{"type": "connect"})
	h.lists(id)
	h.say(map[string]any{"type": "connect", "introspect": true})
	h.has(id, "click_outer")
}

// TestExtensionFollowsTools: what comes, changes and goes, in one document.
func TestExtensionFollowsTools(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2, polyfill, early} {
		t.Run(string(r), func(t *testing.T) {
			if r != native {
				needNPM(t)
			}
			h, c := hubAndChrome(t, r == native)
			p := c.open(t, pages.url("dynamic.html", "runtime="+string(r)))
			id := h.tab("dynamic.html")
			h.lists(id, "first", "unlock")
			p.eval(`remove('first'), add('second', {description: 'eins'})`)
			h.lists(id, "second", "unlock")
			p.eval(`change('second', 'zwei')`)
			h.wait("the new description", func() bool {
				for _, tool := range h.tabs[id].Tools {
					if tool.Name == "second" && tool.Description == "zwei" {
						return true
					}
				}
				return false
			})
			h.call(id, "unlock", nil)
			h.lists(id, "second", "unlock", "secret")
			before := h.changes(id)
			p.eval(`for (let i = 0; i < 100; i++) add('many' + i)`)
			h.wait("102 tools", func() bool { return len(h.names(id)) == 103 })
			if sets := h.changes(id) - before; r != mcpb5 && sets > 20 {
				t.Errorf("100 tools at once were told in %d sets", sets)
			}
		})
	}
}

func (h *scriptedHub) changes(id int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tabs[id].Changes
}

// TestExtensionReachesFrames of the same and of other sites, without an address too.
func TestExtensionReachesFrames(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			if r != native {
				needNPM(t)
			}
			h, c := hubAndChrome(t, r == native)
			frame := func(name string) string {
				return "src=" + pages.url("lifecycle.html", "tool="+name, "runtime="+string(r))
			}
			more := []string{"tool=outer", frame("same"), "runtime=" + string(r)}
			want := []string{"outer", "outer-hangs", "same", "same-hangs"}
			if r == native {
				more = append(more, "src="+pages.otherSite("lifecycle.html", "tool=other"))
				want = append(want, "other", "other-hangs")
			}
			p := c.open(t, pages.url("lifecycle.html", more...))
			id := h.tab("lifecycle.html")
			h.lists(id, want...)
			for _, name := range want {
				if strings.HasSuffix(name, "-hangs") {
					continue
				}
				if got := h.call(id, name, nil); !strings.Contains(got, name+" ran") {
					t.Errorf("%s answered %s", name, got)
				}
				if tool := h.tool(id, name); (tool.FrameID == 0) != (name == "outer") || (tool.Doc == h.tabs[id].Doc) != (name == "outer") {
					t.Errorf("%s is told of frame %d, document %s", name, tool.FrameID, tool.Doc)
				}
			}
			call := h.begin(id, "same-hangs", nil)
			p.happened("hanging")
			p.eval(`document.querySelectorAll('iframe').forEach(frame => frame.remove())`)
			if got := h.answer(call).text(); got != "error: the frame was removed or navigated while the tool ran" {
				t.Errorf("the call into the frame ended with %s", got)
			}
			h.lists(id, "outer", "outer-hangs")
		})
	}
}

func TestExtensionReachesFramesWithoutAddress(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	c.open(t, pages.url("frames.html", "srcdoc=", "src="+pages.otherSite("ads.html", "nested=")))
	id := h.tab("frames.html")
	h.lists(id, "outer", "written", "in_srcdoc", "in_blank")
	own, ads := strings.TrimSuffix(pages.url(""), "/"), strings.TrimSuffix(pages.otherSite(""), "/")
	for name, want := range map[string]string{"outer": own, "written": own, "in_srcdoc": ads, "in_blank": ads} {
		if got := h.tool(id, name).Origin; got != want {
			t.Errorf("%s is told to be of %q, want %q", name, got, want)
		}
	}
	if got := h.call(id, "written", nil); !strings.Contains(got, "written ran") {
		t.Errorf("written answered %s", got)
	}
}

// TestExtensionReadsNativeOnce: a server beside native WebMCP mirrors its tools there.
func TestExtensionReadsNativeOnce(t *testing.T) {
	t.Parallel()
	needNPM(t)
	h, c := hubAndChrome(t, true)
	c.open(t, pages.url("lifecycle.html", "runtime="+string(mcpb5)))
	id := h.tab("lifecycle.html")
	h.lists(id, "a", "a-hangs")
	if got := h.call(id, "a", nil); !strings.Contains(got, "a ran") {
		t.Errorf("a answered %s", got)
	}
}

// TestExtensionReadsForms: Chrome makes tools of forms that say so.
func TestExtensionReadsForms(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	c.open(t, pages.url("form.html"))
	id := h.tab("form.html")
	h.wait("the form's tool", func() bool { return len(h.names(id)) > 0 })
}

func TestExtensionRefusesCalls(t *testing.T) {
	t.Parallel()
	h, c := hubAndChrome(t, true)
	p := c.open(t, pages.url("lifecycle.html"))
	id := h.tab("lifecycle.html")
	h.has(id, "a")
	old := h.tabs[id].Doc
	for _, call := range []struct {
		m    map[string]any
		want string
	}{
		{map[string]any{"tabId": 999999, "toolName": "a"}, "error: there is no tab 999999"},
		{map[string]any{"tabId": id, "toolName": "b"}, fmt.Sprintf("error: tab %d has no tool b", id)},
		{map[string]any{"tabId": id, "toolName": "b", "frameId": 0, "doc": old}, "error: the page has no tool b"},
		{map[string]any{"tabId": id, "toolName": "a", "doc": "x"}, "error: the document that had the tool is gone"},
		{map[string]any{"tabId": id, "toolName": "a"}, `{"content":[{"text":"a ran","type":"text"}]}`},
	} {
		call.m["type"], call.m["callId"], call.m["args"] = "callTool", nextID(), map[string]any{}
		h.say(call.m)
		got := h.answer(call.m["callId"].(string)).text()
		if canonical(got) != canonical(call.want) {
			t.Errorf("%v was answered with %s", call.m, got)
		}
	}
	// What is no message at all harms nothing.
	h.say(map[string]any{"type": "callTool", "callId": 7})
	h.say(map[string]any{"type": "callTool", "callId": "x", "tabId": "a", "toolName": "a"})
	h.say(map[string]any{"type": "makeCoffee"})
	h.say(map[string]any{"nothing": true})
	if got := h.call(id, "a", nil); !strings.Contains(got, "a ran") {
		t.Errorf("a answered %s", got)
	}
	_ = p
}

func canonical(s string) string {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	out, _ := json.Marshal(v)
	return string(out)
}
