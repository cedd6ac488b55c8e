package actors

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"
	"webmcphub/registry/advice"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// What is special to pages reached by an extension; suite_test.go has the rest.

// join connects another browser for the rest of the test.
func (h *testHub) join(b *exttest.Browser) *exttest.Browser {
	h.t.Cleanup(b.Die)
	h.AddExtension(b.Connect())
	h.quiet()
	return b
}

func (h *testHub) status() string { return h.pub.current().BrowserStatus() }

// TestReplaced: the same browser again takes its older connection's place, and
// at no moment are its tabs there twice.
func TestReplaced(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newExtHub(t)
		b := h.join(exttest.New("one"))
		tab := b.OpenTab(shop)
		s := newSlow()
		tab.Register(forExtension(0, []suiteTool{{name: "wait", run: s.execute}})...)
		h.want("shop_test_page0_wait")
		c := h.begin("shop_test_page0_wait", `{}`)
		h.pub.also(func(effects []registry.Effect) {
			for _, e := range effects {
				if e, ok := e.(registry.Serve); ok && len(e.Catalog.Tabs()) > 1 {
					t.Errorf("tabs are %d", len(e.Catalog.Tabs()))
				}
			}
		})
		old := b.Wire()
		h.AddExtension(b.Connect())
		h.quiet()
		if old.Code() != extlink.CloseReplaced {
			t.Errorf("the older connection was closed with %d", old.Code())
		}
		c.fails("connection to the browser's extension was lost")
		h.want("shop_test_page0_wait")
		old.Say(`{"type":"tabClosed","tabId":1}`) // nobody listens any more
		h.want("shop_test_page0_wait")
		if h.status() != "" {
			t.Errorf("the status is %q", h.status())
		}
		s.answers <- "new"
		h.call("shop_test_page0_wait", `{}`, "new")
	})
}

// TestSeveralBrowsers: profiles of one browser, others, and Chrome by CDP.
func TestSeveralBrowsers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(o *Options) { o.Extension = true })
		h.chrome.OpenPage(shop).Register(tool("add"))
		one, two := h.join(exttest.New("one")), h.join(exttest.New("two"))
		for i, b := range []*exttest.Browser{one, two} {
			b.OpenTab(third).Register(exttest.Tool{Name: "add", Execute: func(context.Context, json.RawMessage) (any, error) { return fmt.Sprintf("from %d", i), nil }})
			h.quiet()
		}
		name := names.ExtractDomain(third)
		h.want("shop_test_page0_add", name+"_page1_add", name+"_page2_add")
		h.call(name+"_page1_add", `{}`, "from 0")
		h.call(name+"_page2_add", `{}`, "from 1")
		one.Die()
		h.want("shop_test_page0_add", name+"_page1_add")
		h.call(name+"_page1_add", `{}`, "from 1")
		h.dialer.failWith(func(int) error { return errNoChrome })
		h.chrome.Disconnect()
		h.want(name + "_page0_add")
		if h.status() != "" {
			t.Errorf("with one browser left the status is %q", h.status())
		}
		two.Die()
		h.want()
		if !strings.Contains(h.status(), "connection to Chrome was lost") || !strings.Contains(h.status(), "no browser with the WebMCP Hub extension") {
			t.Errorf("with none left it is %q", h.status())
		}
	})
}

