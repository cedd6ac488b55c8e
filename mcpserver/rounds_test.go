package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// round is a call in protocol 2026-07-28 of a client that answers everything.
type round struct {
	id, token, args, state, answers string
	can                             string // its capabilities
	logs                            string // its log level
}

func (r round) params() string {
	if r.can == "" {
		r.can = `{"elicitation":{},"sampling":{},"roots":{}}`
	}
	if r.args == "" {
		r.args = `{}`
	}
	meta := `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + r.can
	if r.token != "" {
		meta += `,"progressToken":"` + r.token + `"`
	}
	if r.logs != "" {
		meta += `,"io.modelcontextprotocol/logLevel":"` + r.logs + `"`
	}
	p := `{"name":"webmcp_a_test_page0_use","arguments":` + r.args + `,"_meta":{` + meta + `}`
	if r.state != "" {
		p += fmt.Sprintf(`,"requestState":%q`, r.state)
	}
	if r.answers != "" {
		p += `,"inputResponses":` + r.answers
	}
	return p + "}"
}

// sender sends a call and gives what the server answered, or "" while it doesn't.
type sender interface {
	// call returns when the server has done what it can.
	call(r round) (answered func() string)
}

type overStdio struct {
	*rawClient
	left []string
}

func (c *overStdio) call(r round) func() string {
	c.send(ask(r.id, "tools/call", r.params()))
	synctest.Wait()
	return func() string {
		gathered()
		c.left = append(c.left, c.take()...)
		for i, line := range c.left {
			if strings.Contains(line, `"id":`+r.id+`,`) {
				c.left = append(c.left[:i:i], c.left[i+1:]...)
				return line
			}
		}
		return ""
	}
}

type overWeb struct{ *web }

func (w overWeb) call(r round) func() string {
	body := ask(r.id, "tools/call", r.params())
	got := make(chan string, 1)
	go func() {
		a := w.send("POST", body, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: webmcp_a_test_page0_use")
		got <- a.body
	}()
	synctest.Wait()
	return func() string {
		gathered()
		select {
		case body := <-got:
			return body
		default:
			return ""
		}
	}
}

// gathered waits until a round has asked what there is to ask.
func gathered() {
	synctest.Wait()
	fakeclock.Elapse(gathering)
	synctest.Wait()
}

// required reads a result that asks for input.
func required(t *testing.T, line string) (state string, questions map[string]json.RawMessage) {
	t.Helper()
	var m struct {
		Result struct {
			Type     string                     `json:"resultType"`
			Requests map[string]json.RawMessage `json:"inputRequests"`
			State    string                     `json:"requestState"`
		}
	}
	if i := strings.IndexByte(line, '{'); i < 0 || json.Unmarshal([]byte(line[i:]), &m) != nil || m.Result.Type != "input_required" || m.Result.State == "" {
		t.Fatalf("it asks for no input: %q", line)
	}
	return m.Result.State, m.Result.Requests
}

// inRounds runs a test over stdio and over HTTP, with a page whose tool runs until it
// is released.
func inRounds(t *testing.T, do func(t *testing.T, h *offerHub, c sender, release chan struct{}), options ...func(*Options, *registry.Options)) {
	for _, over := range []string{"stdio", "HTTP"} {
		t.Run(over, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				release := make(chan struct{}, 8)
				h := newOfferHub(t, append(options, func(o *Options, _ *registry.Options) { o.PageRoots = true })...)
				h.reaches(func(ctx context.Context, c calls.Call) registry.Result {
					select {
					case <-release:
						return echo(ctx, c)
					case <-ctx.Done():
						return registry.Result{}
					}
				})
				h.page("A", "https://a.test/")
				if over == "HTTP" {
					w, _ := h.hub.onPipes(t)
					do(t, h, overWeb{w}, release)
				} else {
					c := &overStdio{rawClient: h.connect(true)}
					do(t, h, c, release)
					c.hangUp()
				}
				synctest.Wait()
				h.works.mu.Lock()
				defer h.works.mu.Unlock()
				if n := len(h.works.parked) + len(h.works.tasks); n != 0 {
					t.Errorf("%d requests still wait", n)
				}
				h.sessions.each(func(s *session) { t.Errorf("%s is left", s.client.ID) })
			})
		})
	}
}

// A call whose client doesn't come back keeps no other call from asking.
func TestAbandonedRounds(t *testing.T) {
	inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
		for i := range 3 {
			call := c.call(round{id: fmt.Sprint(2 * i), args: fmt.Sprintf(`{"n":%d}`, i)})
			done := h.asks(t.Context(), roots("A"))
			state, _ := required(t, call())
			if i < 2 {
				continue // nobody answers
			}
			last := c.call(round{id: "9", args: fmt.Sprintf(`{"n":%d}`, i), state: state, answers: `{"page-1":{"roots":[]}}`})
			h.wantGiven(done, `{"roots":[]}`)
			close(release)
			if got := last(); !strings.Contains(got, `A/use {\"n\":2}`) {
				t.Errorf("the answer: %s", got)
			}
		}
		fakeclock.Elapse(PageRequestTimeout)
	})
}

