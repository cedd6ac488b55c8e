package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/trust/approvals"
)

func askAll(t testing.TB) *Guard {
	return New(Options{Rules: policyOf(t, [2]string{"ask", "*"})})
}

// buying is an action in tab 1 of a client that is asked by a function.
func buying(ask func(ctx context.Context) (string, error)) calls.Action {
	d := calls.Action{
		Who:   calls.Who{Session: "a", Client: "test"},
		Where: calls.Where{Origin: "https://shop.example", Address: "https://shop.example/", Tab: 1, Document: registry.DocumentRef{Page: "P", Frame: "F", Doc: 1}},
		What:  calls.What{Kind: calls.PageTool, Name: "buy", HubName: "webmcp_shop_example_page0_buy", Class: calls.Unknown, Definition: func() string { return "v1" }},
		Args:  json.RawMessage(`{"n":1}`),
	}
	if ask != nil {
		d.Ask = func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			said, err := ask(ctx)
			return json.RawMessage(said), err
		}
	}
	return d
}

func answers(answer string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		return `{"action":"accept","content":{"answer":"` + answer + `"}}`, nil
	}
}

func wantRefused(t *testing.T, no *calls.Refusal, want string) {
	t.Helper()
	if no == nil || !strings.Contains(no.Text, want) {
		t.Errorf("got %+v, want %q", no, want)
	}
}

func TestAPersonIsAsked(t *testing.T) {
	g := askAll(t)
	if no := g.Judge(context.Background(), buying(answers("once"))); no != nil {
		t.Errorf("it was allowed, and refused: %s", no.Text)
	}
	// Once is once.
	wantRefused(t, g.Judge(context.Background(), buying(answers("no"))), "webmcp_shop_example_page0_buy was not carried out: the user refused it.")
	wantRefused(t, g.Judge(context.Background(), buying(func(context.Context) (string, error) { return "", errors.New("the client is gone") })), "could not be asked: the client is gone")
	no := g.Judge(context.Background(), buying(nil))
	if wantRefused(t, no, "a hub that is started with --ui asks on its live page"); strings.Contains(no.Text, "--allow") {
		t.Errorf("the agent is told which rule allows it: %s", no.Text)
	}

	if no := g.Judge(context.Background(), buying(answers("hour"))); no != nil {
		t.Error(no.Text)
	}
	if no := g.Judge(context.Background(), buying(nil)); no != nil {
		t.Errorf("within the hour: %s", no.Text)
	}
	for name, change := range map[string]func(*calls.Action){
		"another definition": func(d *calls.Action) { d.Definition = func() string { return "v2" } },
		"another client":     func(d *calls.Action) { d.Session = "b" },
		"another site":       func(d *calls.Action) { d.Origin = "https://bank.example" },
	} {
		d := buying(nil)
		change(&d)
		if g.Judge(context.Background(), d) == nil {
			t.Errorf("%s is allowed by that answer", name)
		}
	}
	g.ClientGone("a")
	next := buying(nil)
	next.Session = "c"
	if no := g.Judge(context.Background(), next); no != nil {
		t.Errorf("within the hour, in a later session of the client: %s", no.Text)
	}
	next.Client = "other"
	wantRefused(t, g.Judge(context.Background(), next), "can't ask its user")
}

// The choice of a date comes with the day until whose end it holds.
func TestAnAnswerHoldsUntilItsDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := askAll(t)
		now := time.Now()
		tomorrow := now.AddDate(0, 0, 1)
		said := ""
		g.options.Decided = func(d Decision) { said = d.Why }
		date := func(context.Context) (string, error) {
			return `{"action":"accept","content":{"answer":"date","until":"` + tomorrow.Format(time.DateOnly) + `"}}`, nil
		}
		if no := g.Judge(context.Background(), buying(date)); no != nil || said != "the user allowed it: until the end of "+tomorrow.Format(time.DateOnly) {
			t.Errorf("%+v, and the log has %q", no, said)
		}
		end := time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day()+1, 0, 0, 0, 0, now.Location())
		fakeclock.Elapse(end.Sub(now) - time.Second)
		if no := g.Judge(context.Background(), buying(nil)); no != nil {
			t.Errorf("a second before the end of the day: %s", no.Text)
		}
		fakeclock.Elapse(time.Second)
		wantRefused(t, g.Judge(context.Background(), buying(nil)), "can't ask its user")
		wantRefused(t, g.Judge(context.Background(), buying(date)), "the one given is not a date from") // it is over by now
	})
}

