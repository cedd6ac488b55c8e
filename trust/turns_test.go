package trust

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/trust/approvals"
)

// busy opens as many questions of a client as it may have, each about a tab of its own. Each
// answer that is sent to release ends one of them; rest sends yes to those that are left.
func busy(g *Guard) (release chan string, rest func()) {
	release = make(chan string)
	var open atomic.Int32
	for i := range approvals.MaxOpenOf {
		d := buying(func(ctx context.Context) (string, error) { return <-release, nil })
		d.Document.Page = registry.PageID(fmt.Sprint("busy", i))
		open.Add(1)
		go func() {
			defer open.Add(-1)
			g.Judge(context.Background(), d)
		}()
	}
	synctest.Wait()
	return release, func() {
		for synctest.Wait(); open.Load() > 0; synctest.Wait() {
			release <- yes
		}
	}
}

// ninth judges one more action of that client, about which its user can't be asked yet.
func ninth(t *testing.T, g *Guard, d calls.Action) (over chan *calls.Refusal) {
	t.Helper()
	over = make(chan *calls.Refusal, 1)
	go func() { over <- g.Judge(context.Background(), d) }()
	if synctest.Wait(); len(over) > 0 {
		t.Fatalf("it doesn't wait: %+v", <-over)
	}
	return over
}

// A question that waits for its turn ends with its page, as one that is open does.
func TestAQuestionThatWaitsEndsWithItsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := askAll(t)
		_, rest := busy(g)
		gone := make(chan struct{})
		d := buying(answers("once"))
		d.Ended = func(ctx context.Context) bool {
			select {
			case <-gone:
				return true
			case <-ctx.Done():
				return false
			}
		}
		over := ninth(t, g, d)
		close(gone) // its tab is closed
		if synctest.Wait(); len(over) == 0 {
			t.Error("it waits on")
		}
		rest()
		wantRefused(t, <-over, "its page has changed, navigated or was closed before the question's turn came")
	})
}

// What the user has allowed for an hour while a question about the same waits isn't asked.
func TestAnAnswerServesTheQuestionsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := askAll(t)
		release, rest := busy(g)
		over := ninth(t, g, buying(func(context.Context) (string, error) {
			t.Error("the user is asked again")
			return yes, nil
		}))
		release <- `{"action":"accept","content":{"answer":"hour"}}` // for this tool of this site
		if synctest.Wait(); len(over) == 0 {
			t.Error("it waits on")
		}
		rest()
		if no := <-over; no != nil {
			t.Error(no.Text)
		}
	})
}

// Questions that end with their client, or that somebody else answers make room, too. Those about pins wait for it as
// any other.
func TestAllThatMakesRoom(t *testing.T) {
	who := calls.Who{Session: "a", Client: "test"}
	for name, makes := range map[string]func(g *Guard){
		"close": func(g *Guard) { g.CloseQuestion("3", who) },
		"gone":  func(g *Guard) { g.ClientGone("a") },
	} {
		for what, asks := range map[string]func(g *Guard) (no string){
			"a call":      func(g *Guard) string { return textOf(g.Judge(context.Background(), buying(answers("once")))) },
			"about a pin": func(g *Guard) string { return g.OpenQuestion(context.Background(), "pin", who, "P") },
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := askAll(t)
					for i := range approvals.MaxOpenOf {
						if why := g.OpenQuestion(context.Background(), fmt.Sprint(i), who, registry.PageID(fmt.Sprint("busy", i))); why != "" {
							t.Fatal(why)
						}
					}
					said := make(chan string, 1)
					go func() { said <- asks(g) }()
					if synctest.Wait(); len(said) > 0 {
						t.Fatalf("it doesn't wait: %s", <-said)
					}
					if makes(g); true {
						synctest.Wait()
					}
					if len(said) == 0 {
						t.Error("it waits on")
					}
					if no := <-said; no != "" {
						t.Error(no)
					}
				})
			})
		}
	}
}

func textOf(no *calls.Refusal) string {
	if no == nil {
		return ""
	}
	return no.Text
}

// What the user has allowed for an hour in one browser they haven't in another.
func TestAnswersAreOfTheirBrowser(t *testing.T) {
	g := askAll(t)
	in := func(browser string, ask func(context.Context) (string, error)) *calls.Refusal {
		d := buying(ask)
		d.Browser, d.Document.Page = browser, registry.PageID(browser+"/P")
		return g.Judge(context.Background(), d)
	}
	if no := in("test", answers("hour")); no != nil {
		t.Fatal(no.Text)
	}
	if no := in("test", nil); no != nil {
		t.Error(no.Text)
	}
	for _, other := range []string{"production", ""} {
		wantRefused(t, in(other, nil), "can't ask its user")
	}
	g.ClientGone("a")
	later := buying(nil)
	later.Session, later.Browser = "b", "production"
	wantRefused(t, g.Judge(context.Background(), later), "can't ask its user")
	if later.Browser = "test"; g.Judge(context.Background(), later) != nil {
		t.Error("a later session hasn't the answer about its browser")
	}
}
