package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestFrames(t *testing.T) {
	t.Parallel()
	name := func(tool string) string { return toolName("0", tool) }

	t.Run("tools of a same-origin iframe", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		p := c.open(t, pages.url("frames.html", "src=/inner.html?tool=near"))
		h.waitNames(name("outer"), name("near"), name("near_hangs"))
		wantText(t, h.call(name("near"), nil), "near ran in 127.0.0.1:"+pages.port())
		p.eval(`dropFrames()`)
		h.waitNames(name("outer"))
	})

	t.Run("tools of iframes that were there before the hub", func(t *testing.T) {
		c := nativeChrome(t)
		c.open(t, pages.url("frames.html", "srcdoc=", "src=/inner.html?tool=near", "src="+pages.otherSite("inner.html", "tool=far")))
		h := attachHub(t, c)
		h.waitNames(name("outer"), name("near"), name("near_hangs"), name("far"), name("far_hangs"), name("written"))
		for _, tool := range []string{"outer", "near", "far", "written"} {
			if got := textOf(h.call(name(tool), nil)); !strings.HasPrefix(got, tool+" ran") {
				t.Errorf("%s answered %q", tool, got)
			}
		}
	})

	t.Run("tools of a srcdoc iframe", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		c.open(t, pages.url("frames.html", "srcdoc="))
		h.waitNames(name("outer"), name("written"))
		wantText(t, h.call(name("written"), nil), "written ran")
	})

	t.Run("tools of nested iframes", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		inner := "/inner.html" + query([]string{"tool=middle", "src=" + pages.otherSite("inner.html", "tool=deep")})
		c.open(t, pages.url("frames.html", "src="+inner))
		h.waitNames(name("outer"), name("middle"), name("middle_hangs"), name("deep"), name("deep_hangs"))
		wantText(t, h.call(name("deep"), nil), "deep ran in localhost:"+pages.port())
	})

	t.Run("tools of a cross-origin iframe come and go", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		p := c.open(t, pages.url("frames.html", "src="+pages.otherSite("inner.html", "tool=far")))
		h.waitNames(name("outer"), name("far"), name("far_hangs"))
		wantText(t, h.call(name("far"), nil), "far ran in localhost:"+pages.port())
		// The iframe moves to the page's own site, and so to another process, and back.
		p.eval(`document.querySelector('iframe').src = '/inner.html?tool=home'`)
		h.waitNames(name("outer"), name("home"), name("home_hangs"))
		wantText(t, h.call(name("home"), nil), "home ran in 127.0.0.1:"+pages.port())
		p.eval(`document.querySelector('iframe').src = '` + pages.otherSite("inner.html", "tool=away") + `'`)
		h.waitNames(name("outer"), name("away"), name("away_hangs"))
		p.eval(`dropFrames()`)
		h.waitNames(name("outer"))
	})

	t.Run("tools of a cross-origin iframe that its busy page touches late", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		p := c.open(t, pages.url("frames.html"))
		h.waitNames(name("outer"))
		// The iframe has its tools, in its own process, while the page still has
		// the empty document that was there at first, and only now looks at it.
		p.eval(`(async () => {
			const frame = document.createElement('iframe');
			frame.allow = 'tools *';
			frame.src = '` + pages.otherSite("inner.html", "tool=far") + `';
			document.body.append(frame);
			for (const end = performance.now() + 1500; performance.now() < end;);
			frame.contentWindow.postMessage('hello', '*');
		})()`)
		h.waitNames(name("outer"), name("far"), name("far_hangs"))
		wantText(t, h.call(name("far"), nil), "far ran in localhost:"+pages.port())
	})

	t.Run("two frames with one tool name", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		c.open(t, pages.url("frames.html", "src=/inner.html?tool=outer"))
		tools := h.waitTools("both tools", func(tools toolList) bool { return len(pageTools(tools)) == 3 })
		var said []string
		for _, tool := range pageTools(tools) {
			if !strings.Contains(tool, "hangs") {
				said = append(said, textOf(h.call(tool, nil)))
			}
		}
		slices.Sort(said)
		if want := []string{"outer ran", "outer ran in 127.0.0.1:" + pages.port()}; !slices.Equal(said, want) {
			t.Errorf("the tools said %q, want %q", said, want)
		}
	})

	for _, site := range []string{"same-origin", "cross-origin"} {
		t.Run("a "+site+" iframe is removed during its call", func(t *testing.T) {
			c := nativeChrome(t)
			h := attachHub(t, c)
			src := pages.url("inner.html")
			if site == "cross-origin" {
				src = pages.otherSite("inner.html")
			}
			p := c.open(t, pages.url("frames.html", "src="+src))
			h.waitTool(name("inner_hangs"))
			call := startUntilInvoked(t, h, p, name("inner_hangs"))
			p.eval(`dropFrames()`)
			wantError(t, h.await(call), "frame")
			h.waitNames(name("outer"))
			wantText(t, h.call(name("outer"), nil), "outer ran")
		})
	}

	t.Run("@mcp-b/global in an iframe, native WebMCP on", func(t *testing.T) {
		needNPM(t)
		c := nativeChrome(t)
		h := attachHub(t, c)
		c.open(t, pages.url("frames.html", "src=/inner.html?runtime=mcpb5&tool=near"))
		h.waitNames(name("outer"), name("near"), name("near_hangs"))
		wantText(t, h.call(name("near"), nil), "near ran in 127.0.0.1:"+pages.port())
	})
}

