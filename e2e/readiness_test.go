package e2e

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestPagesWithoutToolsAreToldApart: open_tab says that a page is still loading, or that its server has not answered
// yet. connect_webmcp fails for a page without WebMCP, and after 10 s for one whose server doesn't answer initialize. Of
// a page that is still loading then, it says so.
func TestPagesWithoutToolsAreToldApart(t *testing.T) {
	t.Parallel()
	slow := slowPage(t)
	mute := pages.url("garbage-server.html", "answer=no-session")
	plain := pages.url("plain.html")
	t.Run("with Chrome's WebMCP", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		poll(t, "no browser came", func() bool { return !h.call("list_tabs", nil).IsError })
		saysOf(t, h, "open_tab", slow, `"toolsAvailable":[],"state":"is still loading: its tools show when they are there"`)
		saysOf(t, h, "connect_webmcp", slow, `/) is still loading."}`)
		saysOf(t, h, "open_tab", plain, `"toolsAvailable":[]}`)
		saysOf(t, h, "connect_webmcp", plain, `"note":"No tools so far`)
	})
	t.Run("without", func(t *testing.T) {
		c := plainChrome(t)
		h := attachHub(t, c)
		poll(t, "no browser came", func() bool { return !h.call("list_tabs", nil).IsError })
		saysOf(t, h, "open_tab", mute, `"toolsAvailable":[],"state":"has an MCP server that has not answered initialize yet`)
		wantMute := connectsToMute(t, h, mute)
		saysOf(t, h, "open_tab", plain, `"toolsAvailable":[]}`)
		saysOf(t, h, "connect_webmcp", plain, "has no WebMCP: it has loaded without document.modelContext ")
		saysOf(t, h, "open_tab", slow, `"state":"is still loading: its tools show when they are there"`)
		saysOf(t, h, "connect_webmcp", slow, `/) is still loading."}`)
		shop := pages.url("shop.html", "runtime="+string(mcpb5))
		opened := textOf(h.call("open_tab", map[string]any{"url": shop}))
		if !strings.Contains(opened, `"toolsAvailable":["webmcp_`) && !strings.Contains(opened, "has not answered initialize yet") {
			t.Errorf("open_tab of a page with tools says %s", opened) // a busy machine's page takes longer than the 2 s
		}
		saysOf(t, h, "connect_webmcp", shop, `"tool":"search"`)
		forms := pages.url("forms.html", "runtime="+string(polyfill))
		saysOf(t, h, "connect_webmcp", forms, `"connected":true`)
		wantMute()
	})
	t.Run("connected explicitly", func(t *testing.T) {
		c := plainChrome(t)
		h := attachHub(t, c, "--explicit-connect")
		poll(t, "no browser came", func() bool { return !h.call("list_tabs", nil).IsError })
		h.call("open_tab", map[string]any{"url": mute})
		wantMute := connectsToMute(t, h, mute)
		saysOf(t, h, "connect_webmcp", plain, "has no WebMCP: it has loaded without document.modelContext ")
		saysOf(t, h, "connect_webmcp", pages.url("shop.html", "runtime="+string(mcpb5)), `"tool":"search"`)
		wantMute()
	})
}

// connectsToMute begins to connect the open page whose server doesn't answer initialize. What it returns waits until
// that has failed, and checks how and when.
func connectsToMute(t *testing.T, h *hub, mute string) (wait func()) {
	t.Helper()
	ctx, cancel := h.patience()
	t.Cleanup(cancel)
	begun := time.Now()
	took, answer := make(chan time.Duration, 1), make(chan *mcp.CallToolResult, 1)
	connecting := h.start(ctx, "connect_webmcp", map[string]any{"page": h.pageAt(mute)})
	go func() {
		defer close(answer)
		if result, ok := <-connecting; ok {
			took <- time.Since(begun)
			answer <- result
		}
	}()
	return func() {
		t.Helper()
		wantError(t, h.await(answer), "has an MCP server that has not answered initialize. ")
		if took := <-took; took < 7*time.Second || took > 20*time.Second {
			t.Errorf("it took %v, want about 10 s", took)
		}
	}
}

// TestPagesWithoutToolsByTheExtension: the extension doesn't say whether a page still loads, and open_tab says so.
func TestPagesWithoutToolsByTheExtension(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	h := startHub(t, pair.flags()...)
	sharedExtended(t, true).pair(pair.port, pair.token)
	poll(t, "no browser came", func() bool { return !h.call("list_tabs", nil).IsError })
	saysOf(t, h, "open_tab", slowPage(t), `"state":"has no tools so far; its browser's extension doesn't say whether it is still loading`)
	saysOf(t, h, "connect_webmcp", pages.url("plain.html"), `"note":"No tools so far`)
}

// saysOf calls open_tab with an address, or connect_webmcp for the page there, which is opened if it isn't yet.
func saysOf(t *testing.T, h *hub, tool, address, want string) {
	t.Helper()
	if tool == "open_tab" {
		got := textOf(h.call(tool, map[string]any{"url": address}))
		for range 5 { // a busy machine's Chrome may not even begin within the 2 s that open_tab waits
			if strings.Contains(want, "whether it loads") || !strings.Contains(got, "whether it loads isn't known yet") {
				break
			}
			got = textOf(h.call(tool, map[string]any{"url": address}))
		}
		if !strings.Contains(got, want) {
			t.Errorf("open_tab %s: got %s\nwant %s", address, got, want)
		}
		return
	}
	index := h.pageAt(address)
	if index < 0 {
		h.call("open_tab", map[string]any{"url": address})
		index = h.pageAt(address)
	}
	got := h.call(tool, map[string]any{"page": index})
	wantError := !strings.Contains(want, `"`) // only what goes well has JSON around its texts
	if text := textOf(got); !strings.Contains(text, want) || got.IsError != wantError {
		t.Errorf("connect_webmcp to %s: got %s\nwant %s", address, text, want)
	}
}

// slowPage is the address of a page that never finishes loading.
func slowPage(t *testing.T) string {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/never" {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>slow</title><img src=/never>"))
	}))
	// Close waits for requests, also for one that a page makes after CloseClientConnections: they end with the test.
	server.Config.BaseContext = func(net.Listener) context.Context { return t.Context() }
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// pageAt is the index of the page at an address, -1 if there is none.
func (h *hub) pageAt(address string) int {
	h.t.Helper()
	var list struct {
		Pages []struct {
			Page int
			URL  string
		}
	}
	if text := textOf(h.call("list_webmcp_tools", nil)); json.Unmarshal([]byte(text), &list) != nil {
		h.t.Fatal(text)
	}
	for _, p := range list.Pages {
		if p.URL == address {
			return p.Page
		}
	}
	return -1
}
