package extbrowser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "webmcphub/actors"
	"webmcphub/actors/extbrowser"
	. "webmcphub/actors/hubtest"
	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// What is special to pages reached by an extension; suite_test.go has the rest.

// TestReplaced: the same browser again takes its older connection's place, and
// at no moment are its tabs there twice.
func TestReplaced(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		tab := b.OpenTab(Shop)
		s := NewSlow()
		tab.Register(ForExtension(0, []PageTool{{Name: "wait", Run: s.Execute}})...)
		h.Want("shop_test_page0_wait")
		c := h.Begin("shop_test_page0_wait", `{}`)
		h.Pub.Also(func(effects []registry.Effect) {
			for _, e := range effects {
				if e, ok := e.(registry.SetCatalog); ok && len(e.Catalog.Tabs()) > 1 {
					t.Errorf("tabs are %d", len(e.Catalog.Tabs()))
				}
			}
		})
		old := b.Wire()
		h.AddExtension(b.Connect())
		h.Quiet()
		if old.Code() != extlink.CloseReplaced {
			t.Errorf("the older connection was closed with %d", old.Code())
		}
		c.Fails("connection to the browser's extension was lost")
		h.Want("shop_test_page0_wait")
		old.Say(`{"type":"tabClosed","tabId":1}`) // nobody listens any more
		h.Want("shop_test_page0_wait")
		if h.Status() != "" {
			t.Errorf("the status is %q", h.Status())
		}
		s.Answers <- "new"
		h.CallSays("shop_test_page0_wait", `{}`, "new")
	})
}

// TestSeveralBrowsers: profiles of one browser, others, and Chrome by CDP.
func TestSeveralBrowsers(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t, func(o *Options) { o.Extension = true })
		h.Chrome.OpenPage(Shop).Register(Tool("add"))
		one, two := h.Join(exttest.New("one")), h.Join(exttest.New("two"))
		for i, b := range []*exttest.Browser{one, two} {
			b.OpenTab(Third).Register(exttest.Tool{Name: "add", Execute: func(context.Context, json.RawMessage) (any, error) { return fmt.Sprintf("from %d", i), nil }})
			h.Quiet()
		}
		name := names.ExtractDomain(Third)
		h.Want("shop_test_page0_add", name+"_page1_add", name+"_page2_add")
		h.CallSays(name+"_page1_add", `{}`, "from 0")
		h.CallSays(name+"_page2_add", `{}`, "from 1")
		one.Die()
		h.Want("shop_test_page0_add", name+"_page1_add")
		h.CallSays(name+"_page1_add", `{}`, "from 1")
		h.Dialer.FailWith(func(int) error { return ErrNoChrome })
		h.Chrome.Disconnect()
		h.Want(name + "_page0_add")
		if h.Status() != "" {
			t.Errorf("with one browser left the status is %q", h.Status())
		}
		two.Die()
		h.Want()
		if !strings.Contains(h.Status(), "connection to Chrome was lost") || !strings.Contains(h.Status(), "no browser with the WebMCP Hub extension") {
			t.Errorf("with none left it is %q", h.Status())
		}
	})
}

// TestConnectPrefersWhatIsThere: an extension's browser, else Chrome, else the
// one that is launched.
func TestConnectPrefersWhatIsThere(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		h.Dialer.FailWith(func(int) error { return ErrNoChrome })
		if !strings.HasSuffix(h.Status(), registry.NotAsked) || !strings.Contains(h.Status(), "extension") {
			t.Errorf("the status is %q", h.Status())
		}
		if _, err := h.Connect(t.Context(), false); err == nil || !strings.Contains(err.Error(), "no Chrome") {
			t.Errorf("without any it gives %v", err)
		}
		b := h.Join(exttest.New("one"))
		for _, launch := range []bool{false, true} {
			dials := len(h.Dialer.Attempts())
			if info, err := h.Connect(t.Context(), launch); err != nil || info != (BrowserInfo{Name: "Chrome", Version: "156.0"}) {
				t.Errorf("with an extension it gives %v, %v", info, err)
			}
			if len(h.Dialer.Attempts()) != dials {
				t.Error("Chrome was reached for")
			}
		}
		b.Die()
		h.Quiet()
		h.Dialer.FailWith(nil)
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Error(err)
		}
		h.Quiet()
		if h.Status() != "" {
			t.Errorf("the status is %q", h.Status())
		}
	})
}

