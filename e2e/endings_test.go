package e2e

import (
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// hanging starts a call that its page will never answer.
func hanging(t *testing.T, h *hub, p *tab, name string) <-chan *mcp.CallToolResult {
	t.Helper()
	ctx, cancel := h.patience()
	t.Cleanup(cancel)
	call := h.start(ctx, name, nil)
	p.happened("hanging")
	return call
}

// TestEveryWayAPageCanEndDuringACall gives a clear answer in pages with the older
// @mcp-b/global, too. TestLifecycle has these for native WebMCP and the newer one.
func TestEveryWayAPageCanEndDuringACall(t *testing.T) {
	t.Parallel()
	t.Run("the user navigates", func(t *testing.T) {
		h, p, name := behaviours(t, mcpb2)
		call := hanging(t, h, p, name("hangs"))
		p.navigate(pages.url("plain.html"))
		wantError(t, h.await(call), "navigat") // the page answers by itself that it is navigating away
		h.waitNoPageTools()
	})
	t.Run("the user reloads", func(t *testing.T) {
		h, p, name := behaviours(t, mcpb2)
		call := hanging(t, h, p, name("hangs"))
		p.reload()
		wantError(t, h.await(call), "navigat")
		h.waitTool(name("answers_and_goes"))
		wantText(t, h.call(name("text"), nil), "plain")
	})
	t.Run("the tab closes", func(t *testing.T) {
		h, p, name := behaviours(t, mcpb2)
		call := hanging(t, h, p, name("hangs"))
		p.close()
		wantError(t, h.await(call), "closed")
		h.waitNoPageTools()
	})
	t.Run("the page crashes", func(t *testing.T) {
		h, p, name := behaviours(t, mcpb2)
		call := hanging(t, h, p, name("hangs"))
		p.crash()
		wantError(t, h.await(call), "crashed")
		h.waitNoPageTools()
		p.page("Page.navigate", map[string]any{"url": pages.url("shop.html", "runtime="+string(mcpb2))}, nil)
		h.waitNames(name("add_to_cart"), name("search"))
		wantText(t, h.call(name("search"), map[string]any{"q": "it"}), "found it")
	})
	t.Run("the tool itself navigates and never answers", func(t *testing.T) {
		h, _, name := behaviours(t, mcpb2)
		// Whether that is a success nobody knows; that it navigated is said.
		if got := h.call(name("goes_away"), map[string]any{"url": pages.url("plain.html")}); !strings.Contains(textOf(got), "navigat") {
			t.Errorf("got %s", asJSON(got))
		}
		h.waitNoPageTools()
	})
	t.Run("the tool itself navigates to another site", func(t *testing.T) {
		h, _, name := behaviours(t, mcpb2)
		wantError(t, h.call(name("goes_away"), map[string]any{"url": pages.otherSite("shop.html", "runtime="+string(mcpb2))}), "navigat")
		h.waitNames(name("add_to_cart"), name("search"))
	})
}

func TestADialogDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	h, p, name := behaviours(t, native)
	p.page("Page.enable", nil, nil)
	opening := p.chrome.expect(p.session, "Page.javascriptDialogOpening")
	ctx, cancel := h.patience()
	defer cancel()
	asking := h.start(ctx, name("asks"), nil)
	<-opening
	p.chrome.open(t, pages.otherSite("shop.html"))
	h.waitTool(toolName("1", "search"))
	wantText(t, h.call(toolName("1", "search"), map[string]any{"q": "x"}), "found x")
	p.page("Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil)
	if got := h.await(asking); got.IsError || !strings.Contains(textOf(got), "true") {
		t.Errorf("got %s", asJSON(got))
	}
}
