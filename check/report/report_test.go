package report

import (
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"webmcphub/check/lint"
)

// evil is what a page says to trick a reader of reports.
const evil = "::stop-commands::a\x1b[2Jb\u202e\n::error::<script>alert(1)</script>]]>%0A ##[error]x"

func aReport() *Report {
	r := &Report{
		Version: "1.0.0", Chrome: "Chrome/156", FailOn: lint.Error,
		Rules: []lint.Rule{{ID: "late", Severity: lint.Warning, Title: "Late", Why: "Because."}, {ID: "no-tools", Severity: lint.Error, Title: "None", Why: "Why."}, {ID: "quiet", Severity: lint.Info, Title: "Quiet", Why: "So."}},
		Pages: []Page{
			{Asked: "http://a.example/", URL: "http://a.example/in", Title: evil, Tools: []string{"t"}, Seconds: 1.5, NotCalled: []string{"buy", evil, "\n ::stop-commands::x"}, NotTried: []NotTried{{evil, evil}}, Findings: []lint.Finding{
				{Rule: "no-tools", Severity: lint.Error, Page: "http://a.example/", Message: "none"},
				{Rule: "late", Severity: lint.Warning, Page: "http://a.example/", Tool: evil, Where: "inputSchema", Message: evil},
			}},
			{Asked: "http://b.example/", Error: "it doesn't load"},
		},
		Coverage: &Coverage{Of: "the journeys", Tools: []ToolCoverage{
			{Tool: "search", Calls: 2, Parameters: []ParameterCoverage{
				{Name: "sort", Calls: 1, Values: []ValueCoverage{{Value: json.RawMessage(`"price"`), Calls: 1}, {Value: json.RawMessage(`"name"`)}}},
				{Name: "limit"}, {Name: evil, Calls: 1, Unlisted: true},
			}},
			{Tool: evil}, {Tool: "checkout"},
		}},
	}
	r.Clean()
	return r
}

func written(t *testing.T, write func(*Report, *strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(aReport(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// JUnit is XML of the shape that reporters read, and its counts are right.
func TestJUnit(t *testing.T) {
	text := written(t, func(r *Report, b *strings.Builder) error { return r.JUnit(b) })
	var all junitSuites
	if err := xml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	if all.Tests != 4 || all.Failures != 1 || all.Errors != 1 || len(all.Suites) != 2 || len(all.Suites[0].Cases) != 3 {
		t.Errorf("the counts are wrong: %s", text)
	}
	if all.Skipped != 0 {
		t.Errorf("rules of lint are skipped: %s", text)
	}
	late := all.Suites[0].Cases[0]
	if late.Name != "late" || late.Failure != nil || !strings.Contains(late.Out, "inputSchema") {
		t.Errorf("a warning fails, or isn't told: %+v", late)
	}
	if f := all.Suites[0].Cases[1].Failure; f == nil || f.Text != "none" {
		t.Errorf("the error doesn't fail: %s", text)
	}
}

// SARIF has what its schema requires and code scanning reads.
func TestSARIF(t *testing.T) {
	text := written(t, func(r *Report, b *strings.Builder) error { return r.SARIF(b) })
	var log struct {
		Version string
		Schema  string `json:"$schema"`
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription struct{ Text string }
					}
				}
			}
			Invocations []struct{ ExecutionSuccessful *bool }
			Results     []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || log.Schema == "" || run.Tool.Driver.Name == "" || len(run.Tool.Driver.Rules) != 3 || len(run.Results) != 2 || *run.Invocations[0].ExecutionSuccessful {
		t.Errorf("it isn't as SARIF is: %s", text)
	}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || r.Locations[0].PhysicalLocation.ArtifactLocation.URI != "index.html" || r.Locations[0].PhysicalLocation.Region.StartLine < 1 || (r.Level != "error" && r.Level != "warning") {
			t.Errorf("a result isn't as SARIF's are: %+v", r)
		}
	}
}

// A page's words steer neither a terminal nor GitHub nor a browser.
func TestWordsOfPagesAreHarmless(t *testing.T) {
	for name, write := range map[string]func(*Report, *strings.Builder) error{
		"text": func(r *Report, b *strings.Builder) error { return r.Text(b, TextOptions{}) }, "GitHub": func(r *Report, b *strings.Builder) error { return r.GitHub(b) },
		"HTML": func(r *Report, b *strings.Builder) error { return r.HTML(b) }, "JSON": func(r *Report, b *strings.Builder) error { return r.JSON(b) },
	} {
		text := written(t, write)
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\n::error::") || strings.Contains(text, "##[") {
			t.Errorf("%s: a page's words get through: %q", name, text)
		}
		if name == "HTML" && strings.Contains(text, "<script") {
			t.Errorf("a page's markup is in the report: %s", text)
		}
		for line := range strings.Lines(text) { // as GitHub's runner reads it
			if name == "text" && strings.HasPrefix(strings.TrimSpace(line), "::") {
				t.Errorf("a page's words begin a line: %s", text)
			}
		}
	}
}

