package e2e

import (
	"strings"
	"testing"
)

// Pages with a polyfill and no MCP server: what other tests show for all
// runtimes holds for them too; here is what is theirs alone.

// bringIn makes a page load a runtime late.
func (p *tab) bringIn(r runtime) {
	p.t.Helper()
	p.eval(`new Promise(done => {
		const s = Object.assign(document.createElement('script'), {src: '/npm/` + bundles[r] + `', onload: done});
		document.head.append(s);
	})`)
}

const registerLate = `document.modelContext.registerTool({name: 'late', description: 'd', execute: () => ({x: [1]})})`

func (h *hub) wantRuntime(tool, want string) {
	h.t.Helper()
	h.waitTools(tool+" by "+want, func(tools toolList) bool {
		found := find(tools, formName(tool))
		return found != nil && runtimeOf(*found) == want
	})
}

func TestPolyfillOfOldComesLate(t *testing.T) {
	t.Parallel()
	needNPM(t)
	c := plainChrome(t)
	p := c.open(t, pages.url("plain.html"))
	h := attachHub(t, c)
	p.bringIn(early)
	p.eval(`navigator.modelContext.registerTool({name: 'late', description: 'd', execute: () => ({x: [1]})})`)
	h.wantRuntime("late", "polyfill")
	if got := h.call(formName("late"), nil); textOf(got) != `{"x":[1]}` || asJSON(got.StructuredContent) != `{"x":[1]}` {
		t.Errorf("late answered %s", asJSON(got))
	}
}

func TestPolyfillComesLate(t *testing.T) {
	t.Parallel()
	needNPM(t)
	open := func(t *testing.T) (*hub, *tab) {
		c := plainChrome(t)
		p := c.open(t, pages.url("plain.html"))
		return attachHub(t, c), p
	}
	t.Run("by a script element", func(t *testing.T) {
		h, p := open(t)
		p.bringIn(polyfill)
		p.eval(registerLate)
		h.wantRuntime("late", "polyfill")
		if got := textOf(h.call(formName("late"), nil)); got != `{"x":[1]}` {
			t.Errorf("late answered %s", got)
		}
	})
	t.Run("by a script that nothing tells of", func(t *testing.T) {
		h, p := open(t)
		p.eval(`fetch('/npm/` + bundles[polyfill] + `').then(r => r.text()).then(code => { (0, eval)(code) })`)
		p.eval(registerLate)
		h.wantRuntime("late", "polyfill")
	})
	t.Run("after the hub has come a second time", func(t *testing.T) {
		h, p := open(t)
		p.bringIn(polyfill)
		p.eval(registerLate)
		h.wantRuntime("late", "polyfill")
		again := attachHub(t, p.chrome, "--no-share")
		again.wantRuntime("late", "polyfill")
		p.eval(`document.modelContext.registerTool({name: 'later', description: 'd', execute: () => 'yes'})`)
		for _, h := range []*hub{h, again} {
			h.wantRuntime("later", "polyfill")
			wantText(t, h.call(formName("later"), nil), "yes")
		}
	})
	t.Run("in a frame whose window had an empty document before", func(t *testing.T) {
		h, p := open(t)
		p.eval(`new Promise(done => {
			const f = document.createElement('iframe');
			document.body.append(f);
			f.onload = () => f.contentDocument.URL === 'about:blank' || done();
			Promise.resolve().then(() => { f.src = '/plain.html'; });
		})`)
		p.eval(`document.querySelector('iframe').contentWindow.eval("fetch('/npm/` + bundles[polyfill] + `').then(r => r.text()).then(code => { (0, eval)(code); ` + registerLate + ` })")`)
		h.wantRuntime("late", "polyfill")
	})
	t.Run("with forms, of which it makes tools itself", func(t *testing.T) {
		c := plainChrome(t)
		h := attachHub(t, c)
		p := c.open(t, pages.url("forms.html"))
		names := []string{formName("ask"), formName("book"), formName("find")}
		h.waitNames(names...)
		h.wantRuntime("book", "form")
		p.bringIn(polyfill)
		h.wantRuntime("book", "polyfill")
		h.waitNames(names...)
		wantText(t, h.call(formName("book"), map[string]any{"who": "Zoe"}), "booked") // by its SubmitEvent.respondWith
	})
}

