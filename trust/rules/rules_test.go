package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// set makes a set of lines such as "deny https://bank.example".
func set(t testing.TB, lines ...string) *Set {
	t.Helper()
	var all []*Rule
	for i, l := range lines {
		name, text, _ := strings.Cut(l, " ")
		outcome, err := ParseOutcome(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Parse(outcome, text, fmt.Sprintf("rule %d", i+1))
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		all = append(all, r)
	}
	s, err := NewSet(all)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tool(origin, name string) Subject {
	return Subject{Origins: []string{origin}, Names: [2]string{name, "webmcp_x_page0_" + name}, Class: "unknown", Kind: "page", Client: "Claude Code"}
}

func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	s := set(t,
		"allow origin=https://*.bank.example tool=balance",
		"deny origin=https://bank.example,https://*.bank.example kind=page tool=transfer*,pay*",
		"ask class=destructive client=claude*",
		"deny client=cursor*",
		`ask "tool=strange one"`[0:4]+`tool="strange one",other`,
		"allow https://shop.example",
		"deny kind=automation",
		"ask http://localhost:*",
		"deny webmcp://*"[:5]+"tool=webmcp_x_page0_hidden")
	destructive := tool("https://a.example", "x")
	destructive.Class = "destructive"
	cursor := tool("https://shop.example", "x")
	cursor.Client = "cursor-vscode"
	automation := tool("https://shop.example", "click")
	automation.Kind = "automation"
	elsewhere := tool("https://elsewhere.example", "click")
	elsewhere.Kind = "automation"
	for _, c := range []struct {
		about Subject
		want  string
	}{
		{tool("https://my.bank.example", "balance"), "allow rule 1"},
		{tool("https://my.bank.example", "transfer_all"), "deny rule 2"},
		{tool("https://bank.example", "payout"), "deny rule 2"},
		{tool("http://bank.example", "payout"), "allow "},
		{tool("https://bank.example.evil.example", "payout"), "allow "},
		{tool("https://notbank.example", "payout"), "allow "},
		{destructive, "ask rule 3"},
		{cursor, "deny rule 4"},
		{tool("https://a.example", "strange one"), "ask rule 5"},
		{tool("https://a.example", "other"), "ask rule 5"},
		{automation, "allow rule 6"},
		{elsewhere, "deny rule 7"},
		{tool("http://localhost:8080", "x"), "ask rule 8"},
		{tool("https://a.example", "hidden"), "deny rule 9"},
		{tool("null", "x"), "allow "},
		{Subject{Names: [2]string{"list_pages", "list_pages"}, Kind: "automation"}, "deny rule 7"},
		// A navigation from one origin to another is judged for both.
		{Subject{Origins: []string{"https://shop.example", "https://elsewhere.example"}, Kind: "automation"}, "deny rule 7"},
	} {
		d := s.Decide(c.about)
		got := d.Outcome.String() + " "
		if d.Rule != nil {
			got += d.Rule.Source
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.about, got, c.want)
		}
	}
}

func TestEverythingIsAStar(t *testing.T) {
	s := set(t, "deny *")
	for _, about := range []Subject{tool("null", "x"), tool("", ""), {}, tool("https://a.example", "x")} {
		if s.Decide(about).Outcome != Deny {
			t.Errorf("%+v is not denied", about)
		}
	}
	if d := set(t, "deny origin=*").Decide(tool("null", "x")); d.Outcome != Deny {
		t.Error("origin=* does not stand for opaque origins")
	}
}

func TestWrongRulesSayWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "empty",
		"   ":                     "empty",
		"shop.example":            "it has no scheme",
		"tool=":                   "tool has an empty value",
		"tool=a,,b":               "empty value",
		"tool=a tool=b":           "tool is given twice",
		"https://a https://b":     "origin is given twice",
		"class=readonly":          `"readonly" is no class; there are read-only, destructive, unknown`,
		"kind=tool":               `"tool" is no kind; there are page, introspected`,
		"colour=red":              `"colour" is not a condition`,
		`tool="a`:                 `no other one that ends it`,
		`tool="a"b`:               `after a closing "`,
		"tool=a\nkind=page":       "one line",
		"origin=https://a.b/path": "must end with the host",
		strings.Repeat("x", 5000): "longer than 4096",
		"tool=" + strings.Repeat("a,", 100) + "a": "more than 100",
		"* tool=x": "",
	} {
		_, err := Parse(Deny, text, "here")
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestCarefulAsksBeforeWhatIsNotKnownToBeReadOnly(t *testing.T) {
	all, err := Preset(Careful)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := NewSet(all)
	for _, kind := range Kinds {
		for _, class := range Classes {
			about := tool("https://a.example", "x")
			about.Kind, about.Class = kind, class
			want := Ask
			if class == "read-only" {
				want = Allow
			}
			if got := s.Decide(about).Outcome; got != want {
				t.Errorf("%s %s: %v", kind, class, got)
			}
		}
	}
	if _, err := Preset("lax"); err == nil {
		t.Error("there is a preset lax")
	}
}

// What a refusal advises allows exactly what was refused.
func TestTheRuleForASubjectAllowsIt(t *testing.T) {
	for _, about := range []Subject{tool("https://a.example", "x"), tool("https://a.example:8443", "with blank"), tool("https://a.example", "a,b=c"), tool("https://a.example", `q"uote`), tool("https://a.example", "star*")} {
		text := For(about)
		r, err := Parse(Allow, text, "advice")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		deny, _ := Parse(Deny, "*", "rest")
		s, _ := NewSet([]*Rule{r, deny})
		if s.Decide(about).Outcome != Allow {
			t.Errorf("%s doesn't allow %+v", text, about)
		}
		other := about
		other.Origins = []string{"https://b.example"}
		if s.Decide(other).Outcome != Deny {
			t.Errorf("%s allows another site", text)
		}
	}
	if got := For(tool("null", "x")); got != "" {
		t.Errorf("a rule for an opaque origin: %s", got)
	}
}

// The index finds what going through all rules finds.
func TestTheIndexFindsWhatALinearSearchFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		origin := rapid.SampledFrom([]string{"https://a.example", "https://b.a.example", "https://c.b.a.example", "http://a.example", "null", "", "https://x.test:8443"})
		word := rapid.SampledFrom([]string{"*", "https://a.example", "https://*.a.example", "*://b.a.example", "https://*", "tool=x", "tool=x*", "tool=webmcp_x_page0_y,z", "kind=page", "class=unknown,destructive",
			"https://a.example tool=x", "origin=https://a.example,https://*.a.example kind=page", "origin=https://a.example,https://* tool=y", "client=claude*", "http://*:* tool=x,y"})
		var all []*Rule
		for i := range rapid.IntRange(0, 12).Draw(t, "rules") {
			r, err := Parse(rapid.SampledFrom([]Outcome{Allow, Ask, Deny}).Draw(t, "outcome"), word.Draw(t, "rule"), fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		s, err := NewSet(all)
		if err != nil {
			t.Fatal(err)
		}
		about := tool(origin.Draw(t, "origin"), rapid.SampledFrom([]string{"x", "y", "z", "xx"}).Draw(t, "tool"))
		about.Kind = rapid.SampledFrom(Kinds).Draw(t, "kind")
		about.Class = rapid.SampledFrom(Classes).Draw(t, "class")
		linear := &Set{rules: all}
		for i := range all {
			linear.rest = append(linear.rest, i)
		}
		if got, want := s.Decide(about), linear.Decide(about); got != want {
			t.Fatalf("%+v: %v, want %v", about, got, want)
		}
	})
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		g, s string
		want bool
	}{{"*", "", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"*b*", "abc", true}, {"", "a", false}, {"", "", true}, {"a*b*c", "axxbyyc", true}, {"a*b*c", "axxbyy", false}, {"abc", "abcd", false}} {
		if got := newGlob(c.g).matches(c.s); got != c.want {
			t.Errorf("%q %q: %v", c.g, c.s, got)
		}
	}
	// Tried in all ways, this would go on for ever.
	if matches(strings.Repeat("*a", 50)+"b", strings.Repeat("a", 4096)+"c") {
		t.Error("a pattern that ends otherwise matches")
	}
}