func TestGitHubEscapes(t *testing.T) {
	text := written(t, func(r *Report, b *strings.Builder) error { return r.GitHub(b) })
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "::error title=no-tools%3A None::") || !strings.HasPrefix(lines[1], "::warning title=late%3A Late::") || !strings.Contains(lines[1], "%250A") {
		t.Errorf("got %s", text)
	}
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		worst  lint.Severity
		failOn lint.Severity
		err    string
		want   int
	}{
		{"", lint.Error, "", Passed}, {lint.Warning, lint.Error, "", Passed}, {lint.Error, lint.Error, "", Failed},
		{lint.Warning, lint.Warning, "", Failed}, {lint.Info, lint.Warning, "", Passed}, {lint.Info, lint.Info, "", Failed},
		{lint.Error, lint.Error, "it doesn't load", Unchecked},
	} {
		r := &Report{FailOn: c.failOn, Pages: []Page{{}, {Error: c.err}}}
		if c.worst != "" {
			r.Pages[0].Findings = []lint.Finding{{Severity: c.worst}}
		}
		if got := r.Exit(); got != c.want {
			t.Errorf("%+v: exit code %d", c, got)
		}
	}
}

func TestCoverage(t *testing.T) {
	text := written(t, func(r *Report, b *strings.Builder) error { return r.Text(b, TextOptions{}) })
	page := written(t, func(r *Report, b *strings.Builder) error { return r.HTML(b) })
	for _, want := range []string{"coverage of the journeys: 1 of 3 tools called", "search: 2 calls", "sort: in 1 of 2, never with \"name\"", "limit: never given", ", which its schema doesn't have", ", checkout\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	for _, want := range []string{"Coverage of the journeys", "1 of 3 tools called", `<td class="warning">never</td>`, "never given"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func TestText(t *testing.T) {
	text := written(t, func(r *Report, b *strings.Builder) error { return r.Text(b, TextOptions{}) })
	for _, want := range []string{"led to http://a.example/in", "error None (no-tools)", "not called, because they don't say that they only read: buy", "not checked: it doesn't load", "2 pages, 1 tool, 1 error, 1 warning, 0 info, 1 page not checked."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q isn't in\n%s", want, text)
		}
	}
	colored := written(t, func(r *Report, b *strings.Builder) error { return r.Text(b, TextOptions{Color: true}) })
	if !strings.Contains(colored, "\x1b[31merror\x1b[0m") {
		t.Error("there are no colors where they were asked for")
	}
}