// While a question is open, its client can do nothing else in the tab, and others can.
func TestNothingElseIsDoneInATabWhileItsUserIsAsked(t *testing.T) {
	g := New(Options{Rules: policyOf(t, [2]string{"ask", "tool=buy"})})
	tried := 0
	no := g.Judge(context.Background(), buying(func(ctx context.Context) (string, error) {
		for _, kind := range []calls.Kind{calls.BrowserTool, calls.Introspected, calls.PageTool, calls.Resource, calls.PageRequest} {
			d := buying(nil)
			d.Kind, d.Name, d.HubName, d.Class = kind, "click", "click", calls.ReadOnly
			if kind == calls.BrowserTool {
				d.Class = calls.Destructive
			}
			wantRefused(t, g.Judge(ctx, d), "the user is being asked about another call in tab 1")
			d.Session = "b"
			if no := g.Judge(ctx, d); no != nil {
				t.Errorf("another client's %s: %s", kind, no.Text)
			}
			tried++
		}
		look := buying(nil)
		look.Kind, look.Name, look.Class = calls.BrowserTool, "take_snapshot", calls.ReadOnly
		if no := g.Judge(ctx, look); no != nil {
			t.Errorf("looking: %s", no.Text)
		}
		elsewhere := buying(nil)
		elsewhere.Name, elsewhere.Document.Page = "click", "Q"
		if no := g.Judge(ctx, elsewhere); no != nil {
			t.Errorf("in another tab: %s", no.Text)
		}
		return `{"action":"decline"}`, nil
	}))
	wantRefused(t, no, "the user refused it")
	after := buying(nil)
	after.Name = "click"
	if no := g.Judge(context.Background(), after); no != nil || tried != 5 {
		t.Errorf("after the answer: %v, %d were tried", no, tried)
	}
}

// A call ends by its time, its client, or its page's end, and never by accident as allowed.
func TestQuestionsEnd(t *testing.T) {
	waits := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	late := func(ctx context.Context) (string, error) {
		<-ctx.Done() // the answer crosses the end
		return `{"action":"accept","content":{"answer":"once"}}`, nil
	}
	for _, ask := range []func(context.Context) (string, error){waits, late} {
		synctest.Test(t, func(t *testing.T) {
			g := askAll(t)
			began := time.Now()
			wantRefused(t, g.Judge(context.Background(), buying(ask)), "nobody answered in time")
			if took := time.Since(began); took != AnswerTime {
				t.Errorf("it took %v", took)
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(time.Second, func() { cancel(errors.New("the client cancelled the call")) })
			wantRefused(t, g.Judge(ctx, buying(ask)), "the client cancelled the call")

			d := buying(ask)
			d.Ended = func(ctx context.Context) bool {
				select {
				case <-time.After(time.Second):
					return true
				case <-ctx.Done():
					return false
				}
			}
			wantRefused(t, g.Judge(context.Background(), d), "its page has changed, navigated or was closed while the question was open")
			synctest.Wait()
		})
	}
}

const yes = `{"action":"accept","content":{"answer":"once"}}`

// A question names the elements that a browser tool acts on as the page calls them, and an
// answer about one is none about another that its uid stands for by then.
func TestTheQuestionNamesElements(t *testing.T) {
	g := askAll(t)
	var asked string
	click := buying(nil)
	click.Kind, click.Name, click.Args, click.On = calls.BrowserTool, "click", json.RawMessage(`{"uid":"a1"}`), "a1: button \"Approve\nIs this a line of the hub's?\""
	click.Ask = func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		var q struct{ Message string }
		_ = json.Unmarshal(params, &q)
		asked = q.Message
		return json.RawMessage(`{"action":"accept","content":{"answer":"once"}}`), nil
	}
	if no := g.Judge(context.Background(), click); no != nil {
		t.Error(no.Text)
	}
	if !strings.Contains(asked, "acts on what the page calls:\n| a1: button \"Approve\n| Is this a line") {
		t.Errorf("it asks:\n%s", asked)
	}
	other := click
	other.On = `a1: button "Delete all"`
	if binding(click, nil) == binding(other, nil) {
		t.Error("an answer holds for whatever the uid stands for")
	}
}

// A question for which there is no room among those of its client waits for one of them to
// end, and no longer than for an answer.
func TestQuestionsWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := askAll(t)
		asked, release := 0, make(chan string)
		ask := func(ctx context.Context) (string, error) {
			asked++
			select {
			case said := <-release:
				return said, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		ended := make(chan *calls.Refusal, approvals.MaxOpenOf+2)
		for i := range approvals.MaxOpenOf + 2 {
			d := buying(ask)
			d.Document.Page = registry.PageID(fmt.Sprint("P", i))
			go func() { ended <- g.Judge(context.Background(), d) }()
			synctest.Wait()
		}
		if asked != approvals.MaxOpenOf {
			t.Fatalf("%d questions are open", asked)
		}
		release <- yes
		if no := <-ended; no != nil {
			t.Error(no.Text)
		}
		if synctest.Wait(); asked != approvals.MaxOpenOf+1 {
			t.Errorf("%d were asked once one had been answered", asked)
		}
		ctx, cancel := context.WithCancel(context.Background())
		given := buying(ask)
		given.Document.Page = "Q"
		time.AfterFunc(time.Second, cancel)
		wantRefused(t, g.Judge(ctx, given), "too many questions to users are open already (8 of one client")
		for range approvals.MaxOpenOf {
			release <- yes
			if no := <-ended; no != nil {
				t.Error(no.Text)
			}
			synctest.Wait()
		}
		release <- yes // the last one, whose turn has come
		if no := <-ended; no != nil || asked != approvals.MaxOpenOf+2 {
			t.Errorf("%+v, and %d were asked", no, asked)
		}
	})
}
