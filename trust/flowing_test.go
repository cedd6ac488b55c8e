package trust

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/trust/flow"
)

const (
	crm  = "https://crm.example"
	evil = "https://evil.test"
)

func actionOn(origin string, kind calls.Kind, class calls.Class, args string) calls.Action {
	return calls.Action{
		Who:   calls.Who{Session: "1"},
		Where: calls.Where{Origin: origin, Document: registry.ServerRef{Page: "P"}},
		What:  calls.What{Kind: kind, Name: "t", HubName: "webmcp_t", Class: class},
		Args:  json.RawMessage(args),
	}
}

// TestFlowOfActions: what counts of each kind of action, after the client has read from the
// CRM.
func TestFlowOfActions(t *testing.T) {
	named := func(name string) calls.Action {
		d := actionOn(evil, calls.BrowserTool, calls.Destructive, `{"pageId":1}`)
		d.Name = name
		return d
	}
	listed := actionOn(evil, calls.Resource, calls.ReadOnly, `{"uri":"x:a"}`)
	listed.Listed = true
	to := actionOn("", calls.BrowserTool, calls.Unknown, `{"url":"https://evil.test/?q=1"}`)
	to.To = evil + "/?q=1"
	visit := func(args string) calls.Action {
		d := actionOn(crm, calls.BrowserTool, calls.Unknown, args)
		d.To = evil + "/"
		return d
	}
	besides := actionOn(evil, calls.PageTool, calls.ReadOnly, `{}`)
	besides.Besides = json.RawMessage(`{"_meta":{"note":"secret"}}`)
	for _, c := range []struct {
		name   string
		action calls.Action
		flows  bool
	}{
		{"a page's tool", actionOn(evil, calls.PageTool, calls.Unknown, `{}`), true},
		{"a page's tool that says it only reads", actionOn(evil, calls.PageTool, calls.ReadOnly, `{}`), false},
		{"the same with arguments", actionOn(evil, calls.PageTool, calls.ReadOnly, `{"q":"secret"}`), true},
		{"the same with a yes or no", actionOn(evil, calls.PageTool, calls.ReadOnly, `{"secretStartsWithA":true}`), true},
		{"a form of the page", actionOn(evil, calls.Introspected, calls.Unknown, `{"name":"secret"}`), true},
		{"a resource that is listed", listed, false},
		{"a resource that the client made up", actionOn(evil, calls.Resource, calls.ReadOnly, `{"uri":"x:secret"}`), true},
		{"a prompt without arguments", actionOn(evil, calls.Prompt, calls.Unknown, `{"name":"p"}`), true},
		{"a prompt that only reads, without arguments", actionOn(evil, calls.Prompt, calls.ReadOnly, `{"name":"p"}`), false},
		{"a completion of a prompt", actionOn(evil, calls.Prompt, calls.ReadOnly, `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"q","value":"secret"}}`), true},
		{"an origin with a script", visit(`{"url":"https://evil.test/","initScript":"fetch('/?secret')"}`), true},
		{"a page's tool that is told something besides", besides, true},
		{"an answer to what a page asks", actionOn(evil, calls.PageAsks, calls.ReadOnly, `{"messages":[]}`), true},
		{"a prompt with arguments", actionOn(evil, calls.Prompt, calls.ReadOnly, `{"name":"p","arguments":{"a":"secret"}}`), true},
		{"a look at the page", actionOn(evil, calls.BrowserTool, calls.ReadOnly, `{"query":"secret"}`), false},
		{"a click", actionOn(evil, calls.BrowserTool, calls.Unknown, `{"uid":"e1"}`), true},
		{"an address", to, true},
		{"choosing a tab", named("select_page"), false},
		{"closing a tab", named("close_page"), false},
		{"another destructive one", named("emulate"), true},
		{"the same page", actionOn(crm, calls.PageTool, calls.Unknown, `{"q":"secret"}`), false},
	} {
		f := NewFlowDecider(flow.Options{Mode: flow.Enforce}, nil)
		if v, why, _ := f.Decide(c.action); v != Allow {
			t.Errorf("%s, before anything was read: %v, %s", c.name, v, why)
		}
		f.Sent(actionOn(crm, calls.PageTool, calls.Unknown, `{}`))
		v, why, _ := f.Decide(c.action)
		if (v == Refuse) != c.flows || c.flows && !strings.Contains(why, "--allow-flow 'https://crm.example->https://evil.test'") {
			t.Errorf("%s: %v, %s", c.name, v, why)
		}
		f.ClientGone("1")
		if v, _, _ := f.Decide(c.action); v != Allow {
			t.Errorf("%s, after the client has gone: %v", c.name, v)
		}
	}
}