// A page asks several things at once: all belong to the newest call, also where an older one was abandoned.
func TestAskedAtOnce(t *testing.T) {
	inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
		old := c.call(round{id: "1", args: `{"n":1}`})
		h.asks(t.Context(), roots("A"))
		required(t, old())
		fakeclock.Elapse(gathering)
		call := c.call(round{id: "2", args: `{"n":2}`})
		one, two := h.asks(t.Context(), roots("A")), h.asks(t.Context(), sample("A"))
		state, questions := required(t, call())
		if len(questions) != 2 {
			t.Fatalf("asked %s", questions)
		}
		if _, separate := c.(overWeb); separate {
			fakeclock.Elapse(gathering)
			h.wantGiven(h.asks(t.Context(), sample("A")), "carries out calls of several clients")
		}
		last := c.call(round{id: "3", args: `{"n":2}`, state: state, answers: `{"page-1":{"roots":[]},"page-2":{"roots":[]}}`})
		h.wantGiven(one, `{"roots":[]}`)
		h.wantGiven(two, `{"roots":[]}`)
		close(release)
		last()
		fakeclock.Elapse(PageRequestTimeout)
	})
}

// What a tool can't do because its client can't be asked is an error of the protocol's, which names the capability.
func TestMissingCapability(t *testing.T) {
	for _, failing := range []bool{true, false} {
		inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
			h.reaches(func(ctx context.Context, call calls.Call) registry.Result {
				<-release
				if failing {
					return sanitize.ErrorResult("no model here")
				}
				return echo(ctx, call)
			})
			for i, can := range []string{`{"roots":{}}`, `{}`} {
				h.Apply([]registry.Effect{registry.Announce{Text: fmt.Sprintf("Chrome crashed (%d).", i)}})
				call := c.call(round{id: fmt.Sprint(i), can: can})
				h.wantGiven(h.asks(t.Context(), sample("A")), "did not declare")
				release <- struct{}{}
				got := call()
				if failing && (!strings.Contains(got, `"code":-32021`) || !strings.Contains(got, `"requiredCapabilities":{"sampling":{}}`) || !strings.Contains(got, "no model here")) {
					t.Errorf("with %s: %s", can, got)
				}
				if !failing && !strings.Contains(got, "A/use") {
					t.Errorf("a tool that goes on without: %s", got)
				}
			}
			if _, stdio := c.(*overStdio); stdio && failing { // the error could not tell it
				failing = false
				call := c.call(round{id: "2", can: `{}`})
				release <- struct{}{}
				if got := call(); strings.Count(got, "[webmcp-hub: Chrome crashed (1).]") != 1 {
					t.Errorf("the client should be told once: %s", got)
				}
			}
		})
	}
}