func TestPolyfillIsCancelled(t *testing.T) {
	t.Parallel()
	h, p, name := behaviours(t, polyfill)
	p.eval(`{
		const {executeTool} = modelContext;
		modelContext.executeTool = function (tool, input, options) {
			options.signal.addEventListener('abort', () => note('cancelled'));
			return executeTool.call(this, tool, input, options);
		};
	}`)
	h.cancelled(name("hangs"), p, "hanging", "cancelled")
	wantText(t, h.call(name("text"), nil), "plain")
}

func TestPolyfillOfOldIsCancelled(t *testing.T) {
	t.Parallel()
	const hear = `{
		const {executeTool} = navigator.modelContextTesting;
		navigator.modelContextTesting.executeTool = function (tool, input, options) {
			options.signal.addEventListener('abort', () => note('cancelled'));
			return executeTool.call(this, tool, input, options);
		};
	}`
	t.Run("over the port", func(t *testing.T) {
		h, p, name := behaviours(t, early)
		p.eval(hear)
		h.cancelled(name("hangs"), p, "hanging", "cancelled")
		wantText(t, h.call(name("text"), nil), "plain")
	})
	t.Run("by the extension", func(t *testing.T) {
		needNPM(t)
		h, c := hubAndChrome(t, false)
		p := c.open(t, pages.url("behaviours.html", "runtime="+string(early)))
		id := h.tab("behaviours.html")
		h.has(id, "hangs")
		p.eval(hear)
		call := h.begin(id, "hangs", nil)
		p.happened("hanging")
		h.say(map[string]any{"type": "cancelTool", "callId": call})
		p.happened("cancelled")
	})
}

// TestPolyfillOfOldKeepsItsListener: it tells one listener of changes, and the
// hub leaves that to the page.
func TestPolyfillOfOldKeepsItsListener(t *testing.T) {
	t.Parallel()
	follows := func(p *tab, has func(tool string)) {
		p.eval(`navigator.modelContextTesting.registerToolsChangedCallback(() => note('told'))`)
		has("first")
		p.eval(`add('second')`)
		p.happened("told")
		has("second")
	}
	t.Run("over the port", func(t *testing.T) {
		c := chromeFor(t, early)
		h := attachHub(t, c)
		follows(c.open(t, pages.url("dynamic.html", "runtime="+string(early))), func(tool string) { h.waitTool(toolName("0", tool)) })
	})
	t.Run("by the extension", func(t *testing.T) {
		needNPM(t)
		h, c := hubAndChrome(t, false)
		p := c.open(t, pages.url("dynamic.html", "runtime="+string(early)))
		id := h.tab("dynamic.html")
		follows(p, func(tool string) { h.has(id, tool) })
	})
}

// TestPolyfillOverBothLinks: the extension and a hub on the debugging port read
// one page's polyfill, and neither takes it from the other.
func TestPolyfillOverBothLinks(t *testing.T) {
	t.Parallel()
	needNPM(t)
	byExtension, c := hubAndChrome(t, false)
	p := c.open(t, pages.url("dynamic.html", "runtime="+string(polyfill)))
	id := byExtension.tab("dynamic.html")
	byExtension.has(id, "first")
	overPort := attachHub(t, c.chrome)
	both := func(tool string) {
		t.Helper()
		byExtension.has(id, tool)
		overPort.waitTool(toolName("0", tool))
		wantText(t, overPort.call(toolName("0", tool), nil), tool+" ran")
		if got := byExtension.call(id, tool, nil); !strings.Contains(got, tool+" ran") {
			t.Errorf("by the extension %s answered %s", tool, got)
		}
	}
	both("first")
	p.eval(`add('second')`)
	both("second")
}

