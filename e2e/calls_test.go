package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// behaviours opens the page with every kind of tool, and a hub on it.
func behaviours(t *testing.T, r runtime, flags ...string) (*hub, *tab, func(tool string) string) {
	t.Helper()
	c := chromeFor(t, r)
	h := attachHub(t, c, flags...)
	p := c.open(t, pages.url("behaviours.html", "runtime="+string(r)))
	name := func(tool string) string { return toolName("0", tool) }
	h.waitTool(name("answers_and_goes"))
	return h, p, name
}

// TestCalls: what calls bring, on a page of each runtime.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2, polyfill, early} {
		t.Run(string(r), func(t *testing.T) {
			h, p, name := behaviours(t, r, "--max-result-tokens=0")
			resultsKeepWhatTheyAre(t, h, name)
			thePagesOwnErrorReachesTheAgent(t, r, h, name)
			callsRunSideBySide(t, h, p, name)
			aBigResult(t, h, name)
			if r == native {
				unknownToolsGetAClearError(t, h)
			}
			wantText(t, h.call(name("text"), nil), "plain")
		})
	}
}

func resultsKeepWhatTheyAre(t *testing.T, h *hub, name func(tool string) string) {
	t.Helper()
	wantText(t, h.call(name("text"), nil), "plain")
	wantText(t, h.call(name("string"), nil), "just a string")
	if got := h.call(name("structured"), nil); asJSON(got.StructuredContent) != `{"count":3}` || textOf(got) != "three" {
		t.Errorf("structured: %s", asJSON(got))
	}
	if got := h.call(name("object"), nil); !strings.Contains(textOf(got), `"total":3`) && !strings.Contains(textOf(got), `"total": 3`) {
		t.Errorf("object: %s", asJSON(got))
	}
	if got := h.call(name("says_error"), nil); !got.IsError || textOf(got) != "out of stock" {
		t.Errorf("says-error: %s", asJSON(got))
	}
	if got := h.call(name("empty"), nil); got.IsError || len(got.Content) != 0 {
		t.Errorf("empty: %s", asJSON(got))
	}
	if got := h.call(name("nothing"), nil); got.IsError {
		t.Errorf("nothing: %s", asJSON(got))
	}
	wantRich(t, h.call(name("image"), nil))
}

func wantRich(t *testing.T, result *mcp.CallToolResult) {
	t.Helper()
	want := []string{"text", "image", "audio", "resource", "resource_link"}
	var content []map[string]any
	b, _ := json.Marshal(result.Content)
	_ = json.Unmarshal(b, &content)
	if len(content) != len(want) {
		t.Fatalf("got %d blocks: %s", len(content), b)
	}
	for i, kind := range want {
		if content[i]["type"] != kind {
			t.Errorf("block %d is %v, want %s", i, content[i]["type"], kind)
		}
	}
	if content[1]["data"] != "iVBORw0KGgo=" || content[1]["mimeType"] != "image/png" {
		t.Errorf("the image came as %v", content[1])
	}
}

func thePagesOwnErrorReachesTheAgent(t *testing.T, r runtime, h *hub, name func(tool string) string) {
	t.Helper()
	wantError(t, h.call(name("throws"), nil), "the till is on fire")
	if r == polyfill || r == early { // which keep the words of errors only
		wantError(t, h.call(name("rejects_with_text"), nil), "the invocation failed")
	} else {
		wantError(t, h.call(name("rejects_with_text"), nil), "plain words")
	}
}

func unknownToolsGetAClearError(t *testing.T, h *hub) {
	t.Helper()
	ctx, cancel := h.patience()
	defer cancel()
	result, err := h.tryCall(ctx, "webmcp_nowhere_page9_nothing", nil)
	switch {
	case err != nil && strings.Contains(err.Error(), "webmcp_nowhere_page9_nothing"):
	case err == nil && result.IsError && strings.Contains(textOf(result), "webmcp_nowhere_page9_nothing"):
	default:
		t.Errorf("got %s, %v", asJSON(result), err)
	}
	wantError(t, h.call("call_webmcp_tool", map[string]any{"name": "nothing-like-it"}), "nothing-like-it")
	wantError(t, h.call("call_webmcp_tool", map[string]any{"name": "text", "page": 7}), "no page 7")
	wantError(t, h.call("list_webmcp_tools", map[string]any{"page": 7}), "no page 7")
}

func callsRunSideBySide(t *testing.T, h *hub, p *tab, name func(tool string) string) {
	t.Helper()
	ctx, cancel := h.patience()
	defer cancel()
	waiting := h.start(ctx, name("waits"), nil)
	p.happened("waiting")
	// The same page answers others meanwhile, and so does the hub.
	for i := range 20 {
		wantText(t, h.call(name("echo"), map[string]any{"value": i}), fmt.Sprintf(`{"value":%d}`, i))
	}
	if err := h.client.Ping(ctx); err != nil {
		t.Error(err)
	}
	h.list()
	p.eval(`release()`)
	wantText(t, h.await(waiting), "released")
}

// aBigResult: TestTypeScriptClientSurvivesABigResult has one that is too long.
func aBigResult(t *testing.T, h *hub, name func(tool string) string) {
	t.Helper()
	const size = 1 << 20
	if got := len(textOf(h.call(name("big"), map[string]any{"bytes": size}))); got != size {
		t.Errorf("%d bytes came, want %d", got, size)
	}
}