func TestPagesAskInRounds(t *testing.T) {
	inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
		form := offer.PageRequest{Server: serverOf("A", 1), Origin: "https://a.test", Method: sanitize.MethodElicitation,
			Params: json.RawMessage(`{"message":"Which size?","requestedSchema":{"type":"object","properties":{"size":{"type":"string"}}}}`)}
		first := c.call(round{id: "1"})
		if got := first(); got != "" {
			t.Fatalf("answered before the page is done: %s", got)
		}
		size := h.asks(t.Context(), form)
		state, questions := required(t, first())
		if len(questions) != 1 || !strings.Contains(string(questions["page-1"]), `"method":"elicitation/create"`) || !strings.Contains(string(questions["page-1"]), `The web page https://a.test, whose tool`) {
			t.Errorf("asked %s", questions)
		}

		// Between two rounds the page may ask more.
		folders := h.asks(t.Context(), roots("A"))
		second := c.call(round{id: "2", state: state, answers: `{"page-1":{"action":"accept","content":{"size":"L"}},"page-9":{}}`})
		h.wantGiven(size, `{"action":"accept","content":{"size":"L"}}`)
		again, questions := required(t, second())
		if again == state {
			t.Error("two rounds have the same state")
		}
		if got := c.call(round{id: "6", state: state, answers: `{"page-2":{"roots":[1]}}`})(); !strings.Contains(got, "is over") {
			t.Errorf("a round that was continued already: %s", got)
		}
		if len(questions) != 1 || !strings.Contains(string(questions["page-2"]), `"method":"roots/list"`) {
			t.Errorf("asked %s", questions)
		}

		// Without an answer it is asked again.
		third := c.call(round{id: "3", state: again, answers: `{"page-2":"nothing"}`})
		again, questions = required(t, third())
		if len(questions) != 1 || questions["page-2"] == nil {
			t.Errorf("asked %s", questions)
		}
		fourth := c.call(round{id: "4", state: again, answers: `{"page-2":{"roots":[]}}`})
		h.wantGiven(folders, `{"roots":[]}`)
		if got := fourth(); got != "" {
			t.Fatalf("answered before the page is done: %s", got)
		}
		release <- struct{}{}
		if got := fourth(); !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, "A/use {}") {
			t.Errorf("the answer: %s", got)
		}
		for _, old := range []string{again, state} {
			if got := c.call(round{id: "5", state: old, answers: `{}`})(); !strings.Contains(got, "what this requestState belongs to is over") {
				t.Errorf("sent once more: %s", got)
			}
		}
	})
}

// A page may name its questions, but not as the hub names others, nor two of them alike.
func TestNamedQuestions(t *testing.T) {
	inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
		call := c.call(round{id: "1"})
		answers := map[string]<-chan given{}
		for _, name := range []string{"size", "size", "page-9", "pins", "approval-2", "two words"} {
			answers[name] = h.asks(t.Context(), offer.PageRequest{Server: serverOf("A", 1), Origin: "https://a.test", Method: sanitize.MethodElicitation,
				Params: json.RawMessage(fmt.Sprintf(`{"message":"?","requestedSchema":{"type":"object","properties":{}},"_meta":{"webmcp-hub/name":%q,"x":1}}`, name))})
			synctest.Wait()
		}
		state, questions := required(t, call())
		if got := slices.Sorted(maps.Keys(questions)); !slices.Equal(got, []string{"page-2", "page-3", "page-4", "page-5", "page-6", "size"}) {
			t.Errorf("asked by the names %s", got)
		}
		again := c.call(round{id: "2", state: state, answers: `{"page-2":{"action":"decline"},"page-3":{"action":"accept"}}`})
		h.wantGiven(answers["page-9"], `{"action":"accept"}`)
		release <- struct{}{}
		again()
	})
}