// TestExtLate: what comes of tabs and documents that are gone, or before
// the extension has told its tabs, changes nothing.
func TestExtLate(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		w := exttest.NewWire()
		t.Cleanup(func() { _ = w.Close() })
		h.AddExtension(w)
		h.Quiet()
		say := func(messages ...string) {
			t.Helper()
			for _, m := range messages {
				w.Say(m)
			}
			h.Quiet()
		}
		if got, _ := w.Next(); got != `{"type":"connect"}` {
			t.Errorf("the hub begins with %s", got)
		}
		tools := func(tab int, doc, name string) string {
			return fmt.Sprintf(`{"type":"toolsChanged","tabId":%d,"doc":%q,"tools":[{"name":%q,"doc":%q}]}`, tab, doc, name, doc)
		}
		say(`{"type":"tabCreated","tab":{"id":1,"title":"","url":"http://shop.test/"}}`, tools(1, "A", "early"))
		h.Want()
		if len(h.Pub.Current().Tabs()) != 0 || h.Status() == "" {
			t.Error("it counts before it is connected")
		}
		say(`{"type":"connected","browser":{"name":"Chrome","version":"1","instance":"i"},"tabs":[{"id":1,"title":"","url":"http://shop.test/","doc":"A"}]}`,
			tools(1, "A", "add"), tools(2, "A", "stranger"))
		h.Want("shop_test_page0_add")
		say(`{"type":"tabUpdated","tab":{"id":1,"title":"","url":"http://shop.test/next","doc":"B"}}`, tools(1, "A", "late"), `{"type":"toolsChanged","tabId":1,"doc":"A","tools":[{"name":"later"}]}`)
		h.Want()
		say(tools(1, "B", "sub"))
		h.Want("shop_test_page0_sub")
		say(`{"type":"tabClosed","tabId":1}`, `{"type":"tabUpdated","tab":{"id":1,"title":"","url":"http://shop.test/","doc":"B"}}`, tools(1, "B", "ghost"),
			`{"type":"toolResult","callId":"1.4294967297.1","result":"late"}`, `{"type":"tabClosed","tabId":1}`, `{"type":"toolProgress","callId":"1.1.1","params":{}}`)
		h.Want()
		if n := len(h.Pub.Current().Tabs()); n != 0 {
			t.Errorf("%d tabs", n)
		}
		// The whole truth once more.
		say(`{"type":"connected","browser":{"name":"Chrome","version":"1","instance":"i"},"tabs":[{"id":2,"title":"","url":"http://shop.test/","doc":"C"},{"id":3,"title":"","url":"http://shop.test/","doc":"D"}]}`, tools(2, "C", "add"))
		h.Want("shop_test_page0_add")
		say(`{"type":"connected","browser":{"name":"Chrome","version":"1","instance":"i"},"tabs":[{"id":2,"title":"T","url":"http://shop.test/","doc":"C"}]}`)
		h.Want("shop_test_page0_add")
		if tabs := h.Pub.Current().Tabs(); len(tabs) != 1 || tabs[0].Title != "T" {
			t.Errorf("tabs are %+v", tabs)
		}
		say(`{"type":"disconnected"}`)
		h.Want()
		if h.Status() == "" || w.Code() != extlink.CloseNormal {
			t.Errorf("status %q, code %d", h.Status(), w.Code())
		}
	})
}

