package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

func TestOffersAreListedAndRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		c := h.connect(true)
		c.send(initialize, initialized)
		hello := c.take()[0]
		for _, want := range []string{`"resources":{"subscribe":true,"listChanged":true}`, `"prompts":{"listChanged":true}`, `"completions":{}`, `"logging":{}`} {
			wantText(t, hello, want)
		}
		if got := c.one("resources/list", `{}`) + c.one("prompts/list", `{}`) + c.one("resources/templates/list", `{}`); got != `{"resources":[]}{"prompts":[]}{"resourceTemplates":[]}` {
			t.Errorf("nothing is listed as %s", got)
		}
		h.page("A", "https://a.test/", "note://1", "note://{id}", "#ask")
		c.expect(listChanged, resourcesChanged, promptsChanged)
		if got := c.names("resources/list"); got != note0 {
			t.Error(got)
		}
		if got := c.names("resources/templates/list"); got != "webmcp://a.test/page0/note%3A%2F%2F{id}" {
			t.Error(got)
		}
		if got := c.names("prompts/list"); got != "webmcp_a_test_page0_ask" {
			t.Error(got)
		}
		wantText(t, c.one("prompts/list", `{"cursor":"x"}`), "-32602: unknown cursor")

		wantText(t, c.one("resources/read", `{"uri":"`+note0+`"}`), `{"text":"read","uri":"`+note0+`"}`)
		c.one("resources/read", `{"uri":"webmcp://a.test/page0/note%3A%2F%2Fa%20b"}`)
		wantText(t, c.one("prompts/get", `{"name":"webmcp_a_test_page0_ask","arguments":{"a":"b"}}`), `"text":"hi"`)
		wantText(t, c.one("completion/complete", `{"ref":{"type":"ref/prompt","name":"webmcp_a_test_page0_ask"},"argument":{"name":"a","value":"t"},"context":{"arguments":{}}}`), `"values":["tea"]`)
		c.one("completion/complete", `{"ref":{"type":"ref/resource","uri":"webmcp://a.test/page0/note%3A%2F%2F{id}"},"argument":{"name":"id","value":"1"}}`)
		h.expectHeard(
			`A resources/read {"uri":"note://1"}`,
			`A resources/read {"uri":"note://a%20b"}`,
			`A prompts/get {"arguments":{"a":"b"},"name":"ask"}`,
			`A completion/complete {"argument":{"name":"a","value":"t"},"context":{"arguments":{}},"ref":{"name":"ask","type":"ref/prompt"}}`,
			`A completion/complete {"argument":{"name":"id","value":"1"},"ref":{"type":"ref/resource","uri":"note://{id}"}}`)

		c.send(`{"jsonrpc":"2.0","id":77,"method":"resources/read","params":{"uri":"x://"}}`)
		c.expect(`{"jsonrpc":"2.0","id":77,"error":{"code":-32002,"message":"there is no resource x://. List the resources again (resources/list, resources/templates/list)","data":{"uri":"x://"}}}`)
		for request, want := range map[string]string{
			`resources/read {"uri":"x://"}`: "-32002: there is no resource x://",
			`resources/read {"uri":7}`:      `-32602: "uri" has the wrong type`,
			`resources/read {}`:             "-32002: there is no resource",
			`prompts/get {"name":"x"}`:      "-32602: no prompt is called x",
			`prompts/get {"name":"webmcp_a_test_page0_ask","arguments":[]}`: `-32602: "arguments" has the wrong type`,
			`completion/complete {}`:                                 "-32602: completion/complete needs",
			`completion/complete {"ref":{"type":"x"},"argument":{}}`: "-32602: there is no ref of the type x",
		} {
			method, params, _ := strings.Cut(request, " ")
			wantText(t, c.one(method, params), want)
		}
		h.expectHeard()
		c.hangUp()
	})
}

// A list_changed is for the list that changed and for those that see it, and
// not for who has read it already.
func TestOffersListChanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/", "note://1", "#ask")
		reads, deaf := h.connect(true), h.connect(false)
		reads.handshake()
		deaf.send(initialize, initialized)
		synctest.Wait() // the answer is being written, and nothing else yet
		h.change(offered("A", 1, "note://2", "#ask"))
		reads.expect(resourcesChanged)
		h.change(offered("A", 1, "note://2", "#other"))
		reads.expect(promptsChanged)
		h.change(offered("A", 1, "note://2", "#other"))
		reads.expect()
		h.change(registry.PageChanged{Page: "A", URL: "https://a.test/", Title: "Another"})
		reads.expect()

		late := h.connect(true)
		late.handshake() // it has not been told of anything else
		late.expect()

		// Until it reads, a client is owed one notification of each kind; none for
		// what it has asked for meanwhile.
		for i := range 10 {
			h.change(offered("A", 1, "note://"+string(rune('a'+i))))
		}
		go deaf.read()
		deaf.expect(`{"jsonrpc":"2.0","id":"init","result":{…`, resourcesChanged, promptsChanged)
		for _, c := range []*rawClient{reads, deaf, late} {
			c.hangUp()
		}
	})
}

