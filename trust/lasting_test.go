package trust

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/trust/approvals"
)

// What a person allows until a time holds at the next hub, too, for a client that calls
// itself the same; until then, or until they take it back.
func TestAnswersOutliveTheirHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir() + "/answers"
		hub := func() (*Guard, *approvals.Store) {
			kept := approvals.OpenStore(dir, slog.New(slog.DiscardHandler))
			return New(Options{Rules: policyOf(t, [2]string{"ask", "*"}), Answers: kept}), kept
		}
		may := func(g *Guard, want bool, change func(d *calls.Action)) {
			t.Helper()
			d := buying(nil)
			d.Session = "another"
			if change(&d); (g.Judge(context.Background(), d) == nil) != want {
				t.Errorf("it may: %v", !want)
			}
		}
		same := func(*calls.Action) {}
		g, kept := hub()
		for _, answer := range []string{"once", "document", "hour"} {
			d := buying(answers(answer))
			d.Name = "buy" + answer
			if no := g.Judge(context.Background(), d); no != nil {
				t.Fatal(no.Text)
			}
		}
		may(g, false, func(d *calls.Action) { d.Name = "buyhour" }) // the session goes on
		kept.Close()

		fakeclock.Elapse(time.Minute)
		g, kept = hub()
		hour := func(d *calls.Action) { d.Name = "buyhour" }
		may(g, true, hour)
		may(g, false, same)
		may(g, false, func(d *calls.Action) { d.Name = "buyonce" })
		may(g, false, func(d *calls.Action) { d.Name = "buydocument" })
		may(g, false, func(d *calls.Action) { hour(d); d.Client = "other" })
		may(g, false, func(d *calls.Action) { hour(d); d.Definition = func() string { return "v2" } })
		may(g, false, func(d *calls.Action) { hour(d); d.Session = "" })
		fakeclock.Elapse(59 * time.Minute)
		may(g, false, hour)
		if no := g.Judge(context.Background(), buying(answers("hour"))); no != nil {
			t.Fatal(no.Text)
		}
		kept.Close()

		g, kept = hub()
		may(g, true, same)
		synctest.Wait()
		remove(t, dir+"/answers.json")
		fakeclock.Elapse(2 * time.Second)
		may(g, false, same)
		kept.Close()
	})
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestAPermissionOfAnotherHubIsTakenBack: a person's newest choice counts, also over a choice that they made at another
// hub after the one that this hub knows.
func TestAPermissionOfAnotherHubIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const site = "https://shop.example"
		dir := t.TempDir() + "/answers"
		var hubs []*Guard
		for range 2 {
			kept := approvals.OpenStore(dir, slog.New(slog.DiscardHandler))
			defer kept.Close()
			hubs = append(hubs, New(Options{Answers: kept}))
		}
		for _, choice := range []struct {
			at   int
			what approvals.Permission
		}{{0, approvals.Allow}, {1, approvals.Never}, {0, approvals.Default}} {
			if err := hubs[choice.at].Permit(site, string(choice.what)); err != nil {
				t.Fatal(err)
			}
			fakeclock.Elapse(2 * time.Second)
		}
		if all, err := approvals.List(dir); err != nil || len(all) != 0 {
			t.Errorf("the file has %+v, %v", all, err)
		}
	})
}