// TestExtFrames: an iframe's new document ends its calls and no others'.
func TestExtFrames(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		tab := b.OpenTab(Shop)
		s, main := NewSlow(), NewSlow()
		tab.Register(ForExtension(3, []PageTool{{Name: "pay", Run: s.Execute}})...)
		tab.Register(ForExtension(0, []PageTool{{Name: "wait", Run: main.Execute}, {Name: "pay", Run: Says("main")}})...)
		h.Quiet()
		names := h.Tools()
		if len(names) != 3 || !slices.Contains(names, "shop_test_page0_pay") {
			t.Fatalf("tools are %q", names)
		}
		h.CallSays("shop_test_page0_pay", `{}`, "main") // the main frame has the plain name
		i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "shop_test_page0_pay_") })
		c, d := h.Begin(names[i], `{}`), h.Begin("shop_test_page0_wait", `{}`)
		order := b.Received("callTool")
		if last := order[len(order)-2]; last.FrameID != 3 || last.Doc == "" || last.Doc == tab.Doc() {
			t.Errorf("the iframe's call is %+v", last)
		}
		old := h.Tool(names[i])
		tab.NavigateFrame(3)
		h.Quiet()
		c.Fails("The frame of")
		d.Runs()
		h.BeginTool(context.Background(), old, `{}`).Fails("its frame has navigated since")
		main.Answers <- "ok"
		d.Says("ok")
	})
}

func TestExtProgressAndTimeout(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t, func(o *Options) { o.CallTimeout = 7 * time.Second })
		b := h.Join(exttest.New("one"))
		s := NewSlow()
		b.OpenTab(Shop).Register(ForExtension(0, []PageTool{{Name: "wait", Run: s.Execute}})...)
		h.Quiet()
		var got []string
		answer := make(chan registry.Result, 1)
		go func() {
			answer <- h.Call(context.Background(), h.Tool("shop_test_page0_wait"), json.RawMessage(`{}`), CallExtras{Progress: func(p json.RawMessage) { got = append(got, string(p)) }})
		}()
		synctest.Wait()
		o := b.Received("callTool")[0]
		if o.TimeoutMs != 7000 {
			t.Errorf("the extension was told %d ms", o.TimeoutMs)
		}
		b.Say(`{"type":"toolProgress","callId":"` + o.CallID + `","params":{"progress":1}}`)
		h.Quiet()
		s.Answers <- "done"
		WantText(t, <-answer, false, "done")
		if len(got) != 1 || got[0] != `{"progress":1}` {
			t.Errorf("progress is %q", got)
		}
	})
}

// TestExtIntrospection: the extension is told whether the hub wants it, and
// says which tools it has made.
func TestExtIntrospection(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		Bubble(t, func(t *testing.T) {
			h := NewExtHub(t, func(o *Options) { o.Introspect = wanted })
			b := h.Join(exttest.New("one"))
			if got := b.Received("connect"); len(got) != 1 || got[0].Introspect != wanted {
				t.Errorf("the extension was told %+v", got)
			}
			p := b.OpenTab(Shop)
			p.Register(exttest.Tool{Name: "made", Runtime: "dom"}, exttest.Tool{Name: "form", Runtime: "form"}, exttest.Tool{Name: "own"}, exttest.Tool{Name: "odd", Runtime: "native"})
			h.Want("shop_test_page0_form", "shop_test_page0_made", "shop_test_page0_odd", "shop_test_page0_own")
			for name, want := range map[string]offer.Runtime{"made": offer.DOM, "form": offer.Form, "own": offer.Extension, "odd": offer.Extension} {
				if got := h.Runtime("shop_test_page0_" + name); got != want {
					t.Errorf("%s is reached by %s, want %s", name, got, want)
				}
			}
			h.CallSays("shop_test_page0_made", `{}`, "ok")
			p.Unregister("made")
			p.Register(exttest.Tool{Name: "form"})
			h.Want("shop_test_page0_form", "shop_test_page0_odd", "shop_test_page0_own")
			if got := h.Runtime("shop_test_page0_form"); got != offer.Extension {
				t.Errorf("the next tool of that name is reached by %s", got)
			}
		})
	}
}