// A URI that has come to mean another page is refused.
func TestOffersMeanWhatTheClientSaw(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/", "note://1", "#ask")
		h.page("B", "https://a.test/", "note://1", "#ask")
		c := h.connect(true)
		c.handshake()
		c.names("resources/list")
		c.names("prompts/list")
		h.change(registry.PageClosed{Page: "A"})
		c.take()
		wantText(t, c.one("resources/read", `{"uri":"`+note0+`"}`), "is gone: the page that it belonged to was closed")
		wantText(t, c.one("prompts/get", `{"name":"webmcp_a_test_page0_ask"}`), "is gone: the page that it belonged to was closed")
		h.expectHeard()
		c.one("resources/read", `{"uri":"webmcp://a.test/page1/note%3A%2F%2F1"}`)
		h.expectHeard(`B resources/read {"uri":"note://1"}`)
		c.names("resources/list")
		c.one("resources/read", `{"uri":"`+note0+`"}`)
		h.expectHeard(`B resources/read {"uri":"note://1"}`)
		c.hangUp()
	})
}

func TestReadingEndsInTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t, func(o *Options, _ *registry.Options) { o.MaxResult = 1000; o.CallTimeout = time.Minute })
		h.page("A", "https://a.test/", "note://1")
		c := h.connect(true)
		c.handshake()
		h.answer = func(ctx context.Context, _ registry.DocumentRef, _ string, progress func(json.RawMessage)) (json.RawMessage, error) {
			if progress != nil {
				progress(json.RawMessage(`{"progressToken":1,"progress":1,"message":"half"}`))
			}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		c.send(ask("1", "resources/read", `{"uri":"`+note0+`","_meta":{"progressToken":"t"}}`))
		c.expect(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"message":"half"}}`)
		c.send(ask("2", "resources/read", `{"uri":"`+note0+`"}`))
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		c.expect() // cancelled: no answer
		fakeclock.Elapse(2 * time.Minute)
		lines := c.take()
		wantText(t, outcomeOf(t, lines[len(lines)-1]), "-32603: the page did not answer: the time limit of 1m0s is over")

		for raw, want := range map[string]string{
			`{"contents":[{"uri":"note://1","text":"` + strings.Repeat("x", 1000) + `"}]}`: "-32603: the page's answer has 1043 bytes; at most 1000 are passed on",
			`{"nonsense":1}`: "-32603: the page did not answer: the page's MCP server answered with something",
		} {
			h.answer = func(context.Context, registry.DocumentRef, string, func(json.RawMessage)) (json.RawMessage, error) {
				return json.RawMessage(raw), nil
			}
			wantText(t, c.one("resources/read", `{"uri":"`+note0+`"}`), want)
		}
		h.answer = func(context.Context, registry.DocumentRef, string, func(json.RawMessage)) (json.RawMessage, error) {
			return nil, registry.PageError{Code: -32007, Text: "the page says no"}
		}
		wantText(t, c.one("resources/read", `{"uri":"`+note0+`"}`), "-32007: the page says no")
		h.answer = func(context.Context, registry.DocumentRef, string, func(json.RawMessage)) (json.RawMessage, error) {
			return nil, registry.PageError{Code: -32602, Text: "Resource not found"}
		}
		c.send(`{"jsonrpc":"2.0","id":77,"method":"resources/read","params":{"uri":"` + note0 + `"}}`)
		c.expect(`{"jsonrpc":"2.0","id":77,"error":{"code":-32002,"message":"Resource not found","data":{"uri":"` + note0 + `"}}}`)
		c.hangUp()
	})
}

func TestSubscriptions(t *testing.T) {
	updated := func(uri string) string {
		return `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + uri + `"}}`
	}
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/", "note://1", "note://2")
		one, two, none := h.connect(true), h.connect(true), h.connect(true)
		for _, c := range []*rawClient{one, two, none} {
			c.handshake()
		}
		told := func(uris ...string) {
			h.Apply([]registry.Effect{registry.ResourcesUpdated{Server: serverOf("A", 1), URIs: uris}})
		}
		for _, c := range []*rawClient{one, two, one} {
			if got := c.one("resources/subscribe", `{"uri":"`+note0+`"}`); got != "{}" {
				t.Error(got)
			}
		}
		h.expectHeard(`A resources/subscribe {"uri":"note://1"}`) // once
		told("note://1", "note://2")
		one.expect(updated(note0))
		two.expect(updated(note0))
		none.expect()

		if got := one.one("resources/unsubscribe", `{"uri":"`+note0+`"}`); got != "{}" {
			t.Error(got)
		}
		told("note://1")
		one.expect()
		two.expect(updated(note0))
		h.expectHeard() // two still watches

		// The page is reloaded: its server knows nothing of us.
		h.change(navigated("A", 2, "https://a.test/"))
		two.take()
		h.change(offered("A", 2, "note://1"))
		got := two.take()
		if len(got) != 2 || got[0] != resourcesChanged || got[1] != updated(note0) {
			t.Errorf("after a reload: %q", got)
		}
		h.expectHeard(`A resources/subscribe {"uri":"note://1"}`)
		told("note://1") // by the old document
		two.expect()
		h.Apply([]registry.Effect{registry.ResourcesUpdated{Server: serverOf("A", 2), URIs: []string{"note://1"}}})
		two.expect(updated(note0))

		two.hangUp()
		synctest.Wait()
		h.expectHeard(`A resources/unsubscribe {"uri":"note://1"}`)
		if n := h.topicsLeft(); n != 0 {
			t.Errorf("%d topics are left", n)
		}

		h.answer = func(context.Context, registry.DocumentRef, string, func(json.RawMessage)) (json.RawMessage, error) {
			return nil, registry.PageError{Code: -32601, Text: "Method not found"}
		}
		one.take()
		wantText(t, one.one("resources/subscribe", `{"uri":"`+note0+`"}`), "-32601: Method not found")
		wantText(t, one.one("resources/subscribe", `{"uri":"x://"}`), "-32002")
		if n := h.topicsLeft(); n != 0 {
			t.Errorf("%d topics are left", n)
		}
		one.hangUp()
		none.hangUp()
	})
}