func TestArgumentsAreCheckedBeforeThePageIsAsked(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c)
	p := c.open(t, pages.url("shop.html"))
	add := toolName("0", "add_to_cart")
	h.waitTool(add)
	wantError(t, h.call(add, map[string]any{"product": 7}), "product", "string")
	wantError(t, h.call(add, map[string]any{"product": "tea", "quantity": 0}), "quantity")
	wantError(t, h.call(add, map[string]any{}), "product")
	wantError(t, h.call(add, map[string]any{"product": "tea", "colour": "red"}), "colour")
	wantError(t, h.call("call_webmcp_tool", map[string]any{"name": add, "arguments": map[string]any{"product": 7}}), "product")
	if got := string(p.eval(`notes.has('added')`)); got != "false" {
		t.Error("the page was asked all the same")
	}
}

func TestAHangingPageDelaysNoOther(t *testing.T) {
	t.Parallel()
	h, p, name := behaviours(t, native)
	// The page's process is busy for good: even its own events wait.
	_, err := p.chrome.send(p.session, "Runtime.evaluate", map[string]any{"expression": "for(;;);"})
	p.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	stuck := h.start(ctx, name("text"), nil)
	p.chrome.open(t, pages.otherSite("shop.html"))
	h.waitTool(toolName("1", "search"))
	wantText(t, h.call(toolName("1", "search"), map[string]any{"q": "x"}), "found x")
	cancel()
	<-stuck
	p.page("Runtime.terminateExecution", nil, nil)
}

// cancelled calls a tool and cancels that once its page has noted that it
// began, and waits until the page notes that it heard.
func (h *hub) cancelled(tool string, p *tab, began, heard string) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	call := h.start(ctx, tool, nil)
	p.happened(began)
	cancel()
	<-call
	p.happened(heard)
}

// TestACallTimesOut in pages with a polyfill. TestEachCallHasItsOwnTimeLimit has the other runtimes.
func TestACallTimesOut(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{polyfill, early} {
		t.Run(string(r), func(t *testing.T) {
			h, _, name := behaviours(t, r, "--call-timeout", "1s")
			wantError(t, h.call(name("hangs"), nil), "1s")
			wantText(t, h.call(name("text"), nil), "plain")
		})
	}
}

// waitNotification waits for a notification, also one that came before.
func (h *hub) waitNotification(method string, ok func(params map[string]any) bool) {
	h.t.Helper()
	deadline := time.NewTimer(2 * patience)
	defer deadline.Stop()
	for {
		h.mu.Lock()
		seen := h.notified
		h.mu.Unlock()
		for _, n := range seen {
			if n.Method == method && ok(n.Params.AdditionalFields) {
				return
			}
		}
		select {
		case <-h.any:
		case <-deadline.C:
			h.t.Fatalf("no %s came", method)
		}
	}
}

// TestAResultThatIsTooLongForAnAgent is cut by default, and its whole is read by read_result
// and as a resource.
func TestAResultThatIsTooLongForAnAgent(t *testing.T) {
	t.Parallel()
	h, _, name := behaviours(t, native)
	const size = 300_000
	cut := textOf(h.call(name("big"), map[string]any{"bytes": size}))
	uri := regexp.MustCompile(`webmcp-result://\w+`).FindString(cut)
	if len(cut) > size/2 || uri == "" {
		t.Fatalf("%d bytes came, ending with %s", len(cut), cut[max(0, len(cut)-300):])
	}
	read := 0
	for next, pages := uri, 0; next != "" && pages < 20; pages++ {
		page := h.call("read_result", map[string]any{"uri": next}).Content
		read += len(page[0].(mcp.TextContent).Text)
		next = ""
		if len(page) > 1 {
			_, next, _ = strings.Cut(strings.TrimSuffix(page[1].(mcp.TextContent).Text, "]"), "They go on at ")
		}
	}
	if read != size {
		t.Errorf("read_result gives %d bytes, want %d", read, size)
	}
	ctx, done := h.patience()
	defer done()
	var request mcp.ReadResourceRequest
	request.Params.URI = uri
	if got, err := h.client.ReadResource(ctx, request); err != nil || len(got.Contents) != 2 {
		t.Errorf("resources/read: %v %+v", err, got)
	}
}

func TestResultThenListChanged(t *testing.T) {
	t.Parallel()
	// The call that unlocks a tool is answered first, and the tool is there
	// afterwards without any other event. TestOrderOnTheWire has the other runtimes.
	for _, r := range []runtime{mcpb2, polyfill, early} {
		t.Run(string(r), func(t *testing.T) {
			c := chromeFor(t, r)
			h := startRaw(t, "--browser-url", c.browserURL())
			c.open(t, pages.url("dynamic.html", "runtime="+string(r)))
			h.initialize()
			unlock := toolName("0", "unlock")
			h.waitListed(unlock)
			id := h.request("tools/call", map[string]any{"name": unlock, "arguments": map[string]any{}})
			if m := h.answer(id); m.Error != nil {
				t.Fatal(m.Error.Message)
			}
			// Had the new tool's list_changed overtaken the result, none would follow.
			h.waitListedAnew(toolName("0", "secret"))
		})
	}
}