func thousand(t testing.TB) (*Set, []Subject, []Outcome) {
	var lines []string
	var about []Subject
	var want []Outcome
	for i := range 1000 {
		outcome := Outcome(i % 3)
		switch i % 4 {
		case 0:
			lines = append(lines, fmt.Sprintf("%s origin=https://site%d.example tool=t*", outcome, i))
			about = append(about, tool(fmt.Sprintf("https://site%d.example", i), "t1"))
		case 1:
			lines = append(lines, fmt.Sprintf("%s origin=https://*.site%d.example class=unknown", outcome, i))
			about = append(about, tool(fmt.Sprintf("https://a.b.site%d.example", i), "any"))
		case 2:
			lines = append(lines, fmt.Sprintf("%s tool=special_%d", outcome, i))
			about = append(about, tool("https://somewhere.example", fmt.Sprintf("special_%d", i)))
		default: // what no index helps with
			lines = append(lines, fmt.Sprintf("%s tool=*_%d_* kind=page client=claude*", outcome, i))
			about = append(about, tool("https://somewhere.example", fmt.Sprintf("do_%d_now", i)))
		}
		want = append(want, outcome)
	}
	return set(t, lines...), about, want
}

// BenchmarkDecide decides with 1,000 rules, a quarter of which no index helps with, and
// checks each decision.
func BenchmarkDecide(b *testing.B) {
	s, about, want := thousand(b)
	took := make([]time.Duration, 0, b.N)
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		d := s.Decide(about[i%len(about)])
		took = append(took, time.Since(began))
		if d.Outcome != want[i%len(about)] {
			b.Fatalf("%+v: %v by %v, want %v", about[i%len(about)], d.Outcome, d.Rule, want[i%len(about)])
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}

// TestHubsNames: what allows a tool by the hub's name for it allows no other one, whose page
// calls it so; what denies or asks means both. A ? is one character, not one byte.
func TestHubsNames(t *testing.T) {
	decide := func(outcome Outcome, pattern string, names ...string) Outcome {
		t.Helper()
		r, err := Parse(outcome, "tool="+pattern, "test")
		if err != nil {
			t.Fatal(err)
		}
		star, err := Parse(Ask, "*", "test")
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSet([]*Rule{r, star})
		if err != nil {
			t.Fatal(err)
		}
		return s.Decide(Subject{Origins: []string{"https://evil.test"}, Names: [2]string{names[0], names[len(names)-1]}, Kind: "page"}).Outcome
	}
	for _, c := range []struct {
		outcome Outcome
		pattern string
		names   []string
		want    Outcome
	}{
		{Allow, "webmcp_shop_example_page0_*", []string{"buy", "webmcp_shop_example_page0_buy"}, Allow},
		{Allow, "webmcp_shop_example_page0_*", []string{"webmcp_shop_example_page0_buy", "webmcp_evil_test_page1_webmcp"}, Ask},
		{Allow, "webmcp_shop_example_page0_buy", []string{"webmcp_shop_example_page0_buy", "webmcp_evil_test_page1_webmcp"}, Ask},
		{Allow, "website_tool_shop_buy", []string{"website_tool_shop_buy", "website_tool_evil"}, Ask},
		{Allow, "buy", []string{"buy", "webmcp_evil_test_page1_buy"}, Allow},
		{Deny, "webmcp_shop_*", []string{"webmcp_shop_x", "webmcp_evil"}, Deny},
		{Deny, "caf?", []string{"café"}, Deny},
		{Deny, "*??", []string{"é"}, Ask},
		{Deny, "*???", []string{"😀"}, Ask},
		{Deny, "*é?", []string{"ééa"}, Deny},
	} {
		if got := decide(c.outcome, c.pattern, c.names...); got != c.want {
			t.Errorf("%s tool=%s of %q: %s, want %s", c.outcome, c.pattern, c.names, got, c.want)
		}
	}
}
