package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// stepOut is a step in the structured result of call_webmcp_tools, and stepsOut all of it.
type (
	stepOut struct {
		Step, Tab                 int
		As, Outcome, Origin, Text string
		Why                       string
		Result                    json.RawMessage
	}
	stepsOut struct {
		Steps    []stepOut
		Returned map[string]json.RawMessage
		Missing  map[string]string
	}
)

func stepsLine(id string, args string) string { return callLine(id, "call_webmcp_tools", args) }

// batch calls call_webmcp_tools and gives what it answers, and its text.
func (c *rawClient) batch(args string) (out stepsOut, text string) {
	c.t.Helper()
	c.send(stepsLine("1", args))
	for range 20 {
		for _, line := range c.take() {
			if strings.HasPrefix(line, `{"jsonrpc":"2.0","id":1,`) {
				return stepsAnswer(c.t, line)
			}
		}
		fakeclock.Elapse(10 * time.Second)
	}
	c.t.Fatal("call_webmcp_tools was not answered")
	return out, ""
}

func stepsAnswer(t testing.TB, line string) (out stepsOut, text string) {
	t.Helper()
	var answer outcome
	if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Error != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if answer.Result.StructuredContent != nil {
		if err := json.Unmarshal(answer.Result.StructuredContent, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out, said(t, line)
}

// short are the steps' outcomes in short.
func (o stepsOut) short() string {
	var all []string
	for _, s := range o.Steps {
		all = append(all, s.Outcome)
	}
	return strings.Join(all, ", ")
}

func TestSteps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(_ context.Context, c calls.Call) registry.Result {
			switch c.Tool.Route.Tool {
			case "fail":
				return sanitize.ErrorResult("it is closed today")
			case "say":
				return sanitize.TextResult("hello")
			}
			return sanitize.NativeResult(json.RawMessage(`{"at":"` + string(c.Tool.Route.Page) + `","got":` + string(c.Args) + `}`))
		})
		h.page("A", "https://shop.test/", "cart", "fail", "say")
		h.page("B", "https://post.test/", "send", `strict {"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
		c := h.connect(true)
		c.handshake()

		out, text := c.batch(`{"steps":[{"tool":"webmcp_shop_test_page0_cart","arguments":{"n":1},"as":"cart"},{"tool":"send","arguments":{"n":{"$ref":"cart.got.n"}}},{"tool":"say"}]}`)
		if out.short() != "ok, ok, ok" || string(out.Steps[1].Result) != `{"at":"B","got":{"n":1}}` || out.Steps[1].Text != "" || out.Steps[2].Text != "hello" || out.Steps[1].Tab != 2 || out.Steps[1].Origin != "https://post.test" {
			t.Errorf("%+v", out)
		}
		want := "step 0 (cart): ok, tab 1, https://shop.test\n{\"at\":\"A\",\"got\":{\"n\":1}}\nstep 1: ok, tab 2, https://post.test\n{\"at\":\"B\",\"got\":{\"n\":1}}\nstep 2: ok, tab 1, https://shop.test\nhello"
		if text != want {
			t.Errorf("the text is\n%s\nwant\n%s", text, want)
		}

		out, text = c.batch(`{"steps":[{"tool":"cart","as":"cart"},{"tool":"say","as":"word"}],"return":["cart.at","word","cart.gone.x"]}`)
		if string(out.Returned["cart.at"]) != `"A"` || string(out.Returned["word"]) != `"hello"` || !strings.Contains(out.Missing["cart.gone.x"], `cart has no member "gone"; it has at, got`) || out.Steps[0].Result != nil {
			t.Errorf("%+v", out)
		}
		if !strings.HasPrefix(text, "step 0 (cart): ok, tab 1, https://shop.test\nstep 1 (word): ok, tab 1, https://shop.test\ncart.at: \"A\"\nword: \"hello\"\ncart.gone.x: nothing: ") {
			t.Errorf("the text is %s", text)
		}

		const failing = `"steps":[{"tool":"fail","as":"f"},{"tool":"cart","arguments":{"x":{"$ref":"f"}}},{"tool":"send"}]`
		out, text = c.batch(`{` + failing + `}`)
		if !strings.HasPrefix(text, "error: step 0 (f): error, tab 1, https://shop.test\nit is closed today\nstep 1: not run: it needs the result of step 0 (f), which has none\nstep 2: ") || out.Steps[0].Why != "it is closed today" {
			t.Errorf("%s %+v", text, out)
		}
		if out, text = c.batch(`{` + failing + `,"stopOn":"never"}`); out.short() != "error, not run, ok" || strings.HasPrefix(text, "error: ") {
			t.Errorf("%s %+v", text, out)
		}

		for args, want := range map[string]string{
			`{"steps":[]}`: "No step was run: there are no steps.",
			`{}`:           "The arguments don't match the tool's schema: /steps: is required but missing. No step was run.",
			`{"steps":[{"tool":"cart","args":{"n":1}}]}`:                                     `The arguments can't be read (json: unknown field "args")`,
			`{"steps":[{"tool":"cart"}],"stopOn":"sometimes"}`:                               "/stopOn: expected one of",
			`{"steps":[{"tool":"cart","arguments":"{}"}]}`:                                   "/steps/0/arguments: expected object, got string.",
			`{"steps":[{"tool":"cart"},{"tool":"call_webmcp_tools"}]}`:                       "No step was run: step 1 is call_webmcp_tools itself",
			`{"steps":[{"tool":"cart"},{"tool":"send","arguments":{"x":{"$ref":"carts"}}}]}`: `No step was run: step 1: "carts" begins with no step's name.`,
		} {
			if _, text := c.batch(args); !strings.HasPrefix(text, "error: ") || !strings.Contains(text, want) {
				t.Errorf("%s: %s", args, text)
			}
		}
		// What one step does wrong is told of that step.
		for step, want := range map[string]string{
			`{"tool":"nothing"}`:                                 "no tool is called nothing",
			`{"tool":"strict","arguments":{"n":"x"}}`:            "/n: expected integer, got string",
			`{"tool":"strict","arguments":{"n":{"$ref":"0.y"}}}`: `0 has no member "y"; it has at, got`,
			`{"tool":"webmcp_gone_test_page9_x"}`:                "no tool is called webmcp_gone_test_page9_x",
		} {
			if out, text := c.batch(`{"steps":[{"tool":"cart"},` + step + `]}`); out.short() != "ok, error" || !strings.Contains(text, want) || !strings.Contains(out.Steps[1].Why, want) {
				t.Errorf("%s: %s %+v", step, text, out)
			}
		}
		c.hangUp()
	})
}