// TestConnectPrefersWhatIsThere: an extension's browser, else Chrome, else the
// one that is launched.
func TestConnectPrefersWhatIsThere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newExtHub(t)
		h.dialer.failWith(func(int) error { return errNoChrome })
		if !strings.HasSuffix(h.status(), advice.NotAsked) || !strings.Contains(h.status(), "extension") {
			t.Errorf("the status is %q", h.status())
		}
		if _, err := h.Connect(t.Context(), false); err == nil || !strings.Contains(err.Error(), "no Chrome") {
			t.Errorf("without any it gives %v", err)
		}
		b := h.join(exttest.New("one"))
		for _, launch := range []bool{false, true} {
			dials := len(h.dialer.attempts())
			if info, err := h.Connect(t.Context(), launch); err != nil || info != (BrowserInfo{Name: "Chrome", Version: "156.0"}) {
				t.Errorf("with an extension it gives %v, %v", info, err)
			}
			if len(h.dialer.attempts()) != dials {
				t.Error("Chrome was reached for")
			}
		}
		b.Die()
		h.quiet()
		h.dialer.failWith(nil)
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Error(err)
		}
		h.quiet()
		if h.status() != "" {
			t.Errorf("the status is %q", h.status())
		}
	})
}

// TestExtLate: what comes of tabs and documents that are gone, or before
// the extension has told its tabs, changes nothing.
func TestExtLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newExtHub(t)
		w := exttest.NewWire()
		t.Cleanup(func() { _ = w.Close() })
		h.AddExtension(w)
		h.quiet()
		say := func(messages ...string) {
			t.Helper()
			for _, m := range messages {
				w.Say(m)
			}
			h.quiet()
		}
		if got, _ := w.Next(); got != `{"type":"connect"}` {
			t.Errorf("the hub begins with %s", got)
		}
		tools := func(tab int, doc, name string) string {
			return fmt.Sprintf(`{"type":"toolsChanged","tabId":%d,"doc":%q,"tools":[{"name":%q,"doc":%q}]}`, tab, doc, name, doc)
		}
		say(`{"type":"tabCreated","tab":{"id":1,"title":"","url":"http://shop.test/"}}`, tools(1, "A", "early"))
		h.want()
		if len(h.pub.current().Tabs()) != 0 || h.status() == "" {
			t.Error("it counts before it is connected")
		}
		say(`{"type":"connected","browser":{"name":"Chrome","version":"1","instance":"i"},"tabs":[{"id":1,"title":"","url":"http://shop.test/","doc":"A"}]}`,
			tools(1, "A", "add"), tools(2, "A", "stranger"))
		h.want("shop_test_page0_add")
		say(`{"type":"tabUpdated","tab":{"id":1,"title":"","url":"http://shop.test/next","doc":"B"}}`, tools(1, "A", "late"), `{"type":"toolsChanged","tabId":1,"doc":"A","tools":[{"name":"later"}]}`)
		h.want()
		say(tools(1, "B", "sub"))
		h.want("shop_test_page0_sub")
		say(`{"type":"tabClosed","tabId":1}`, `{"type":"tabUpdated","tab":{"id":1,"title":"","url":"http://shop.test/","doc":"B"}}`, tools(1, "B", "ghost"),
			`{"type":"toolResult","callId":"1.4294967297.1","result":"late"}`, `{"type":"tabClosed","tabId":1}`, `{"type":"toolProgress","callId":"1.1.1","params":{}}`)
		h.want()
		if n := len(h.pub.current().Tabs()); n != 0 {
			t.Errorf("%d tabs", n)
		}
		// The whole truth once more.
		say(`{"type":"connected","browser":{"name":"Chrome","version":"1","instance":"i"},"tabs":[{"id":2,"title":"","url":"http://shop.test/","doc":"C"},{"id":3,"title":"","url":"http://shop.test/","doc":"D"}]}`, tools(2, "C", "add"))
		h.want("shop_test_page0_add")
		say(`{"type":"connected","browser":{"name":"Chrome","version":"1","instance":"i"},"tabs":[{"id":2,"title":"T","url":"http://shop.test/","doc":"C"}]}`)
		h.want("shop_test_page0_add")
		if tabs := h.pub.current().Tabs(); len(tabs) != 1 || tabs[0].Title != "T" {
			t.Errorf("tabs are %+v", tabs)
		}
		say(`{"type":"disconnected"}`)
		h.want()
		if h.status() == "" || w.Code() != extlink.CloseNormal {
			t.Errorf("status %q, code %d", h.status(), w.Code())
		}
	})
}

