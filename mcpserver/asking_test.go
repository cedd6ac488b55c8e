package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// helpful is the initialize of a client that answers everything.
const helpful = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"elicitation":{},"roots":{"listChanged":true}},"clientInfo":{"name":"test","version":"1"}}}`

// sample is what a page asks.
func sample(page string) offer.PageRequest {
	return offer.PageRequest{Server: serverOf(page, 1), Origin: "https://a.test", Method: sanitize.MethodSampling,
		Params: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":5}`)}
}

func roots(page string) offer.PageRequest {
	return offer.PageRequest{Server: serverOf(page, 1), Origin: "https://a.test", Method: sanitize.MethodRoots}
}

// atAnyTime lets pages ask for all that there is, whenever they want.
func atAnyTime(o *Options, _ *registry.Options) { o.PageRequests, o.PageRoots = AtAnyTime, true }

type given struct {
	result string
	err    error
}

// asks has a page ask; what it is given comes on the channel.
func (h *offerHub) asks(ctx context.Context, r offer.PageRequest) <-chan given {
	done := make(chan given, 1)
	go func() {
		raw, err := h.PageRequest(ctx, r)
		done <- given{string(raw), err}
	}()
	return done
}

func (h *offerHub) wantGiven(done <-chan given, want string) {
	h.t.Helper()
	synctest.Wait()
	select {
	case g := <-done:
		var refusal registry.PageError
		switch {
		case g.err == nil && g.result == want:
		case errors.As(g.err, &refusal) && strings.Contains(refusal.Text, want):
		default:
			h.t.Errorf("the page was given %s, %v; want %s", g.result, g.err, want)
		}
	default:
		h.t.Errorf("the page waits; want %s", want)
	}
}

var requestID = regexp.MustCompile(`"id":("webmcp-hub-[A-Z2-7]+")`)

// question gives the id of the only line, which must be a request of a method.
func question(t *testing.T, lines []string, method string) string {
	t.Helper()
	if len(lines) == 1 && strings.Contains(lines[0], `"method":"`+method+`"`) {
		if id := requestID.FindStringSubmatch(lines[0]); id != nil {
			return id[1]
		}
	}
	t.Fatalf("no %s came: %q", method, lines)
	return ""
}

func TestPagesAskTheirClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t, atAnyTime)
		h.page("A", "https://a.test/")
		c := h.connect(true)
		c.send(helpful, initialized)
		c.take()
		ctx := t.Context()

		done := h.asks(ctx, sample("A"))
		lines := c.take()
		id := question(t, lines, "sampling/createMessage")
		wantText(t, lines[0], `comes from the web page https://a.test`)
		c.send(`{"jsonrpc":"2.0","id":"webmcp-hub-1","result":{"forged":1}}`, `{"jsonrpc":"2.0","id":`+id+`,"result":{"said":1}}`, `{"jsonrpc":"2.0","id":`+id+`,"result":{"again":1}}`)
		h.wantGiven(done, `{"said":1}`)

		done = h.asks(ctx, roots("A"))
		c.send(`{"jsonrpc":"2.0","id":` + question(t, c.take(), "roots/list") + `,"error":{"code":-1,"message":"the user says no"}}`)
		h.wantGiven(done, "the user says no")

		done = h.asks(ctx, roots("A"))
		c.send(`{"jsonrpc":"2.0","id":` + question(t, c.take(), "roots/list") + `,"result":7}`)
		h.wantGiven(done, "no object")

		h.wantGiven(h.asks(ctx, offer.PageRequest{Server: serverOf("A", 1), Method: sanitize.MethodElicitation, Params: json.RawMessage(`{"mode":"url"}`)}), "form")
		c.expect()

		// It ends with the page, and with its time.
		gone, cancel := context.WithCancel(ctx)
		done = h.asks(gone, roots("A"))
		id = question(t, c.take(), "roots/list")
		cancel()
		h.wantGiven(done, "was not answered: it was cancelled")
		c.expect(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"it was cancelled"}}`)
		done = h.asks(ctx, roots("A"))
		c.take()
		fakeclock.Elapse(PageRequestTimeout)
		h.wantGiven(done, "the time limit of 5m0s is over")
		c.take()

		var all []<-chan given
		for range wire.MaxQuestions {
			all = append(all, h.asks(ctx, roots("A")))
		}
		synctest.Wait()
		h.wantGiven(h.asks(ctx, roots("A")), "has 8 requests to answer already")
		c.hangUp()
		for _, done := range all {
			h.wantGiven(done, "its session is over")
		}
		h.wantGiven(h.asks(ctx, roots("A")), "no client is connected that sees the page")
	})
}

// A page's request goes to the client whose request it is answering, else to
// the only one that sees it, and only if that can answer.
func TestWhomPagesAsk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newOfferHub(t, atAnyTime)
		h.reaches(func(ctx context.Context, c calls.Call) registry.Result {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return echo(ctx, c)
		})
		h.page("A", "https://a.test/")
		plain, one, two := h.connect(true), h.connect(true), h.connect(true)
		plain.handshake()
		h.wantGiven(h.asks(t.Context(), roots("A")), "roots/list was not passed on: the agent's client did not declare that it supports this")
		for _, c := range []*rawClient{one, two} {
			c.send(helpful, initialized)
			c.take()
		}
		h.wantGiven(h.asks(t.Context(), roots("A")), "several clients see the page")

		one.send(callLine("1", "webmcp_a_test_page0_use", "{}"))
		one.expect()
		done := h.asks(t.Context(), roots("A"))
		one.send(`{"jsonrpc":"2.0","id":` + question(t, one.take(), "roots/list") + `,"result":{"roots":[]}}`)
		h.wantGiven(done, `{"roots":[]}`)
		two.expect()

		// With the call its requests end.
		done = h.asks(t.Context(), roots("A"))
		id := question(t, one.take(), "roots/list")
		release <- struct{}{}
		h.wantGiven(done, "was not answered")
		if got := strings.Join(one.take(), "\n"); !strings.Contains(got, `"requestId":`+id) || !strings.Contains(got, `"id":1,"result"`) {
			t.Errorf("got %s", got)
		}

		plain.send(callLine("1", "webmcp_a_test_page0_use", "{}"))
		plain.expect()
		h.wantGiven(h.asks(t.Context(), roots("A")), "did not declare")

		// Whose call a question belongs to can't be told of several.
		one.send(callLine("2", "webmcp_a_test_page0_use", "{}"))
		one.expect()
		h.wantGiven(h.asks(t.Context(), sample("A")), "carries out calls of several clients")
		one.expect()
		close(release)
		for _, c := range []*rawClient{plain, one, two} {
			c.hangUp()
		}
	})
}

// A client that never answers keeps nobody else's call from asking: a question that comes while one call waits for its
// answer belongs to the other.
func TestQuestionsThatNobodyAnswers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newOfferHub(t)
		h.reaches(func(ctx context.Context, c calls.Call) registry.Result {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return echo(ctx, c)
		})
		h.page("A", "https://a.test/")
		one, two := h.connect(true), h.connect(true)
		for _, c := range []*rawClient{one, two} {
			c.send(helpful, initialized)
			c.take()
		}
		one.send(callLine("1", "webmcp_a_test_page0_use", "{}"))
		one.expect()
		abandoned := h.asks(t.Context(), sample("A"))
		first := question(t, one.take(), "sampling/createMessage")

		two.send(callLine("1", "webmcp_a_test_page0_use", "{}"))
		two.expect()
		h.wantGiven(h.asks(t.Context(), sample("A")), "calls of several clients") // the first call may have asked this at once
		one.expect()
		two.expect()
		fakeclock.Elapse(gathering)
		done := h.asks(t.Context(), sample("A"))
		one.expect()
		two.send(`{"jsonrpc":"2.0","id":` + question(t, two.take(), "sampling/createMessage") + `,"result":{"said":2}}`)
		h.wantGiven(done, `{"said":2}`)

		// Of one client's own calls, too, the one that waits has asked already.
		fakeclock.Elapse(gathering)
		one.send(callLine("2", "webmcp_a_test_page0_use", "{}"))
		two.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		done = h.asks(t.Context(), sample("A"))
		two.expect()
		one.send(`{"jsonrpc":"2.0","id":` + question(t, one.take(), "sampling/createMessage") + `,"result":{"said":3}}`)
		h.wantGiven(done, `{"said":3}`)
		one.send(`{"jsonrpc":"2.0","id":` + first + `,"result":{"said":1}}`)
		h.wantGiven(abandoned, `{"said":1}`)
		close(release)
		for _, c := range []*rawClient{one, two} {
			c.hangUp()
		}
	})
}

// Unless the user allows more, a page asks during a call only: the document that
// carries it out, of the client that made it, and nothing about its folders.
func TestPagesAskDuringCallsOnly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newOfferHub(t)
		h.reaches(func(ctx context.Context, c calls.Call) registry.Result { <-release; return echo(ctx, c) })
		h.page("A", "https://a.test/", "note://1")
		c := h.connect(true)
		c.send(helpful, initialized)
		c.take()
		never := func(r offer.PageRequest) {
			t.Helper()
			h.wantGiven(h.asks(t.Context(), r), "a page may ask only while it carries out a call")
			c.expect()
		}
		never(sample("A"))
		c.send(callLine("1", "webmcp_a_test_page0_use", "{}"))
		c.expect()
		h.wantGiven(h.asks(t.Context(), roots("A")), "(--page-roots)")
		ad := sample("A") // another document of the same page
		ad.Server.Frame = "ad"
		never(ad)
		old := sample("A")
		old.Server.Doc++
		never(old)
		done := h.asks(t.Context(), sample("A"))
		lines := c.take()
		wantText(t, lines[0], `from the web page https://a.test, whose tool \"use\" you called, by way of`)
		c.send(`{"jsonrpc":"2.0","id":` + question(t, lines, "sampling/createMessage") + `,"result":{"said":1}}`)
		h.wantGiven(done, `{"said":1}`)
		close(release)
		if got := c.take(); len(got) != 1 || said(t, got[0]) != "A/use {}" {
			t.Errorf("the answer: %q", got)
		}
		never(sample("A"))

		// While it is read it is asked, too.
		h.answer = func(context.Context, registry.DocumentRef, string, func(json.RawMessage)) (json.RawMessage, error) {
			done = h.asks(t.Context(), sample("A"))
			g := <-done
			return json.RawMessage(`{"contents":[{"uri":"note://1","text":"` + strings.ReplaceAll(g.result, `"`, `'`) + `"}]}`), g.err
		}
		c.send(ask("2", "resources/read", `{"uri":"`+note0+`"}`))
		lines = c.take()
		wantText(t, lines[0], `from the web page https://a.test by way of`) // no tool runs
		c.send(`{"jsonrpc":"2.0","id":` + question(t, lines, "sampling/createMessage") + `,"result":{"said":2}}`)
		if got := c.take(); len(got) != 1 || !strings.Contains(got[0], "{'said':2}") {
			t.Errorf("the answer: %q", got)
		}
		c.hangUp()
	})
}