// Steps on one tab wait for each other, those on different tabs don't, and a step that is
// the hub's own has the others end first.
func TestStepsSideBySide(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		note := func(s string) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, s)
		}
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			name := c.Tool.Name[len("webmcp_"):]
			note("+" + name)
			fakeclock.Pause(time.Second)
			note("-" + name)
			return sanitize.TextResult("done")
		})
		h.page("A", "https://a.test/", "x", "y")
		h.page("B", "https://b.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.batch(`{"steps":[{"tool":"webmcp_a_test_page0_x"},{"tool":"webmcp_a_test_page0_y"},{"tool":"webmcp_b_test_page1_x"}]}`)
		slices.Sort(log[:2])
		if want := []string{"+a_test_page0_x", "+b_test_page1_x"}; !slices.Equal(log[:2], want) || log[4] != "+a_test_page0_y" && log[3] != "+a_test_page0_y" {
			t.Errorf("%q", log)
		}
		log = nil
		c.batch(`{"steps":[{"tool":"webmcp_a_test_page0_x"},{"tool":"list_webmcp_tools"},{"tool":"webmcp_b_test_page1_x"}]}`)
		if want := []string{"+a_test_page0_x", "-a_test_page0_x", "+b_test_page1_x", "-b_test_page1_x"}; !slices.Equal(log, want) {
			t.Errorf("%q", log)
		}
		c.hangUp()
	})
}

// A step whose tool goes with a navigation says so, and stops what depends on it. One
// whose tool comes with the navigation waits for it.
func TestStepsAcrossNavigations(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, nil)
		h.reaches(func(_ context.Context, c calls.Call) registry.Result {
			if c.Tool.Route.Tool == "leave" {
				h.change(navigated("A", 2, "https://a.test/next"))
				go func() {
					fakeclock.Pause(time.Second)
					h.change(tools("A", 2, "arrive"))
				}()
			}
			return sanitize.TextResult("did " + c.Tool.Route.Tool)
		})
		h.page("A", "https://a.test/", "leave", "stay")
		h.page("B", "https://b.test/", "other")
		c := h.connect(true)
		c.handshake()
		c.list()
		out, text := c.batch(`{"steps":[{"tool":"webmcp_a_test_page0_leave"},{"tool":"webmcp_a_test_page0_stay","as":"s"},{"tool":"other","arguments":{"x":{"$ref":"s"}}},{"tool":"webmcp_a_test_page0_arrive"},{"tool":"other"}],"stopOn":"never"}`)
		if out.short() != "ok, error, not run, ok, ok" || !strings.Contains(out.Steps[1].Why, "webmcp_a_test_page0_stay is gone") || out.Steps[2].Why != "it needs the result of step 1 (s), which has none" {
			t.Errorf("%s\n%+v", text, out)
		}
		c.hangUp()
	})
}

