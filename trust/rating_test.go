package trust

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
)

func TestRates(t *testing.T) {
	if NewRateDecider(0, 0, 0) != nil {
		t.Error("there are limits without any")
	}
	synctest.Test(t, func(t *testing.T) {
		var told []string
		g := New(Options{Rates: NewRateDecider(3, 4, 2), Decided: func(d Decision) { told = append(told, d.By+" "+d.Verdict.String()+": "+d.Why) }})
		try := func(d calls.Action) *calls.Refusal { return g.Judge(context.Background(), d) }
		buy, look, other := buying(nil), buying(nil), buying(nil)
		look.Name, other.Session = "look", "b"
		for range 2 {
			if no := try(buy); no != nil {
				t.Errorf("two calls are too many: %s", no.Text)
			}
		}
		fakeclock.Elapse(18*time.Second + time.Millisecond)
		const over = "more than 2 calls in a minute of one tool of a site are not allowed (--rate-tool); try again in 42 seconds"
		wantRefused(t, try(buy), over+".")
		if len(told) != 1 || told[0] != "rate refuse: "+over {
			t.Errorf("told %q", told)
		}
		wantRefused(t, try(other), "(--rate-tool)") // a tool's limit is all clients' together
		if try(look) != nil {
			t.Error("what was refused was counted")
		}
		wantRefused(t, try(look), "more than 3 calls in a minute by one client are not allowed (--rate-client)")
		other.Name = "look"
		if try(other) != nil {
			t.Error("another client is limited by this one's calls")
		}
		other.Name = "more"
		wantRefused(t, try(other), "more than 4 calls in a minute to one site are not allowed (--rate-origin)")
		other.Origin = "https://bank.example"
		if try(other) != nil {
			t.Error("another site is limited by this one's calls")
		}
		other.To = "https://shop.example/cart" // whichever way
		wantRefused(t, try(other), "(--rate-origin)")
		other.To, other.Origin, other.Kind = "", "", calls.BrowserTool
		if try(other) != nil {
			t.Error("what is no site's is limited by one's calls")
		}
		fakeclock.Elapse(42 * time.Second)
		if try(buy) != nil {
			t.Error("after the time that was told it is still too many")
		}
	})
}

// What can be chosen freely is no way around a limit.
func TestRatesAreNotEvaded(t *testing.T) {
	g := New(Options{Rates: NewRateDecider(2, 0, 0)})
	for i := range 4 {
		d := buying(nil)
		d.Session, d.Client = "", fmt.Sprint("client", i)
		if no := g.Judge(context.Background(), d); (no != nil) != (i >= 2) {
			t.Errorf("call %d of clients without a session: %+v", i, no)
		}
	}
	g = New(Options{Rates: NewRateDecider(0, 0, 2)})
	for i := range 4 {
		d := buying(nil)
		d.Kind, d.HubName, d.Name = calls.Resource, "webmcp://shop.example/page0/note%3A%2F%2F{id}", fmt.Sprint("note://", i)
		if no := g.Judge(context.Background(), d); (no != nil) != (i >= 2) {
			t.Errorf("reading %d of a template: %+v", i, no)
		}
	}
}

// A question and its answer are one call.
func TestRatesOfQuestions(t *testing.T) {
	g := New(Options{Rules: policyOf(t, [2]string{"ask", "tool=buy"}), Rates: NewRateDecider(2, 0, 0)})
	asked := buying(answers("once"))
	look := buying(nil)
	look.Name = "look"
	for _, d := range []calls.Action{asked, look} {
		if no := g.Judge(context.Background(), d); no != nil {
			t.Error(no.Text)
		}
	}
	wantRefused(t, g.Judge(context.Background(), look), "--rate-client")
	wantRefused(t, g.Judge(context.Background(), asked), "--rate-client")
}