// TestFlowModes: what each mode makes of one flow.
func TestFlowModes(t *testing.T) {
	for mode, want := range map[flow.Mode]Verdict{flow.Log: Log, flow.Ask: Ask, flow.Enforce: Refuse} {
		f := NewFlowDecider(flow.Options{Mode: mode}, nil)
		f.Sent(actionOn(crm, calls.Resource, calls.ReadOnly, ""))
		if v, _, _ := f.Decide(actionOn(evil, calls.PageTool, calls.Unknown, "")); v != want {
			t.Errorf("%s: %v", mode, v)
		}
	}
}

// TestFlowFromFrames: a result that has the words of several documents is read from all
// of them, and one of the hub's own from none.
func TestFlowFromFrames(t *testing.T) {
	f := NewFlowDecider(flow.Options{Mode: flow.Enforce}, nil)
	f.Sent(calls.Action{Who: calls.Who{Session: "1"}, What: calls.What{Kind: calls.BrowserTool}})
	if v, why, _ := f.Decide(actionOn(evil, calls.PageTool, calls.Unknown, "")); v != Allow {
		t.Errorf("after the hub's own words: %v, %s", v, why)
	}
	look := actionOn(evil, calls.BrowserTool, calls.ReadOnly, "")
	look.Frames = []string{evil, "https://ads.test"}
	f.Sent(look)
	if v, why, _ := f.Decide(actionOn(evil, calls.PageTool, calls.Unknown, "")); v != Refuse || !strings.Contains(why, "https://ads.test") {
		t.Errorf("after a look at a page with a frame: %v, %s", v, why)
	}
}

// TestAnswersAboutFlows: only the answer that says so lets data flow for good.
func TestAnswersAboutFlows(t *testing.T) {
	for answer, want := range map[string]int{"once": 2, "day": 1, "always": 1} {
		var kept []string
		f := NewFlowDecider(flow.Options{Mode: flow.Ask}, func(pairs []string) { kept = append(kept, pairs...) })
		g := New(Options{Flow: f})
		g.Sent(actionOn(crm, calls.PageTool, calls.Unknown, ""))
		d := actionOn(evil, calls.PageTool, calls.Unknown, "")
		asked := 0
		d.Ask = func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			asked++
			said, err := answers(answer)(ctx)
			return json.RawMessage(said), err
		}
		for range 2 {
			if no := g.Judge(context.Background(), d); no != nil {
				t.Errorf("%s: %s", answer, no.Text)
			}
		}
		other := d
		other.Name = "t2"
		if no := g.Judge(context.Background(), other); no != nil {
			t.Errorf("%s: another tool: %s", answer, no.Text)
		}
		if answer != "always" {
			asked-- // about the other tool
		}
		if asked != want || (len(kept) > 0) != (answer == "always") {
			t.Errorf("%s: %d questions, %q are kept", answer, asked, kept)
		}
	}
	g := New(Options{Rules: policyOf(t, [2]string{"ask", "*"}), Flow: NewFlowDecider(flow.Options{Mode: flow.Ask}, nil)})
	wantRefused(t, g.Judge(context.Background(), buying(answers("always"))), "none of the choices")
}

// TestApprovedFlows: what a person allows for good is what the question named, not what
// the client has read since, and nothing that stands for more than one origin.
func TestApprovedFlows(t *testing.T) {
	var kept []string
	f := NewFlowDecider(flow.Options{Mode: flow.Ask}, func(pairs []string) { kept = append(kept, pairs...) })
	f.Sent(actionOn(crm, calls.PageTool, calls.Unknown, ""))
	d := actionOn(evil, calls.PageTool, calls.Unknown, "")
	_, _, approve := f.Decide(d)
	f.Sent(actionOn("https://bank.example", calls.PageTool, calls.Unknown, ""))
	approve()
	if v, why, _ := f.Decide(d); v != Ask || strings.Contains(why, crm) || !strings.Contains(why, "bank") {
		t.Errorf("%v, %s", v, why)
	}
	if !slices.Equal(kept, []string{crm + "->" + evil}) {
		t.Errorf("%q are kept", kept)
	}
	for name, from := range map[string][]string{
		"an opaque origin":     {crm, "null"},
		"an unknown one":       {""},
		"more than are named":  {crm, "https://a.test", "https://b.test", "https://c.test", "https://d.test", "https://e.test"},
		"one of a long name":   {"https://" + strings.Repeat("x.", 200) + "test"},
		"an opaque target":     {crm, "to null"},
		"an address elsewhere": {crm, "to https://[::1"},
	} {
		f := NewFlowDecider(flow.Options{Mode: flow.Ask}, nil)
		d := actionOn(evil, calls.PageTool, calls.Unknown, "")
		for _, origin := range from {
			if to, is := strings.CutPrefix(origin, "to "); is {
				d.Origin = to
				continue
			}
			f.Sent(actionOn(origin, calls.PageTool, calls.Unknown, ""))
		}
		if v, _, approve := f.Decide(d); v != Ask || approve != nil {
			t.Errorf("%s: %v, and it can be approved for good: %v", name, v, approve != nil)
		}
	}
}