// Cancelling ends the steps that run and begins no more; progress names the steps.
func TestStepsCancelledAndProgress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var ended []string
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			if c.Tool.Route.Tool == "quick" {
				if c.Progress != nil {
					c.Progress(json.RawMessage(`{"progress":1,"total":2,"message":"halfway"}`))
				}
				return sanitize.TextResult("quick")
			}
			<-ctx.Done()
			mu.Lock()
			defer mu.Unlock()
			ended = append(ended, fmt.Sprint(c.Tool.Route.Page, " ", context.Cause(ctx)))
			return registry.Result{}
		})
		h.page("A", "https://a.test/", "quick", "slow")
		h.page("B", "https://b.test/", "slow")
		c := h.connect(true)
		c.handshake()
		const slow = `{"steps":[{"tool":"quick","as":"first"},{"tool":"webmcp_a_test_page0_slow"},{"tool":"webmcp_b_test_page1_slow"},{"tool":"quick"}]}`
		c.send(strings.Replace(stepsLine("7", slow), `"params":{`, `"params":{"_meta":{"progressToken":"p"},`, 1))
		all := strings.Join(c.take(), "\n")
		if !strings.Contains(all, `"progress":1,"total":4,"message":"1 of 4 steps done; waiting for step 1, webmcp_a_test_page0_slow; step 2, webmcp_b_test_page1_slow"`) {
			t.Errorf("progress: %s", all)
		}
		fakeclock.Elapse(6 * time.Second)
		// The whole call and its steps beat at the same moment, and the newest is what is read.
		if beat := strings.Join(c.take(), "\n"); !strings.Contains(beat, "waiting for ") || !strings.Contains(beat, "step ") || !strings.Contains(beat, "(5s)") {
			t.Errorf("the heartbeat: %s", beat)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		c.expect()
		slices.Sort(ended)
		if want := []string{"A the client cancelled the call", "B the client cancelled the call"}; !slices.Equal(ended, want) {
			t.Errorf("%q", ended)
		}
		// A step's time limit is its own.
		ended = nil
		out, _ := c.batch(`{"steps":[{"tool":"webmcp_a_test_page0_slow"},{"tool":"webmcp_b_test_page1_slow"},{"tool":"quick"}],"stopOn":"never"}`)
		if out.short() != "error, error, ok" || !strings.Contains(out.Steps[0].Why, "1m0s") {
			t.Errorf("%+v", out)
		}
		c.hangUp()
	})
}