// A call's time stands still while its client answers its page.
func TestTimeStandsStillForAnswers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t, func(o *Options, _ *registry.Options) { o.CallTimeout, o.PageRoots = time.Minute, true })
		h.reaches(func(ctx context.Context, c calls.Call) registry.Result { <-ctx.Done(); return registry.Result{} })
		h.page("A", "https://a.test/")
		c := h.connect(true)
		c.send(helpful, initialized)
		c.take()
		c.send(callLine("1", "webmcp_a_test_page0_use", "{}"))
		fakeclock.Elapse(50 * time.Second)
		one, two := h.asks(t.Context(), roots("A")), h.asks(t.Context(), roots("A"))
		synctest.Wait()
		fakeclock.Elapse(2 * time.Minute)
		ids := requestID.FindAllStringSubmatch(strings.Join(c.take(), "\n"), -1)
		c.send(`{"jsonrpc":"2.0","id":` + ids[0][1] + `,"result":{}}`)
		fakeclock.Elapse(time.Minute)
		c.expect()
		c.send(`{"jsonrpc":"2.0","id":` + ids[1][1] + `,"result":{}}`)
		h.wantGiven(one, `{}`)
		h.wantGiven(two, `{}`)
		fakeclock.Elapse(9 * time.Second)
		c.expect()
		fakeclock.Elapse(time.Second)
		if got := c.take(); len(got) != 1 || !strings.Contains(said(t, got[0]), "time limit of 1m0s is over") {
			t.Errorf("got %q", got)
		}
		c.hangUp()
	})
}