// A client may send its earlier answers along with later ones. A question that is asked later doesn't get the answer
// of an earlier one of the same name.
func TestARepeatedAnswerAnswersNoLaterQuestion(t *testing.T) {
	inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
		named := func(name string) <-chan given {
			answer := h.asks(t.Context(), offer.PageRequest{Server: serverOf("A", 1), Origin: "https://a.test", Method: sanitize.MethodElicitation,
				Params: json.RawMessage(fmt.Sprintf(`{"message":"?","requestedSchema":{"type":"object","properties":{}},"_meta":{"webmcp-hub/name":%q}}`, name))})
			synctest.Wait()
			return answer
		}
		call := c.call(round{id: "1"})
		first := named("pay")
		state, _ := required(t, call())
		const yes = `"pay":{"action":"accept"}`
		second := c.call(round{id: "2", state: state, answers: `{` + yes + `}`})
		h.wantGiven(first, `{"action":"accept"}`)
		later := named("pay")
		state, questions := required(t, second())
		if got := slices.Sorted(maps.Keys(questions)); !slices.Equal(got, []string{"page-2"}) {
			t.Errorf("asked again by the names %s", got)
		}
		third := c.call(round{id: "3", state: state, answers: `{` + yes + `,"page-2":{"action":"decline"}}`})
		h.wantGiven(later, `{"action":"decline"}`)
		release <- struct{}{}
		third()
	})
}

// Nobody continues what isn't theirs to continue.
func TestRoundsAreBoundToTheirRequest(t *testing.T) {
	inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
		first := c.call(round{id: "1", args: `{"n":1}`})
		done := h.asks(t.Context(), sample("A"))
		state, _ := required(t, first())
		forged := state[:len(state)-2] + "AA"
		for i, r := range []round{
			{args: `{"n":2}`, state: state, answers: `{"page-1":{"said":2}}`},
			{args: `{"n":1}`, state: forged, answers: `{"page-1":{"said":2}}`},
			{args: `{"n":1}`, state: "work.", answers: `{"page-1":{"said":2}}`},
		} {
			r.id = fmt.Sprint(10 + i)
			if got := c.call(r)(); !strings.Contains(got, "does not belong to this request") {
				t.Errorf("%+v: %s", r, got)
			}
		}
		waiting := c.call(round{id: "2", args: `{"n":1}`, state: state, answers: `{"page-1":{"said":1}}`})
		h.wantGiven(done, `{"said":1}`)
		if got := c.call(round{id: "3", args: `{"n":1}`, state: state, answers: `{}`})(); !strings.Contains(got, "is over") {
			t.Errorf("a second request for the same round: %s", got)
		}
		release <- struct{}{}
		if got := waiting(); !strings.Contains(got, `A/use {\"n\":1}`) {
			t.Errorf("the answer: %s", got)
		}
	})
}

// A completion of 2026-07-28 has no rounds. A page that asks during one is told that, whatever the client can answer.
func TestNoQuestionsDuringCompletions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/", "#ask")
		var was error
		h.answer = func(ctx context.Context, _ registry.DocumentRef, _ string, _ func(json.RawMessage)) (json.RawMessage, error) {
			_, was = h.PageRequest(ctx, sample("A"))
			return json.RawMessage(`{"completion":{"values":["tea"]}}`), nil
		}
		c := h.connect(true)
		got := c.one("completion/complete", `{"ref":{"type":"ref/prompt","name":"webmcp_a_test_page0_ask"},"argument":{"name":"a","value":"t"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}`)
		if !strings.Contains(got, `"values":["tea"]`) {
			t.Errorf("the completion: %s", got)
		}
		if was == nil || !strings.Contains(was.Error(), "no questions to clients during a completion") {
			t.Errorf("the page was told %v", was)
		}
		c.hangUp()
	})
}