// TestExtFrames: an iframe's new document ends its calls and no others'.
func TestExtFrames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newExtHub(t)
		b := h.join(exttest.New("one"))
		tab := b.OpenTab(shop)
		s, main := newSlow(), newSlow()
		tab.Register(forExtension(3, []suiteTool{{name: "pay", run: s.execute}})...)
		tab.Register(forExtension(0, []suiteTool{{name: "wait", run: main.execute}, {name: "pay", run: says("main")}})...)
		h.quiet()
		names := h.tools()
		if len(names) != 3 || !slices.Contains(names, "shop_test_page0_pay") {
			t.Fatalf("tools are %q", names)
		}
		h.call("shop_test_page0_pay", `{}`, "main") // the main frame has the plain name
		i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "shop_test_page0_pay_") })
		c, d := h.begin(names[i], `{}`), h.begin("shop_test_page0_wait", `{}`)
		order := b.Heard("callTool")
		if last := order[len(order)-2]; last.FrameID != 3 || last.Doc == "" || last.Doc == tab.Doc() {
			t.Errorf("the iframe's call is %+v", last)
		}
		old := h.tool(names[i])
		tab.NavigateFrame(3)
		h.quiet()
		c.fails("The frame of")
		d.runs()
		h.beginTool(context.Background(), old, `{}`).fails("its frame has navigated since")
		main.answers <- "ok"
		d.says("ok")
	})
}

func TestExtProgressAndTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newExtHub(t, func(o *Options) { o.CallTimeout = 7 * time.Second })
		b := h.join(exttest.New("one"))
		s := newSlow()
		b.OpenTab(shop).Register(forExtension(0, []suiteTool{{name: "wait", run: s.execute}})...)
		h.quiet()
		var got []string
		answer := make(chan registry.Result, 1)
		go func() {
			answer <- h.Call(context.Background(), h.tool("shop_test_page0_wait"), json.RawMessage(`{}`), CallExtras{Progress: func(p json.RawMessage) { got = append(got, string(p)) }})
		}()
		synctest.Wait()
		o := b.Heard("callTool")[0]
		if o.TimeoutMs != 7000 {
			t.Errorf("the extension was told %d ms", o.TimeoutMs)
		}
		b.Say(`{"type":"toolProgress","callId":"` + o.CallID + `","params":{"progress":1}}`)
		h.quiet()
		s.answers <- "done"
		wantText(t, <-answer, false, "done")
		if len(got) != 1 || got[0] != `{"progress":1}` {
			t.Errorf("progress is %q", got)
		}
	})
}

// TestExtIntrospection: the extension is told whether the hub wants it, and
// says which tools it has made.
func TestExtIntrospection(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			h := newExtHub(t, func(o *Options) { o.Introspect = wanted })
			b := h.join(exttest.New("one"))
			if got := b.Heard("connect"); len(got) != 1 || got[0].Introspect != wanted {
				t.Errorf("the extension was told %+v", got)
			}
			p := b.OpenTab(shop)
			p.Register(exttest.Tool{Name: "made", Runtime: "dom"}, exttest.Tool{Name: "form", Runtime: "form"}, exttest.Tool{Name: "own"}, exttest.Tool{Name: "odd", Runtime: "native"})
			h.want("shop_test_page0_form", "shop_test_page0_made", "shop_test_page0_odd", "shop_test_page0_own")
			for name, want := range map[string]offer.Runtime{"made": offer.DOM, "form": offer.Form, "own": offer.Extension, "odd": offer.Extension} {
				if got := h.runtime("shop_test_page0_" + name); got != want {
					t.Errorf("%s is reached by %s, want %s", name, got, want)
				}
			}
			h.call("shop_test_page0_made", `{}`, "ok")
			p.Unregister("made")
			p.Register(exttest.Tool{Name: "form"})
			h.want("shop_test_page0_form", "shop_test_page0_odd", "shop_test_page0_own")
			if got := h.runtime("shop_test_page0_form"); got != offer.Extension {
				t.Errorf("the next tool of that name is reached by %s", got)
			}
		})
	}
}