// Over HTTP a request that belongs to a call goes out on the response to that,
// others on the session's event stream.
func TestPagesAskOverHTTP(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newOfferHub(t, atAnyTime)
		h.reaches(func(ctx context.Context, c calls.Call) registry.Result { <-release; return echo(ctx, c) })
		h.page("A", "https://a.test/", "note://1")
		w, _ := h.hub.onPipes(t)
		a := w.send("POST", helpful)
		v := &visitor{web: w, headers: []string{"Mcp-Session-Id: " + a.header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version: 2025-11-25"}}
		v.send(initialized)
		answer := func(id, result string) {
			if a := v.send(`{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`); a.status != 202 {
				t.Errorf("%+v", a)
			}
		}
		h.wantGiven(h.asks(t.Context(), roots("A")), "must have its event stream open")

		call := w.listenLater("POST", callLine("1", "webmcp_a_test_page0_use", "{}"), v.headers...)
		synctest.Wait()
		done := h.asks(t.Context(), roots("A"))
		stream := <-call
		answer(question(t, stream.take(), "roots/list"), `{"roots":[]}`)
		h.wantGiven(done, `{"roots":[]}`)
		close(release)
		if got := stream.take(); len(got) != 1 || said(t, got[0]) != "A/use {}" {
			t.Errorf("the answer: %q", got)
		}

		v.listen()
		done = h.asks(t.Context(), roots("A"))
		answer(question(t, v.stream.take(), "roots/list"), `{"roots":[1]}`)
		h.wantGiven(done, `{"roots":[1]}`)

		h.change(offered("A", 1, "note://2", "#ask"))
		v.stream.expect(resourcesChanged, promptsChanged)
		v.stream.hangUp()

		// Of the two only one was read, so that only the other is announced again.
		synctest.Wait()
		h.change(offered("A", 1, "note://3", "#ask"))
		v.send(ask("1", "resources/list", "{}"))
		v.listen()
		v.stream.expect(promptsChanged)
		v.stream.hangUp()
	})
}

// listenLater is listen for a response that begins later.
func (w *web) listenLater(method, body string, headers ...string) <-chan *eventReader {
	began := make(chan *eventReader, 1)
	go func() { began <- w.listen(method, body, headers...) }()
	return began
}

// Protocol 2026-07-28 has offers too, announced on subscriptions/listen; it has
// no requests to clients.
func TestOffersSessionless(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t, atAnyTime)
		h.page("A", "https://a.test/", "note://1", "#ask")
		w, _ := h.hub.onPipes(t)
		send := func(method, params string, headers ...string) answer {
			body, more := modern("1", method, params)
			return w.send("POST", body, append(more, headers...)...)
		}
		wantText(t, send("resources/list", `{}`).body, `"cacheScope":"private","resources":[{"uri":"`+note0)
		wantText(t, send("prompts/list", `{}`).body, `"resultType":"complete","ttlMs":0}`)
		read := send("resources/read", `{"uri":"`+note0+`"}`, "Mcp-Name: "+note0).body
		wantText(t, read, `{"resultType":"complete",`)
		wantText(t, read, `"ttlMs":0,"cacheScope":"private"}`)
		wantText(t, send("prompts/get", `{"name":"webmcp_a_test_page0_ask"}`).body, `{"resultType":"complete",`)
		missing := send("resources/read", `{"uri":"x://"}`, "Mcp-Name: x://")
		wantText(t, missing.rpc(), "-32602 there is no resource")
		wantText(t, missing.body, `"data":{"uri":"x://"}`)
		wantText(t, send("resources/subscribe", `{"uri":"`+note0+`"}`).rpc(), "-32601")
		h.heard()

		body, headers := modern("7", "subscriptions/listen", `{"notifications":{"resourcesListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["`+note0+`"]}}`)
		stream := w.listen("POST", body, headers...)
		if got := stream.take(); len(got) != 1 || !strings.Contains(got[0], `"resourceSubscriptions":["`+note0) {
			t.Errorf("%q", got)
		}
		h.expectHeard(`A resources/subscribe {"uri":"note://1"}`)
		const meta = `{"_meta":{"io.modelcontextprotocol/subscriptionId":7}`
		h.Apply([]registry.Effect{registry.ResourcesUpdated{Server: serverOf("A", 1), URIs: []string{"note://1"}}})
		stream.expect(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":` + meta + `,"uri":"` + note0 + `"}}`)
		h.change(offered("A", 1, "note://2"))
		stream.expect(`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":`+meta+`}}`, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":`+meta+`}}`)
		stream.hangUp()
		synctest.Wait()
		h.expectHeard(`A resources/unsubscribe {"uri":"note://1"}`)
		h.wantGiven(h.asks(t.Context(), roots("A")), "no client is connected")
	})
}