func TestRoundsEnd(t *testing.T) {
	t.Run("the client can't be asked", func(t *testing.T) {
		inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
			call := c.call(round{id: "1", can: `{}`})
			h.wantGiven(h.asks(t.Context(), sample("A")), "did not declare in its request that it can be asked anything")
			release <- struct{}{}
			call()
			call = c.call(round{id: "2", can: `{"elicitation":{}}`})
			h.wantGiven(h.asks(t.Context(), sample("A")), "did not declare that it supports this")
			release <- struct{}{}
			if got := call(); !strings.Contains(got, "A/use") {
				t.Errorf("the answer: %s", got)
			}
		})
	})
	t.Run("the client doesn't come back", func(t *testing.T) {
		inRounds(t, func(t *testing.T, h *offerHub, c sender, _ chan struct{}) {
			call := c.call(round{id: "1"})
			done := h.asks(t.Context(), sample("A"))
			state, _ := required(t, call())
			fakeclock.Elapse(PageRequestTimeout)
			h.wantGiven(done, "was not answered")
			if got := c.call(round{id: "2", state: state, answers: `{"page-1":{}}`})(); !strings.Contains(got, "is over") {
				t.Errorf("too late: %s", got)
			}
			h.wantGiven(h.asks(t.Context(), sample("A")), "may ask only while it carries out a call")
		})
	})
	t.Run("the page is done meanwhile", func(t *testing.T) {
		inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
			call := c.call(round{id: "1"})
			gone, stop := context.WithCancel(t.Context())
			done := h.asks(gone, sample("A"))
			state, _ := required(t, call())
			stop()
			h.wantGiven(done, "it was cancelled")
			release <- struct{}{}
			synctest.Wait()
			h.wantGiven(h.asks(t.Context(), sample("A")), "may ask only while it carries out a call")
			if got := c.call(round{id: "2", state: state, answers: `{"page-1":{}}`})(); !strings.Contains(got, "A/use {}") {
				t.Errorf("the answer: %s", got)
			}
		})
	})
	t.Run("time", func(t *testing.T) {
		inRounds(t, func(t *testing.T, h *offerHub, c sender, _ chan struct{}) {
			call := c.call(round{id: "1"})
			fakeclock.Elapse(50 * time.Second)
			done := h.asks(t.Context(), sample("A"))
			state, _ := required(t, call())
			fakeclock.Elapse(4 * time.Minute) // people take their time
			call = c.call(round{id: "2", state: state, answers: `{"page-1":{"said":1}}`})
			h.wantGiven(done, `{"said":1}`)
			fakeclock.Elapse(9 * time.Second)
			if got := call(); got != "" {
				t.Fatalf("got %s", got)
			}
			fakeclock.Elapse(time.Second)
			if got := call(); !strings.Contains(got, "time limit of 1m0s is over") {
				t.Errorf("got %s", got)
			}
		}, func(o *Options, _ *registry.Options) { o.CallTimeout = time.Minute })
	})
	t.Run("time while it waits", func(t *testing.T) {
		inRounds(t, func(t *testing.T, h *offerHub, c sender, _ chan struct{}) {
			call := c.call(round{id: "1"})
			gone, stop := context.WithCancel(t.Context())
			done := h.asks(gone, sample("A"))
			state, _ := required(t, call())
			stop()
			h.wantGiven(done, "it was cancelled")
			fakeclock.Elapse(time.Minute)
			if got := c.call(round{id: "2", state: state, answers: `{"page-1":{}}`})(); !strings.Contains(got, "time limit of 1m0s is over") {
				t.Errorf("got %s", got)
			}
		}, func(o *Options, _ *registry.Options) { o.CallTimeout = time.Minute })
	})
	t.Run("too many wait", func(t *testing.T) {
		inRounds(t, func(t *testing.T, h *offerHub, c sender, release chan struct{}) {
			h.works.mu.Lock()
			for i := range maxParked {
				h.works.parked[fmt.Sprint(i)] = &work{}
			}
			h.works.mu.Unlock()
			call := c.call(round{id: "1"})
			done := h.asks(t.Context(), sample("A"))
			gathered()
			h.wantGiven(done, "256 calls wait")
			release <- struct{}{}
			if got := call(); !strings.Contains(got, "A/use") {
				t.Errorf("the answer: %s", got)
			}
			h.works.mu.Lock()
			clear(h.works.parked)
			h.works.mu.Unlock()
		})
	})
}

