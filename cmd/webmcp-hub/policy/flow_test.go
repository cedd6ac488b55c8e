package policy

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"webmcphub/internal/fakeclock"
	"webmcphub/internal/settings"
	"webmcphub/mcpserver/calls"
	"webmcphub/trust"
)

// TestAFlowIsTakenBack: a pair that is removed from the file is asked about again, without a restart; one of the flags
// stays.
func TestAFlowIsTakenBack(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	synctest.Test(t, func(t *testing.T) {
		file, err := OpenFlows(slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		file.add([]string{"https://bank.example->https://budget.example", "https://mail.example->https://shop.example"})
		var o trust.Options
		stop, err := FlowFlags{Flow: "ask", AllowFlow: []string{"https://bank.example->https://tax.example"}}.Add(&o, nil, file.log)
		if err != nil {
			t.Fatal(err)
		}
		on := func(origin, args string) calls.Action {
			return calls.Action{Who: calls.Who{Session: "1"}, Where: calls.Where{Origin: origin}, What: calls.What{Kind: calls.PageTool}, Args: json.RawMessage(args)}
		}
		o.Flow.Read(on("https://bank.example", ""), json.RawMessage(`"balance: 4711"`))
		for _, want := range []trust.Verdict{trust.Allow, trust.Ask} {
			if v, _ := o.Flow.Decide(on("https://budget.example", `{"n":4711}`)); v != want {
				t.Errorf("%v, want %v", v, want)
			}
			if err := file.Drop("https://bank.example->https://budget.example"); err != nil {
				t.Fatal(err)
			}
			fakeclock.Elapse(3 * settings.WatchEvery)
		}
		if v, _ := o.Flow.Decide(on("https://tax.example", `{"n":4711}`)); v != trust.Allow {
			t.Errorf("the flag's pair: %v", v)
		}
		if left := file.Read(); len(left) != 1 || left[0].String() != "https://mail.example->https://shop.example" {
			t.Errorf("%v are left", left)
		}
		stop()
	})
}

// TestFlowsOfSeveralHubs: what is taken back while others are allowed stays taken back, and those stay allowed.
func TestFlowsOfSeveralHubs(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	file, err := OpenFlows(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	pair := func(kind string, i int) string {
		return fmt.Sprintf("https://%s%d.example->https://to.example", kind, i)
	}
	const many = 12
	for i := range many {
		file.add([]string{pair("old", i)})
	}
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { file.add([]string{pair("new", i)}) })
		all.Go(func() {
			if err := file.Drop(pair("old", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	left := file.Read()
	for _, p := range left {
		if !strings.HasPrefix(p.String(), "https://new") {
			t.Errorf("%s is allowed again", p)
		}
	}
	if len(left) != many {
		t.Errorf("%d are left of %d", len(left), many)
	}
}