// Each step is judged, recorded and told of as a call of its own, and a page's words are
// marked in the answer, in its text and in its structured content, but not in what other steps
// take of it.
func TestStepsAreOverseen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{decide: func(d calls.Action) string {
			if d.Name == "pay" {
				return "paying is not allowed."
			}
			return ""
		}}
		var mu sync.Mutex
		var records []string
		h := newHub(t, func(_ context.Context, c calls.Call) registry.Result {
			return sanitize.TextResult(`{"id":"7"}`)
		}, func(o *Options, _ *registry.Options) {
			o.Trust = j
			o.Called = func(r calls.Record) {
				mu.Lock()
				defer mu.Unlock()
				if r.Steps != nil {
					r.Args = nil
				}
				records = append(records, fmt.Sprintf("%s %s %s %q", r.Name, r.Args, r.Outcome, r.Steps))
			}
		})
		h.page("A", "https://a.test/", "look", "pay")
		c := h.connect(true)
		c.handshake()
		out, text := c.batch(`{"steps":[{"tool":"look","as":"l"},{"tool":"look","arguments":{"id":{"$ref":"l.id"}}},{"tool":"pay"}]}`)
		if out.short() != "ok, ok, error" || !strings.Contains(out.Steps[2].Why, "paying is not allowed") {
			t.Errorf("%+v", out)
		}
		j.want(t, "page look unknown https://a.test  {}", "sent look https://a.test", `page look unknown https://a.test  {"id":"7"}`, "sent look https://a.test", "page pay unknown https://a.test  {}")
		if n := strings.Count(text, "[webmcp-hub: a page's words]"); n != 2 || out.Steps[0].Text != "{\"id\":\"7\"}\n[webmcp-hub: a page's words]" {
			t.Errorf("%d marks in %s", n, text)
		}
		if want := []string{`look  ok []`, `look {"id":"7"} ok []`, `pay  refused []`, `call_webmcp_tools  error ["ok" "ok" "refused"]`}; !slices.Equal(records, want) {
			t.Errorf("%q", records)
		}
		// The page was never asked: by a rule, by what a step takes of another, or because none was begun.
		for args, want := range map[string]string{
			`{"steps":[{"tool":"look","as":"l"},{"tool":"look","arguments":{"x":{"$ref":"l.no"}}},{"tool":"look"}]}`: `error ["ok" "error" "not run"]`,
			`{"steps":[{"tool":"pay"},{"tool":"look"}],"stopOn":"never"}`:                                            `ok ["refused" "ok"]`,
			`{"steps":[{"tool":"look"},{"tool":"look"}]}`:                                                            `ok ["ok" "ok"]`,
			`{"steps":[{"tool":"pay"},{"tool":"look"}]}`:                                                             `refused ["refused" "not run"]`,
			`{"steps":[]}`: `refused []`,
		} {
			if c.batch(args); !strings.HasSuffix(records[len(records)-1], want) {
				t.Errorf("%s: %s, want %s", args, records[len(records)-1], want)
			}
		}
		j.heard()
		if out, text = c.batch(`{"steps":[{"tool":"look","as":"l"}],"return":["l.id"]}`); string(out.Returned["l.id"]) != `"7"` || !strings.Contains(text, "l.id: \"7\"\n[webmcp-hub: a page's words]") {
			t.Errorf("%s %+v", text, out)
		}
		c.hangUp()
	})
}

// A page's question during a step goes to the client, and the step's time stands still;
// a step that panics fails alone.
func TestStepsThatAskAndPanic(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, nil)
		h.reaches(func(ctx context.Context, c calls.Call) registry.Result {
			switch c.Tool.Route.Tool {
			case "panic":
				panic("it broke")
			case "ask":
				said, err := h.PageRequest(ctx, offer.PageRequest{Server: c.Tool.Route.Document(), Method: sanitize.MethodElicitation, Params: json.RawMessage(`{"message":"Size?","requestedSchema":{"type":"object","properties":{}}}`)})
				return sanitize.TextResult(fmt.Sprintf("%s %v", said, err))
			}
			return sanitize.TextResult("fine")
		})
		h.page("A", "https://a.test/", "ask", "fine")
		h.page("B", "https://b.test/", "panic", "ok")
		c := h.connect(true)
		c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1), initialized)
		c.take()
		c.send(stepsLine("1", `{"steps":[{"tool":"ask"},{"tool":"fine"},{"tool":"panic"},{"tool":"ok"}],"stopOn":"never"}`))
		lines := c.take()
		var question struct{ ID, Method string }
		if len(lines) != 1 || json.Unmarshal([]byte(lines[0]), &question) != nil || question.Method != sanitize.MethodElicitation {
			t.Fatalf("%q", lines)
		}
		fakeclock.Elapse(2 * time.Minute)
		c.expect()
		c.send(`{"jsonrpc":"2.0","id":"` + question.ID + `","result":{"action":"decline"}}`)
		lines = c.take()
		if len(lines) != 1 {
			t.Fatalf("%q", lines)
		}
		if out, _ := stepsAnswer(t, lines[0]); out.short() != "ok, ok, error, ok" || out.Steps[0].Text != `{"action":"decline"} <nil>` || !strings.Contains(out.Steps[2].Why, "The hub failed at panic") {
			t.Errorf("%+v", out)
		}
		c.hangUp()
	})
}

// permission is a Trust that has a person asked before what it is told is done.
type permission struct {
	judge
	before string
}

func (a *permission) Judge(ctx context.Context, d calls.Action) *calls.Refusal {
	if d.Name != a.before {
		return nil
	}
	if d.Ask == nil {
		return &calls.Refusal{Text: "nobody can be asked"}
	}
	said, err := d.Ask(ctx, json.RawMessage(`{"message":"May it?","requestedSchema":{"type":"object","properties":{}}}`))
	if err != nil || !strings.Contains(string(said), "accept") {
		return &calls.Refusal{Text: fmt.Sprintf("the user said %s (%v)", said, err)}
	}
	return nil
}