// startUntilInvoked starts a call and returns once it has reached the page: when
// a later call to the same page has been answered, the earlier has been passed on.
func startUntilInvoked(t *testing.T, h *hub, p *tab, name string) <-chan *mcp.CallToolResult {
	t.Helper()
	ctx, cancel := h.patience()
	t.Cleanup(cancel)
	call := h.start(ctx, name, nil)
	if site := string(p.eval(`(() => { try { return String(frames[0].location.href) } catch { return '' } })()`)); site != `""` {
		p.eval(`frames[0].happened('hanging')`)
		return call
	}
	wantText(t, h.call(toolName("0", "outer"), nil), "outer ran")
	wantText(t, h.call(toolName("0", "inner"), nil), "inner ran in localhost:"+pages.port())
	return call
}

func TestDoubleRuntimesGiveNoDoubles(t *testing.T) {
	t.Parallel()
	// With native WebMCP on, @mcp-b/global 5 mirrors its tools to it, and 2 doesn't.
	needNPM(t)
	for _, r := range []runtime{mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			c := nativeChrome(t)
			h := attachHub(t, c)
			p := c.open(t, pages.url("dynamic.html", "runtime="+string(r)))
			name := func(tool string) string { return toolName("0", tool) }
			h.waitNames(name("first"), name("unlock"))
			wantText(t, h.call(name("first"), nil), "first ran")
			p.eval(`add('second'); document.modelContext.registerTool({name: 'direct', description: 'd', execute: async () => text('direct ran')})`)
			h.waitNames(name("first"), name("unlock"), name("second"), name("direct"))
			wantText(t, h.call(name("direct"), nil), "direct ran")
			p.eval(`remove('first')`)
			h.waitNames(name("unlock"), name("second"), name("direct"))
			p.navigate(pages.url("plain.html"))
			h.waitNoPageTools()
		})
	}
}

func TestDeclarativeForm(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c)
	p := c.open(t, pages.url("form.html"))
	name := toolName("0", "book_flight")
	// Chrome announces a form while the document is still being parsed, and again with each field.
	poll(t, "the schema lacks the second field", func() bool {
		return h.waitTool(name).InputSchema.Properties["passengers"] != nil
	})
	wantText(t, h.call(name, map[string]any{"origin": "Ulm", "passengers": 2}), "booked from Ulm for 2")
	wantError(t, h.call(name, map[string]any{"origin": "Ulm", "passengers": 99}), "passengers")
	p.eval(`document.querySelector('form').remove()`)
	h.waitNoPageTools()
}

// A frame's window outlives its initial empty document if a script has touched
// that; Chrome says nothing of its contexts then.
func TestFrameWithAKeptWindow(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2, polyfill, early} {
		t.Run(string(r), func(t *testing.T) {
			c := chromeFor(t, r)
			h := attachHub(t, c)
			p := c.open(t, pages.url("plain.html"))
			script := ""
			if bundle, ok := bundles[r]; ok {
				script = `<script src='/npm/` + bundle + `'></scr" + "ipt>`
			}
			p.eval(`{
				const f = document.createElement('iframe');
				f.srcdoc = "` + script + `<script src='/testlib.js'></scr" + "ipt><script>addTool({ name: 'written' })</scr" + "ipt>";
				document.body.append(f);
				f.contentDocument.body.append('touched');
			}`)
			h.waitNames(toolName("0", "written"))
			wantText(t, h.call(toolName("0", "written"), nil), "written ran")
		})
	}
}