func TestLogMessages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/")
		c, other := h.connect(true), h.connect(true)
		c.handshake()
		other.handshake()
		say := func(level string) {
			h.Apply([]registry.Effect{registry.PageLogged{Server: serverOf("A", 1), Origin: "https://a.test", Params: json.RawMessage(`{"level":"` + level + `","data":"x"}`)}})
		}
		say("warning")
		c.expect()
		if got := c.one("logging/setLevel", `{"level":"info"}`); got != "{}" {
			t.Error(got)
		}
		say("debug")
		c.expect()
		say("info")
		if got := c.take(); len(got) != 1 || !strings.Contains(got[0], `"method":"notifications/message","params":{"_meta":{`) || !strings.HasSuffix(got[0], `"data":"x","level":"info","logger":"https://a.test"}}`) {
			t.Errorf("got %q", got)
		}
		other.expect()
		if len(h.levels) != 1 || h.levels[0] != "info" {
			t.Errorf("pages were told %q", h.levels)
		}
		c.hangUp()
		other.hangUp()
	})
}

// A client in focus mode has its focused tab's offers only.
func TestOffersOfTheFocusedTab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var b tabBrowser
		h := newOfferHub(t, func(o *Options, _ *registry.Options) { o.Mode, o.Browser = view.FocusedTab, &b })
		b.h = h.hub
		h.page("A", "https://a.test/", "note://1", "#ask")
		h.page("B", "https://b.test/", "note://1")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "connect_browser", `{}`))
		c.take()
		if got := c.names("resources/list"); got != "" {
			t.Error(got)
		}
		wantText(t, c.one("resources/read", `{"uri":"`+note0+`"}`), "focus_tab with tabId 1")
		focus := func(tab int) []string {
			c.send(callLine("1", "focus_tab", `{"tabId":`+string(rune('0'+tab))+`}`))
			return c.take()
		}
		if got := strings.Join(focus(1), "\n"); !strings.Contains(got, resourcesChanged) || !strings.Contains(got, promptsChanged) {
			t.Errorf("focusing told %s", got)
		}
		if got := c.names("resources/list"); got != note0 {
			t.Error(got)
		}
		c.one("resources/read", `{"uri":"`+note0+`"}`)
		h.expectHeard(`A resources/read {"uri":"note://1"}`)
		h.change(offered("B", 1, "note://2"))
		c.expect() // not its tab
		focus(2)
		if got := c.names("resources/list"); got != "webmcp://b.test/page1/note%3A%2F%2F2" {
			t.Error(got)
		}
		wantText(t, c.one("prompts/get", `{"name":"webmcp_a_test_page0_ask"}`), "focus_tab with tabId 1")
		c.hangUp()
	})
}

// TestReloadWhileSubscribing: a page is reloaded before it has answered those
// who subscribe. They are told so, and the new document is asked for them too.
func TestReloadWhileSubscribing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/", "note://1")
		h.answer = func(_ context.Context, server registry.DocumentRef, _ string, _ func(json.RawMessage)) (json.RawMessage, error) {
			if server.Doc == 1 {
				fakeclock.Pause(time.Second)
				return nil, registry.PageError{Code: jsonrpc.CodeInternal, Text: "its document is gone"}
			}
			fakeclock.Pause(10 * time.Second)
			return json.RawMessage(`{}`), nil
		}
		var clients []*rawClient
		for range 5 {
			c := h.connect(true)
			c.handshake()
			c.send(ask("1", "resources/subscribe", `{"uri":"`+note0+`"}`))
			clients = append(clients, c)
		}
		synctest.Wait()
		h.change(navigated("A", 2, "https://a.test/"), tools("A", 2, "use"))
		h.change(offered("A", 2, "note://1"))
		fakeclock.Elapse(time.Hour)
		for _, c := range clients {
			lines := strings.Join(c.take(), "\n")
			wantText(t, lines, "its document is gone")
			wantText(t, lines, "notifications/resources/updated")
			c.hangUp()
		}
		fakeclock.Elapse(time.Hour) // the page is told that nobody watches
		if n := h.topicsLeft(); n != 0 {
			t.Errorf("%d topics are left", n)
		}
	})
}
