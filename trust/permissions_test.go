package trust

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/trust/approvals"
	"webmcphub/trust/flow"
)

const shopOrigin, bankOrigin = "https://shop.example", "https://bank.example"

// TestPermissions: what a person has chosen for a site decides in its tabs, in its frames, and about what leads there.
func TestPermissions(t *testing.T) {
	rules := policyOf(t, [2]string{"deny", "tool=wipe"}, [2]string{"ask-site", "class=destructive,unknown"})
	at := func(origin, top string) func(*calls.Action) {
		return func(d *calls.Action) { d.Origin, d.Address, d.Top = origin, origin+"/", top }
	}
	reads := func(d *calls.Action) { d.Class = calls.ReadOnly }
	browser := func(name string) func(*calls.Action) {
		return func(d *calls.Action) { d.Kind, d.Name = calls.BrowserTool, name }
	}
	to := func(address string) func(*calls.Action) {
		return func(d *calls.Action) { browser("navigate_page")(d); d.To = address }
	}
	wipes := func(d *calls.Action) { d.Name = "wipe" }
	anyones := func(d *calls.Action) { d.Origin, d.Address, d.Top, d.Anyones = "null", "", "", true }
	const refused, asked, allowed = "refused", "asked", "allowed"
	for _, c := range []struct {
		permission string // for the shop
		rules      bool
		about      []func(*calls.Action)
		want       string
	}{
		{"", false, nil, allowed},
		{"", true, nil, asked},
		{"never", false, nil, refused},
		{"never", true, nil, refused},
		{"never", false, []func(*calls.Action){reads}, refused},
		{"never", false, []func(*calls.Action){browser("take_snapshot"), reads}, refused},
		{"never", false, []func(*calls.Action){at(bankOrigin, bankOrigin)}, allowed},
		{"never", false, []func(*calls.Action){at(bankOrigin, shopOrigin)}, refused},
		{"never", false, []func(*calls.Action){at(shopOrigin, bankOrigin)}, refused},
		{"never", false, []func(*calls.Action){at(bankOrigin, bankOrigin), to(shopOrigin + "/x")}, refused},
		{"never", false, []func(*calls.Action){anyones}, refused},
		{"ask", false, nil, asked},
		{"ask", true, nil, asked},
		{"ask", false, []func(*calls.Action){reads}, allowed},
		{"ask", false, []func(*calls.Action){browser("select_page")}, allowed},
		{"ask", false, []func(*calls.Action){browser("click")}, asked},
		{"ask", false, []func(*calls.Action){at(bankOrigin, bankOrigin)}, allowed},
		{"ask", true, []func(*calls.Action){wipes}, refused},
		{"allow", true, nil, allowed},
		{"allow", true, []func(*calls.Action){at(bankOrigin, bankOrigin)}, asked},
		{"allow", true, []func(*calls.Action){at(bankOrigin, shopOrigin)}, asked}, // not all of them are allowed
		{"allow", true, []func(*calls.Action){wipes}, refused},
	} {
		o := Options{}
		if c.rules {
			o.Rules = rules
		}
		g := New(o)
		if err := g.Permit(shopOrigin, c.permission); err != nil {
			t.Fatal(err)
		}
		questions := 0
		d := buying(func(context.Context) (string, error) { questions++; return `{"action":"cancel"}`, nil })
		at(shopOrigin, shopOrigin)(&d)
		for _, change := range c.about {
			change(&d)
		}
		no := g.Judge(context.Background(), d)
		got := allowed
		switch {
		case questions > 0:
			got = asked
		case no != nil:
			got = refused
		}
		if got != c.want || questions > 1 {
			t.Errorf("%s, rules %v, of %s in %s, %s %s to %q: %s after %d questions, want %s", c.permission, c.rules, d.Origin, d.Top, d.Name, d.Class, d.To, got, questions, c.want)
		}
		if no != nil && strings.Contains(no.Text, "webmcp-hub") {
			t.Errorf("an agent is told a command: %s", no.Text)
		}
		if no != nil && c.permission == "never" && !strings.Contains(no.Text, `the user has chosen "Never" for https://shop.example in the extension's popup. Only the user can change that`) {
			t.Errorf("never: %s", no.Text)
		}
	}
}

// TestAskAfterAnEarlierAnswer: an answer to a rule's question is none to the question that a permission asks.
func TestAskAfterAnEarlierAnswer(t *testing.T) {
	g := askAll(t)
	questions := 0
	d := buying(func(ctx context.Context) (string, error) {
		questions++
		return answers(string(approvals.Hour))(ctx)
	})
	judge := func(want int) {
		t.Helper()
		if no := g.Judge(context.Background(), d); no != nil || questions != want {
			t.Errorf("%d questions, want %d: %+v", questions, want, no)
		}
	}
	judge(1)
	judge(1)
	if err := g.Permit(shopOrigin, "ask"); err != nil {
		t.Fatal(err)
	}
	judge(2)
	judge(2) // the user has answered this question, too
	if err := g.Permit(shopOrigin, ""); err != nil {
		t.Fatal(err)
	}
	judge(2) // the answer to the rule holds on
}