func TestExtExplicit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newExtHub(t, func(o *Options) { o.Explicit = true })
		b := h.join(exttest.New("one"))
		b.OpenTab(shop).Register(exttest.Tool{Name: "add"})
		h.want()
		tab := h.pub.current().Tabs()[0]
		if tab.Connected() {
			t.Error("the page is connected")
		}
		if err := h.ConnectPage(t.Context(), tab.Page); err != nil {
			t.Fatal(err)
		}
		h.want("shop_test_page0_add")
		h.call("shop_test_page0_add", `{}`, "ok")
	})
}

func TestExtFront(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newExtHub(t, func(o *Options) { o.WatchFront = true })
		b := h.join(exttest.New("one"))
		one, two := b.OpenTab(shop), b.OpenTab(third)
		one.Register(exttest.Tool{Name: "add"})
		h.quiet()
		one.Show()
		h.quiet()
		two.Show()
		h.quiet()
		pages := h.pub.current().Tabs()
		if got := h.pub.switched(); len(got) != 1 || got[0] != pages[1].Page {
			t.Errorf("switches are %q", got)
		}
		if err := h.ActivateTab(t.Context(), pages[0].Page); err != nil {
			t.Fatal(err)
		}
		h.want("shop_test_page0_add")
		if got := h.pub.switched(); len(got) != 1 {
			t.Errorf("the hub's own switch counts: %q", got)
		}
	})
}

// TestExtensionsKeptOut: agents are told why no browser can come.
func TestExtensionsKeptOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newExtHub(t)
		h.ExtensionsKeptOut("port 8765 is taken")
		h.quiet()
		if !strings.Contains(h.status(), "port 8765 is taken") || strings.Contains(h.status(), "open one") {
			t.Errorf("the status is %q", h.status())
		}
		h.dialer.failWith(func(int) error { return errNoChrome })
		if _, err := h.Connect(t.Context(), false); err == nil || !strings.Contains(err.Error(), errNoChrome.Error()) || !strings.Contains(err.Error(), "port 8765 is taken") {
			t.Errorf("connecting gives %v", err)
		}
		h.ExtensionsKeptOut("")
		h.quiet()
		if !strings.Contains(h.status(), noExtension) {
			t.Errorf("then it is %q", h.status())
		}
		h.ExtensionRefused("an MCP-B proxy", "wrong pairing token")
		h.quiet()
		if want := "an MCP-B proxy came, but was refused: wrong pairing token"; !strings.Contains(h.status(), want) {
			t.Errorf("after a proxy's refusal it is %q", h.status())
		}
		h.ExtensionRefused("a browser's extension", "wrong pairing token")
		h.quiet()
		if want := "a browser's extension came, but was refused: wrong pairing token"; !strings.Contains(h.status(), want) {
			t.Errorf("after a refusal it is %q", h.status())
		}
		if _, err := h.Connect(t.Context(), false); err == nil || !strings.Contains(err.Error(), "wrong pairing token") {
			t.Errorf("connecting gives %v", err)
		}
		b := h.join(exttest.New("one"))
		h.ExtensionsKeptOut("odd")
		h.quiet()
		if h.status() != "" {
			t.Errorf("with a browser it is %q", h.status())
		}
		b.Die()
		h.quiet()
		if !strings.Contains(h.status(), "odd") {
			t.Errorf("without it again %q", h.status())
		}
		h.ExtensionsKeptOut("")
		h.quiet()
		if !strings.Contains(h.status(), noExtension) {
			t.Errorf("a refusal before one was let through counts: %q", h.status())
		}
	})
}