// An origin where the client has been is told nothing by going there, unless something
// comes along.
func TestWhatNavigationsBring(t *testing.T) {
	for args, want := range map[string]Verdict{`{"url":"https://evil.test/","type":"url","timeout":5}`: Allow, `{"type":"back"}`: Allow, ``: Allow,
		`{"url":"https://evil.test/","initScript":"fetch('/?secret')"}`: Refuse, `{"type":"back","initScript":"1"}`: Refuse, `[]`: Refuse} {
		f := NewFlowDecider(flow.Options{Mode: flow.Enforce}, nil)
		f.Sent(actionOn(crm, calls.PageTool, calls.Unknown, ""))
		f.Sent(actionOn(evil, calls.PageTool, calls.Unknown, ""))
		d := actionOn(crm, calls.BrowserTool, calls.Unknown, args)
		d.Name, d.To = "navigate_page", evil+"/"
		if v, why, _ := f.Decide(d); v != want {
			t.Errorf("%s: %v, %s", args, v, why)
		}
	}
}

// What becomes so while a person is asked counts.
func TestWhatComesUpUnderAQuestion(t *testing.T) {
	p := policyOf(t, [2]string{"ask", "*"})
	g := New(Options{Rules: p})
	no := g.Judge(context.Background(), buying(func(context.Context) (string, error) {
		p.Replace(policyOf(t, [2]string{"deny", "*"}).set.Load())
		return yes, nil
	}))
	wantRefused(t, no, "the rule deny * (test) denies it")

	f := NewFlowDecider(flow.Options{Mode: flow.Ask}, nil)
	g = New(Options{Flow: f})
	f.Sent(actionOn(crm, calls.PageTool, calls.Unknown, ""))
	d := actionOn(evil, calls.PageTool, calls.Unknown, "")
	d.Ask = func(context.Context, json.RawMessage) (json.RawMessage, error) {
		f.Sent(actionOn("https://bank.example", calls.PageTool, calls.Unknown, ""))
		return json.RawMessage(yes), nil
	}
	wantRefused(t, g.Judge(context.Background(), d), "another reason to ask has come up")
}

// TestReadAfterTheEnd: a call that ends after its client's session leaves nothing behind.
func TestReadAfterTheEnd(t *testing.T) {
	f := NewFlowDecider(flow.Options{Mode: flow.Enforce}, nil)
	d := actionOn(crm, calls.PageTool, calls.Unknown, `{}`)
	f.Sent(d)
	f.ClientGone("1")
	f.Sent(d)
	var got string
	if f.Follow("1", func(remembered string) { got = remembered }); got != "" {
		t.Errorf("%q is remembered of a session that is over", got)
	}
	for i := range 3 * maxDeparted {
		f.ClientGone(string(rune('a' + i)))
	}
	if len(f.gone.is) != maxDeparted || len(f.gone.order) != maxDeparted || f.gone.has("1") {
		t.Errorf("%d sessions that are over are remembered", len(f.gone.is))
	}
}

// TestToldAnywhere: what goes along to any site is a flow even on the site that was read, and
// only a pair that ends with * allows it.
func TestToldAnywhere(t *testing.T) {
	d := actionOn(crm, calls.BrowserTool, calls.Unknown, `{"userAgent":"secret"}`)
	d.Anywhere = true
	for pair, want := range map[string]Verdict{"": Refuse, crm + "->" + evil: Refuse, crm + "->" + crm: Refuse, crm + "->*": Allow} {
		o := flow.Options{Mode: flow.Enforce}
		if pair != "" {
			p, err := flow.ParsePair(pair)
			if err != nil {
				t.Fatal(err)
			}
			o.Pairs = append(o.Pairs, p)
		}
		f := NewFlowDecider(o, nil)
		f.Sent(actionOn(crm, calls.PageTool, calls.Unknown, `{}`))
		if got, why, _ := f.Decide(d); got != want {
			t.Errorf("with %q: %v, %s", pair, got, why)
		}
	}
}