// Runtimes of one page are merged: each tool is listed once, by the one that
// serves it best.
func TestRuntimesAreMerged(t *testing.T) {
	t.Parallel()
	needNPM(t)
	names := []string{formName("ask"), formName("book"), formName("find"), formName("mine")}
	t.Run("native and the polyfill", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		c.open(t, pages.url("forms.html", "mine=", "runtime="+string(polyfill)))
		h.waitNames(names...)
		for _, tool := range []string{"ask", "mine"} {
			h.wantRuntime(tool, "native")
		}
		wantText(t, h.call(formName("book"), map[string]any{"who": "Zoe"}), "booked")
	})
	for _, r := range []runtime{mcpb5, mcpb2} {
		t.Run(string(r)+" and forms", func(t *testing.T) {
			c := plainChrome(t)
			h := attachHub(t, c)
			c.open(t, pages.url("forms.html", "mine=", "runtime="+string(r)))
			h.waitNames(names...)
			h.wantRuntime("mine", "mcpb")
			if r == mcpb2 { // which knows nothing of forms
				h.wantRuntime("ask", "form")
			} else {
				h.wantRuntime("ask", "mcpb")
			}
			wantText(t, h.call(formName("mine"), nil), "mine ran")
			if got := h.call(formName("book"), map[string]any{"who": "Zoe"}); got.IsError {
				t.Errorf("book: %s", asJSON(got))
			}
		})
	}
	t.Run("the polyfill, then @mcp-b/global", func(t *testing.T) {
		c := plainChrome(t)
		h := attachHub(t, c)
		p := c.open(t, pages.url("forms.html", "mine=", "runtime="+string(polyfill)))
		h.waitNames(names...)
		h.wantRuntime("mine", "polyfill")
		p.bringIn(mcpb5)
		p.eval(registerLate)
		h.waitNames(append(names, formName("late"))...)
		h.wantRuntime("late", "mcpb")
		wantText(t, h.call(formName("mine"), nil), "mine ran")
	})
}

// What a page does to itself harms itself at most, and a page sees nothing of
// the hub's ways to it.
func TestAdapterAndThePage(t *testing.T) {
	t.Parallel()
	needNPM(t)
	t.Run("a page that spoils what scripts use", func(t *testing.T) {
		h, p, name := behaviours(t, polyfill)
		p.eval(`{
			const broken = () => { throw new Error('spoilt'); };
			JSON.parse = JSON.stringify = broken;
			window.postMessage = window.dispatchEvent = broken;
			EventTarget.prototype.dispatchEvent = EventTarget.prototype.addEventListener = broken;
			window.CustomEvent = window.AbortController = window.Map = window.Promise = window.setInterval = broken;
			Reflect.apply = Function.prototype.call = Function.prototype.apply = broken;
			document.querySelectorAll = document.createElement = broken;
		}`)
		wantError(t, h.call(name("string"), nil), "spoilt") // so it says itself: its polyfill needs JSON
		p.chrome.open(t, pages.otherSite("shop.html", "runtime="+string(polyfill)))
		h.waitTool(toolName("1", "search"))
		wantText(t, h.call(toolName("1", "search"), map[string]any{"q": "x"}), "found x")
	})
	t.Run("nothing is to be seen", func(t *testing.T) {
		const look = `JSON.stringify([Object.getOwnPropertyNames(window), Object.getOwnPropertyNames(Document.prototype),
			Object.getOwnPropertyNames(SubmitEvent.prototype), document.documentElement.outerHTML, 'modelContext' in document, 'modelContext' in navigator])`
		c := plainChrome(t)
		before := string(c.open(t, pages.url("forms.html")).eval(look))
		h := attachHub(t, c)
		h.waitTool(formName("ask"))
		with := c.open(t, pages.url("forms.html"))
		h.waitTool(toolName("1", "ask"))
		if after := string(with.eval(look)); after != before {
			t.Errorf("a page sees the hub:\n%s\nand without:\n%s", after, before)
		}
	})
}