// TestPermissionsAndFlow: a site that is allowed may still not be told what was read elsewhere.
func TestPermissionsAndFlow(t *testing.T) {
	g := New(Options{Flow: NewFlowDecider(flow.Options{Mode: flow.Enforce}, nil)})
	if err := g.Permit(shopOrigin, "allow"); err != nil {
		t.Fatal(err)
	}
	mail := buying(nil)
	mail.Origin, mail.Address, mail.Class = "https://mail.example", "https://mail.example/", calls.ReadOnly
	secret := json.RawMessage(`{"content":[{"type":"text","text":"the code is K7Q2-93XA-77B1"}]}`)
	if no := g.Judge(context.Background(), mail); no != nil {
		t.Fatal(no.Text)
	}
	g.Sent(mail)
	g.Read(mail, secret)
	d := buying(nil)
	d.Args = json.RawMessage(`{"note":"K7Q2-93XA-77B1"}`)
	if g.Judge(context.Background(), d) == nil {
		t.Error("what was read in the mail goes to the shop")
	}
}

// TestPermissionsAreKept: a permission holds at later hubs, also when the clock was set back if it takes something away,
// until it is changed or taken back.
func TestPermissionsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir() + "/answers"
		hub := func() (*Guard, *approvals.Store) {
			kept := approvals.OpenStore(dir, slog.New(slog.DiscardHandler))
			return New(Options{Answers: kept}), kept
		}
		set := func(g *Guard, origin, permission string) {
			t.Helper()
			if err := g.Permit(origin, permission); err != nil {
				t.Error(err)
			}
		}
		want := func(g *Guard, shop, bank approvals.Permission) {
			t.Helper()
			if all := g.Permissions(); all[shopOrigin] != shop || all[bankOrigin] != bank {
				t.Errorf("permissions are %v, want %q and %q", all, shop, bank)
			}
		}
		g, kept := hub()
		set(g, shopOrigin, "allow")
		set(g, bankOrigin, "ask")
		set(g, bankOrigin, "never")
		for _, bad := range [][2]string{{"", "ask"}, {"null", "ask"}, {"about:blank", "never"}, {bankOrigin, "always"}, {"data:,x", "ask"}} {
			if g.Permit(bad[0], bad[1]) == nil {
				t.Errorf("%q is set", bad)
			}
		}
		want(g, approvals.Allow, approvals.Never)
		kept.Close()

		fakeclock.Elapse(200 * 24 * time.Hour) // longer than any answer holds
		g, kept = hub()
		want(g, approvals.Allow, approvals.Never)
		set(g, shopOrigin, "")
		want(g, approvals.Default, approvals.Never)
		set(g, shopOrigin, "ask")
		kept.Close()

		g, kept = hub()
		want(g, approvals.Ask, approvals.Never)
		changed := 0
		g.FollowPermissions(func() { changed++ })
		all, err := approvals.List(dir)
		if err != nil || len(all) != 2 {
			t.Fatalf("%v, %v", all, err)
		}
		for _, l := range all {
			if l.Permission() == approvals.Never {
				if err := approvals.Drop(dir, l); err != nil {
					t.Fatal(err)
				}
			}
		}
		fakeclock.Elapse(2 * time.Second)
		synctest.Wait()
		want(g, approvals.Ask, approvals.Default)
		if changed != 1 {
			t.Errorf("followers were told %d times", changed)
		}
		kept.Close()
	})
}

// nothingPaused is what a hub with --extension or --ui asks before anything is paused.
type nothingPaused struct{}

func (nothingPaused) Decide(calls.Action) (Verdict, string) { return Allow, "" }

// TestAnyAddress: where nothing decides about sites, addresses may be written in any way.
func TestAnyAddress(t *testing.T) {
	d := buying(nil)
	d.Kind, d.Name, d.To = calls.BrowserTool, "navigate_page", "https://me@bank.example/"
	g := New(Options{Paused: nothingPaused{}})
	if no := g.Judge(context.Background(), d); no != nil {
		t.Error(no.Text)
	}
	if err := g.Permit(bankOrigin, "never"); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, g.Judge(context.Background(), d), "nobody can tell where its address leads")
	wantRefused(t, New(Options{Rules: policyOf(t)}).Judge(context.Background(), d), "nobody can tell where its address leads")
}