// A step that chooses a tab has the steps after it mean that one's tools, and so do calls
// after the batch.
func TestStepsInFocusMode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.FocusedTab)
		c := h.connect(true)
		c.handshake()
		for _, line := range []string{callLine("1", "connect_browser", `{}`), callLine("1", "focus_tab", `{"tabId":1}`)} {
			c.send(line)
			c.take()
		}
		c.list()
		out, text := c.batch(`{"steps":[{"tool":"focus_tab","arguments":{"tabId":2}},{"tool":"search"}]}`)
		if out.short() != "ok, ok" || out.Steps[1].Text != "B/search {}" {
			t.Errorf("%s", text)
		}
		if got := c.call("search", `{}`); got != "B/search {}" {
			t.Errorf("after it: %s", got)
		}
		c.hangUp()
	})
}

// A client that lists the tools by a step has read them; by a step whose result it isn't
// given it has not.
func TestStepsThatList(t *testing.T) {
	for what, want := range map[string]string{``: "error: Page 0 is another page now", `,"return":["0.x"]`: "B/buy"} {
		bubble(t, func(t *testing.T) {
			h := newHub(t, echo)
			h.page("A", "https://a.test/", "buy")
			h.page("B", "https://b.test/", "buy")
			c := h.connect(true)
			c.handshake()
			c.batch(`{"steps":[{"tool":"list_webmcp_tools"}]` + what + `}`)
			h.change(registry.PageClosed{Page: "A"})
			c.take()
			if got := c.call("call_webmcp_tool", `{"name":"buy","page":0}`); !strings.HasPrefix(got, want) {
				t.Errorf("%q: %s, want %s", what, got, want)
			}
			c.hangUp()
		})
	}
}

// What steps take of a page's result is without the hub's notices.
func TestStepsTakeWhatThePageSaid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, func(_ context.Context, c calls.Call) registry.Result {
			if c.Tool.Route.Tool == "give" {
				return sanitize.TextResult(`{"id":"7"}`)
			}
			return sanitize.TextResult(string(c.Args))
		})
		h.page("A", "https://a.test/", "take", `give {"type":"object","properties":{"code":{"type":"string","pattern":"^a"}}}`)
		c := h.connect(true)
		c.handshake()
		out, text := c.batch(`{"steps":[{"tool":"give","as":"a","arguments":{"code":"x"}},{"tool":"take","arguments":{"id":{"$ref":"a.id"}}}]}`)
		if out.short() != "ok, ok" || out.Steps[1].Text != `{"id":"7"}` || !strings.Contains(text, "don't match its schema") {
			t.Errorf("%s", text)
		}
		c.hangUp()
	})
}

// A client of protocol 2026-07-28 is asked about steps by a result that asks for input,
// while the other steps go on, and gets the answer to the whole in a later round.
func TestStepsThatAskInRounds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		a := &permission{before: "pay"}
		h := newHub(t, func(_ context.Context, c calls.Call) registry.Result {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, c.Tool.Route.Tool)
			return sanitize.TextResult("did " + c.Tool.Route.Tool)
		}, func(o *Options, _ *registry.Options) { o.Trust = a })
		h.page("A", "https://a.test/", "pay", "thank")
		h.page("B", "https://b.test/", "look")
		c := &overStdio{rawClient: h.connect(true)}
		const args = `{"steps":[{"tool":"pay"},{"tool":"thank"},{"tool":"look"}]}`
		send := func(id, state, answers string) string {
			r := round{id: id, args: args, state: state, answers: answers}
			c.send(ask(id, "tools/call", strings.Replace(r.params(), "webmcp_a_test_page0_use", "call_webmcp_tools", 1)))
			gathered()
			return strings.Join(c.take(), "\n")
		}
		state, questions := required(t, send("1", "", ""))
		if want := []string{"look"}; !slices.Equal(log, want) || len(questions) != 1 {
			t.Errorf("while the user is asked, %q ran; the questions: %s", log, questions)
		}
		answers := ""
		for key := range questions {
			answers = `{"` + key + `":{"action":"accept","content":{}}}`
		}
		line := send("2", state, answers)
		if out, _ := stepsAnswer(t, line); out.short() != "ok, ok, ok" || !strings.Contains(line, `"resultType":"complete"`) {
			t.Errorf("%s", line)
		}
		if want := []string{"look", "pay", "thank"}; !slices.Equal(log, want) {
			t.Errorf("%q ran", log)
		}
		c.hangUp()
	})
}