func TestExtExplicit(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t, func(o *Options) { o.Explicit = true })
		b := h.Join(exttest.New("one"))
		b.OpenTab(Shop).Register(exttest.Tool{Name: "add"})
		h.Want()
		tab := h.Pub.Current().Tabs()[0]
		if tab.Connected() {
			t.Error("the page is connected")
		}
		if err := h.ConnectPage(t.Context(), tab.Page); err != nil {
			t.Fatal(err)
		}
		h.Want("shop_test_page0_add")
		h.CallSays("shop_test_page0_add", `{}`, "ok")
	})
}

func TestExtFront(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t, func(o *Options) { o.WatchFront = true })
		b := h.Join(exttest.New("one"))
		one, two := b.OpenTab(Shop), b.OpenTab(Third)
		one.Register(exttest.Tool{Name: "add"})
		h.Quiet()
		one.Show()
		h.Quiet()
		two.Show()
		h.Quiet()
		pages := h.Pub.Current().Tabs()
		if got := h.Pub.Switched(); len(got) != 1 || got[0] != pages[1].Page {
			t.Errorf("switches are %q", got)
		}
		if err := h.ActivateTab(t.Context(), pages[0].Page); err != nil {
			t.Fatal(err)
		}
		h.Want("shop_test_page0_add")
		if got := h.Pub.Switched(); len(got) != 1 {
			t.Errorf("the hub's own switch counts: %q", got)
		}
	})
}

// TestExtensionsKeptOut: agents are told why no browser can come.
func TestExtensionsKeptOut(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		h.ExtensionsKeptOut("port 8765 is taken")
		h.Quiet()
		if !strings.Contains(h.Status(), "port 8765 is taken") || strings.Contains(h.Status(), "open one") {
			t.Errorf("the status is %q", h.Status())
		}
		h.Dialer.FailWith(func(int) error { return ErrNoChrome })
		if _, err := h.Connect(t.Context(), false); err == nil || !strings.Contains(err.Error(), ErrNoChrome.Error()) || !strings.Contains(err.Error(), "port 8765 is taken") {
			t.Errorf("connecting gives %v", err)
		}
		h.ExtensionsKeptOut("")
		h.Quiet()
		if !strings.Contains(h.Status(), extbrowser.NoExtension) {
			t.Errorf("then it is %q", h.Status())
		}
		h.ExtensionTurnedAway("an MCP-B proxy", "wrong pairing token")
		h.Quiet()
		if want := "an MCP-B proxy came, but was refused: wrong pairing token"; !strings.Contains(h.Status(), want) {
			t.Errorf("after a proxy's refusal it is %q", h.Status())
		}
		h.ExtensionTurnedAway("a browser's extension", "wrong pairing token")
		h.Quiet()
		if want := "a browser's extension came, but was refused: wrong pairing token"; !strings.Contains(h.Status(), want) {
			t.Errorf("after a refusal it is %q", h.Status())
		}
		if _, err := h.Connect(t.Context(), false); err == nil || !strings.Contains(err.Error(), "wrong pairing token") {
			t.Errorf("connecting gives %v", err)
		}
		b := h.Join(exttest.New("one"))
		h.ExtensionsKeptOut("odd")
		h.Quiet()
		if h.Status() != "" {
			t.Errorf("with a browser it is %q", h.Status())
		}
		b.Die()
		h.Quiet()
		if !strings.Contains(h.Status(), "odd") {
			t.Errorf("without it again %q", h.Status())
		}
		h.ExtensionsKeptOut("")
		h.Quiet()
		if !strings.Contains(h.Status(), extbrowser.NoExtension) {
			t.Errorf("a refusal before one was let through counts: %q", h.Status())
		}
	})
}