// A client that leaves, or cancels a round, ends the call in the page.
func TestRoundsAreCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		ended := h.hangs()
		h.page("A", "https://a.test/")
		c := &overStdio{rawClient: h.connect(true)}
		call := c.call(round{id: "1"})
		h.asks(t.Context(), sample("A"))
		state, _ := required(t, call())
		c.call(round{id: "2", state: state, answers: `{"page-1":{}}`})
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancelled") {
			t.Errorf("it ended by %v", err)
		}
		c.expect()

		call = c.call(round{id: "3"})
		h.asks(t.Context(), sample("A"))
		required(t, call())
		c.hangUp()
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "session is over") {
			t.Errorf("it ended by %v", err)
		}
	})
}

// The page's progress goes to the round that waits, with that round's token.
func TestProgressOfRounds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		progress := make(chan func(json.RawMessage), 1)
		release := make(chan struct{})
		h.reaches(func(ctx context.Context, c calls.Call) registry.Result {
			progress <- c.Progress
			<-release
			return echo(ctx, c)
		})
		h.page("A", "https://a.test/")
		c := &overStdio{rawClient: h.connect(true)}
		call := c.call(round{id: "1", token: "one"})
		tell := <-progress
		tell(json.RawMessage(`{"progress":1}`))
		c.expect(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"one","progress":1}}`)
		done := h.asks(t.Context(), sample("A"))
		state, _ := required(t, call())
		tell(json.RawMessage(`{"progress":2}`)) // to nobody
		c.expect()

		// A change of the list waits for no call that waits for its client.
		h.change(offered("A", 1, "note://2"))
		c.expect()

		call = c.call(round{id: "2", token: "two", state: state, answers: `{"page-1":{}}`})
		h.wantGiven(done, `{}`)
		tell(json.RawMessage(`{"progress":3}`))
		c.expect(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"two","progress":3}}`)
		close(release)
		if got := call(); !strings.Contains(got, "A/use") {
			t.Errorf("the answer: %s", got)
		}
		c.hangUp()
	})
}

// What pages log goes to the requests that they carry out and that want it.
func TestLogMessagesOfRounds(t *testing.T) {
	for _, can := range []string{`{}`, `{"sampling":{}}`} {
		bubble(t, func(t *testing.T) {
			release := make(chan struct{})
			h := newOfferHub(t)
			h.reaches(func(ctx context.Context, c calls.Call) registry.Result { <-release; return echo(ctx, c) })
			h.page("A", "https://a.test/")
			say := func(page, level string) {
				h.Apply([]registry.Effect{registry.PageLogged{Server: serverOf(page, 1), Origin: "https://a.test", Params: json.RawMessage(`{"level":"` + level + `","data":"x"}`)}})
			}
			c, none := &overStdio{rawClient: h.connect(true)}, &overStdio{rawClient: h.connect(true)}
			c.call(round{id: "1", can: can, logs: "info"})
			none.call(round{id: "1", can: can})
			say("A", "debug")
			say("B", "error")
			c.expect()
			say("A", "info")
			if got := c.take(); len(got) != 1 || !strings.Contains(got[0], `"method":"notifications/message"`) || !strings.Contains(got[0], `"logger":"https://a.test"`) {
				t.Errorf("got %q", got)
			}
			none.expect()

			w, _ := h.hub.onPipes(t)
			stream := w.listenLater("POST", ask("1", "tools/call", round{can: can, logs: "warning"}.params()), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: webmcp_a_test_page0_use")
			synctest.Wait()
			say("A", "info")
			say("A", "error")
			lines := (<-stream).take()
			if len(lines) != 1 || !strings.Contains(lines[0], `"level":"error"`) {
				t.Errorf("over HTTP: %q", lines)
			}
			close(release)
			synctest.Wait()
			c.hangUp()
			none.hangUp()
		})
	}
}
