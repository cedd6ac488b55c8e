package storm

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"webmcphub/bench/storm/hubs"
)

// small is a scenario that fits into a test.
func small(t *testing.T, name string) Scenario {
	t.Helper()
	calls, rest := quietCalls, restful
	quietCalls, restful = 50, 100*time.Millisecond
	t.Cleanup(func() { quietCalls, restful = calls, rest })
	s, err := Named(name, Fake)
	if err != nil {
		t.Fatal(err)
	}
	s.Pages, s.Tools, s.Duration = min(s.Pages, 10), min(s.Tools, 6), 200*time.Millisecond
	s.Rate = min(s.Rate, 2000)
	if s.Ops > 0 {
		s.Ops, s.Duration = 50, patience
	}
	return s
}

func mustRun(t *testing.T, s Scenario, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every named scenario works, loses nothing and gives figures. TestMain sees to it that no goroutine is left.
func TestScenarios(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			r := mustRun(t, small(t, name), Options{})
			if len(r.Failures) > 0 {
				t.Errorf("failed: %q", r.Failures)
			}
			if r.Changes == 0 || r.KnownP50 <= 0 || r.CPUSeconds <= 0 || r.Stamps == 0 {
				t.Errorf("figures are missing: %+v", r)
			}
			if r.Scenario.Calls != NoCalls && (r.Calls == 0 || r.QuietP50 <= 0 || r.CallP50 <= 0) {
				t.Errorf("calls were not measured: %+v", r)
			}
		})
	}
}

// A hub of its own process, and the bare client.
func TestHubs(t *testing.T) {
	for name, o := range map[string]Options{"apart": {Apart: true}, "bare": {Bare: true}} {
		t.Run(name, func(t *testing.T) {
			if r := mustRun(t, small(t, "all-mad"), o); len(r.Failures) > 0 || r.Changes == 0 {
				t.Errorf("%d changes, failed: %q", r.Changes, r.Failures)
			}
		})
	}
}

// A run that can't begin says why.
func TestNoBrowser(t *testing.T) {
	t.Chdir(t.TempDir()) // where neither the runtime's script nor the extension is
	for want, o := range map[string]Options{
		`run "npm ci" in e2e`:     {Runtime: MCPB},
		"the browser's extension": {Runtime: Extension},
	} {
		if _, err := Run(context.Background(), small(t, "trickle"), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a run on %s ended with %v", o.Runtime, err)
		}
	}
}

// A list is held against what the pages have, tool by tool.
func TestWrong(t *testing.T) {
	truth := map[string]int{"k1_t1": 3, "k1_t2": 0}
	for _, c := range []struct {
		list map[string]int
		n    int
		says string
	}{
		{map[string]int{"k1_t1": 3, "k1_t2": 0}, 0, ""},
		{map[string]int{"k1_t1": 3}, 1, "missing: k1_t2"},
		{map[string]int{"k1_t1": 2, "k1_t2": 0}, 1, "stale: k1_t1"},
		{map[string]int{"k1_t1": 3, "k1_t2": 0, "k9_t1": 0}, 1, "too many: k9_t1"},
		{nil, 2, "missing: k1_t1, missing: k1_t2"},
	} {
		if n, which := wrong(c.list, truth); n != c.n || strings.Join(which, ", ") != c.says {
			t.Errorf("%v: %d wrong, %q; want %d, %q", c.list, n, which, c.n, c.says)
		}
	}
}

func TestPageTools(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":1,"result":{"tools":[
		{"name":"list_webmcp_tools","description":"ours"},
		{"name":"webmcp_storm_test_page3_k7_t12","description":"[page] version 41. Text"},
		{"name":"webmcp_storm_test_page3_k7_zz1z","description":"version 0."}]}}`
	versions, names, err := pageTools([]byte(line))
	if err != nil || len(versions) != 2 || versions["k7_t12"] != 41 || names["k7_t12"] != "webmcp_storm_test_page3_k7_t12" {
		t.Errorf("%v %v %v", versions, names, err)
	}
	if _, _, err := pageTools([]byte(strings.ReplaceAll(line, "k7_zz1z", "k7_t12"))); err == nil {
		t.Error("one tool twice was not seen")
	}
}

// Stamps are found in lists, and a later one stands for those before it.
func TestKnown(t *testing.T) {
	k := newKnown()
	at := func(us int64) time.Time { return k.epoch.Add(time.Duration(us) * time.Microsecond) }
	list := func(stamps ...int64) []byte {
		var b bytes.Buffer
		for _, s := range stamps {
			b.WriteString(`{"name":"webmcp_a_page0_` + stampName(12, s) + `","x":1}`)
		}
		return b.Bytes()
	}
	k.byClient(list(100), at(150))
	k.byClient(list(100), at(160))
	k.byClient(list(300), at(420))
	client, hub := k.delays([]stamp{{12, 100}, {12, 200}, {12, 300}, {12, 400}, {13, 100}})
	want := samples{50 * time.Microsecond, 220 * time.Microsecond, 120 * time.Microsecond}
	if len(client) != len(want) || len(hub) != 0 {
		t.Fatalf("got %v %v", client, hub)
	}
	for i := range want {
		if client[i] != want[i] {
			t.Errorf("stamp %d was known after %v, want %v", i, client[i], want[i])
		}
	}
}

func TestScenarioCheck(t *testing.T) {
	for _, s := range []Scenario{
		{Pages: 0, Tools: 2}, {Pages: 1, Tools: 1}, {Pages: 2, Tools: 2, Stormy: 3}, {Pages: 2, Tools: 2, Calls: QuietPages},
	} {
		if s.check() == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
	if _, err := Named("nothing", Fake); err == nil || !strings.Contains(err.Error(), "trickle") {
		t.Errorf("an unknown name gives %v", err)
	}
}

// A hub that loses things is found out: its notifications, or its tools.
func TestLossIsSeen(t *testing.T) {
	in, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	theirIn, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(reader, hubs.Ends{In: out, Out: in}, nil)
	defer func() {
		theirOut.Close()
		c.end()
		theirIn.Close()
	}()
	answers := make(chan string)
	go func() { // answers the first requests in turn, whatever they are
		buffer := make([]byte, 1024)
		for a := range answers {
			if _, err := theirIn.Read(buffer); err != nil {
				return
			}
			_, _ = io.WriteString(theirOut, a+"\n")
		}
	}()
	list := func(id, tool string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[{"name":"webmcp_x_` + tool + `","description":"version 0."}]}}`
	}
	r := &run{result: &Result{}}
	go func() { answers <- list("1", "k1_t1"); answers <- list("2", "k1_t2"); close(answers) }()
	if err := c.ask(); err != nil {
		t.Fatal(err)
	}
	if err := r.compare(c, map[string]int{"k1_t2": 0}, 0); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(r.result.Failures, "\n")
	for _, want := range []string{"the last list of client 0", "was not told of the last change"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// Nobody would tell such a storm what was taken in: it must say so, not hang.
func TestListlessApart(t *testing.T) {
	s := small(t, "all-mad")
	s.Listless = true
	if _, err := Run(t.Context(), s, Options{Apart: true}); err == nil || !strings.Contains(err.Error(), "list") {
		t.Errorf("got %v", err)
	}
}