// What was found before a page couldn't be gone on with is told.
func TestFindingsBeforeAnError(t *testing.T) {
	r := &Report{FailOn: lint.Error, Rules: []lint.Rule{{ID: "smoke-crash", Severity: lint.Error, Title: "A call crashes the page"}},
		Pages: []Page{{Asked: "http://a.example/", Error: "its server answers with the error 502", Findings: []lint.Finding{{Rule: "smoke-crash", Severity: lint.Error, Tool: "boom", Message: "the page crashed"}}}}}
	for name, write := range map[string]func(b *strings.Builder) error{
		"text": func(b *strings.Builder) error { return r.Text(b, TextOptions{}) }, "JUnit": func(b *strings.Builder) error { return r.JUnit(b) }, "HTML": func(b *strings.Builder) error { return r.HTML(b) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil || !strings.Contains(b.String(), "boom") || !strings.Contains(b.String(), "502") {
			t.Errorf("%s doesn't say both that the tool boom crashed the page and that it can't be opened again (%v): %s", name, err, b.String())
		}
	}
}

// Each page's findings have a place that GitHub takes, and fingerprints of their own.
func TestSARIFPlaces(t *testing.T) {
	f := lint.Finding{Rule: "late", Severity: lint.Error, Tool: "t", Message: "m"}
	r := &Report{}
	for _, asked := range []string{"http://me:word@localhost:3000/cart?a=1", "https://a.example/two words", "file:///srv/page.html", "http://[::1]:80"} {
		r.Pages = append(r.Pages, Page{Asked: asked, Findings: []lint.Finding{f}})
	}
	r.Pages[0].Findings = append(r.Pages[0].Findings, lint.Finding{Rule: "late", Severity: lint.Error, Tool: "u", Message: "m", Script: "http://localhost:3000/js/shop.js?v=2", Line: 7})
	r.Clean()
	var b strings.Builder
	if err := r.SARIF(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{`"uri": "cart"`, `"uri": "two%20words"`, `"uri": "srv/page.html"`, `"uri": "index.html"`, `"page": "http://localhost:3000/cart?a=1"`, `"webmcpHub/v2": "cart|late|t|"`, `"uri": "js/shop.js"`, `"startLine": 7`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s isn't in %s", want, text)
		}
	}
	if strings.Contains(text, `"uri": "http`) || strings.Contains(text, "word@") {
		t.Errorf("a place has a scheme, which GitHub refuses, or a password is told: %s", text)
	}
}

// Secrets in addresses are in no report; what isn't one stays as it was written.
func TestAddresses(t *testing.T) {
	for from, want := range map[string]string{
		"https://me:hush@a.test/x?q=%20tea&b": "https://a.test/x?q=%20tea&b", "https://a.test/?token=hush&page=2": "https://a.test/?token=masked&page=2",
		"https://a.test/?page=2&access_token=hush&apiKey=hush#top": "https://a.test/?page=2&access_token=masked&apiKey=masked#top",
		"https://a.test/?X-Amz-Signature=hush&tokens=3":            "https://a.test/?X-Amz-Signature=masked&tokens=3", "https://a.test/?q=a%20b": "https://a.test/?q=a%20b",
	} {
		if got := address(from); got != want {
			t.Errorf("%s became %s, want %s", from, got, want)
		}
	}
}

// A journey is no page, and its tools are those of pages.
func TestJourneysAreNoPages(t *testing.T) {
	r := Report{Pages: []Page{{Tools: []string{"a", "b"}}, {Tools: []string{"a"}, Calls: 1, Journey: true}}}
	if got, want := r.summary(), "1 page, 2 tools, 1 journey, 1 call, 0 errors, 0 warnings, 0 info"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// JUnit: a journey is a suite of its own name, with its steps for tests. Rules that were not applied are skipped, and
// those of journeys are no tests of pages.
func TestJUnitOfJourneysAndSkippedRules(t *testing.T) {
	r := &Report{FailOn: lint.Error, Rules: []lint.Rule{{ID: "late"}, {ID: "smoke-hang"}, {ID: "contract-text"}, {ID: "journey-failed"}}, Pages: []Page{
		{Asked: "http://a.example/", Tools: []string{"t"}}, {Asked: "http://a.example/b", Tools: []string{"t"}, Smoked: true, Locked: true},
		{Asked: "http://a.example/", Journey: true, Name: "Buy tea", Steps: []Step{{"open /", true, ""}, {"call buy", true, "sold out"}, {"call pay", false, ""}},
			Findings: []lint.Finding{{Rule: "journey-failed", Severity: lint.Error, Message: "sold out"}}},
	}}
	var b strings.Builder
	if err := r.JUnit(&b); err != nil {
		t.Fatal(err)
	}
	var all junitSuites
	if err := xml.Unmarshal([]byte(b.String()), &all); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			state := "passed"
			if c.Skipped != nil {
				state = "skipped"
			} else if c.Failure != nil {
				state = "failed"
			}
			got = append(got, s.Name+", "+c.Name+": "+state)
		}
	}
	want := []string{
		"http://a.example/, late: passed", "http://a.example/, smoke-hang: skipped", "http://a.example/, contract-text: skipped",
		"http://a.example/b, late: passed", "http://a.example/b, smoke-hang: passed", "http://a.example/b, contract-text: passed",
		"Buy tea, step 1: open /: passed", "Buy tea, step 2: call buy: failed", "Buy tea, step 3: call pay: skipped",
	}
	if !slices.Equal(got, want) || all.Tests != 9 || all.Skipped != 3 || all.Failures != 1 {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// The worst rules come first and infos are counted, unless everything is asked for; long lines are wrapped.
func TestTextIsShort(t *testing.T) {
	r := &Report{FailOn: lint.Error, Pages: []Page{{Asked: "http://a.example/", Tools: []string{"t"}, Waited: 2, Silenced: 2, Known: 1}}}
	for i := range 8 {
		tool := string(rune('a' + i))
		r.Pages[0].Findings = append(r.Pages[0].Findings, lint.Finding{Rule: "title-missing", Severity: lint.Info, Tool: tool, Message: "no title"},
			lint.Finding{Rule: "late", Severity: lint.Warning, Tool: tool, Message: "it came long after the page had loaded, and nobody waited"})
	}
	r.Pages[0].Findings = append(r.Pages[0].Findings, lint.Finding{Rule: "name-invalid", Severity: lint.Error, Message: "bad"})
	text := func(o TextOptions) string {
		var b strings.Builder
		if err := r.Text(&b, o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	short, long := text(TextOptions{Width: 50}), text(TextOptions{Verbose: true})
	for _, want := range []string{"late (late), 8 times", "and 3 more (--verbose", "8 info: title-missing 8 (--verbose", "(2.0 s", "2 findings silenced", "1 finding known"} {
		if !strings.Contains(short, want) {
			t.Errorf("%q isn't in\n%s", want, short)
		}
	}
	if strings.Index(short, "name-invalid") > strings.Index(short, "late (late)") || strings.Contains(short, "no title\n") {
		t.Errorf("the worst isn't first, or infos are listed:\n%s", short)
	}
	for line := range strings.Lines(short) {
		if len(line) > 51 {
			t.Errorf("a line is too long: %q", line)
		}
	}
	if strings.Count(long, ": no title\n") != 8 || strings.Contains(long, "more") {
		t.Errorf("not all is listed:\n%s", long)
	}
	if r.FailOn = lint.Info; !strings.Contains(text(TextOptions{}), "- a: no title\n") {
		t.Error("infos that make the check fail are not listed")
	}
}
