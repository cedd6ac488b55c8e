package check

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"webmcphub/check/lint"
	"webmcphub/internal/scripttest"
)

// TestCheckDocument holds docs/check.md to the rules.
func TestCheckDocument(t *testing.T) {
	scripttest.Document(t, "../docs/check.md", checkDocument(t))
}

func checkDocument(t *testing.T) []byte {
	var b bytes.Buffer
	text, err := os.ReadFile("testdata/check.md")
	if err != nil {
		t.Fatal(err)
	}
	b.Write(text)
	usual := usualGood()
	fmt.Fprintf(&b, "\n## A good tool\n\nThis one keeps all rules about a single tool:\n\n```js\n%s\n```\n", usual)
	b.WriteString("\n## Rules\n\n| rule | severity | what is wrong |\n|---|---|---|\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", r.ID, r.ID, r.Severity, r.Title)
	}
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n### %s\n\n%s (%s). %s\n", r.ID, r.Title, r.Severity, r.Why)
		example(&b, "Bad", r.Bad)
		if r.Good == usual {
			b.WriteString("\nGood: [this tool](#a-good-tool).\n")
		} else {
			example(&b, "Good", r.Good)
		}
	}
	b.WriteString("\n## Others' rules\n\nRules that other tools publish, and the ones here that look for the same.\n\n| theirs | here |\n|---|---|\n")
	for _, theirs := range others {
		here := covering(theirs)
		if why := elsewhere[theirs]; len(here) == 0 {
			here = []string{why}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", theirs, strings.Join(here, ", "))
	}
	return b.Bytes()
}

// usualGood is the example of a good tool, which the first rule has.
func usualGood() string { return Rules()[0].Good }

func example(b *bytes.Buffer, what, text string) {
	if text == "" {
		return
	}
	language := "js"
	if strings.HasPrefix(text, "<") {
		language = "html"
	}
	fmt.Fprintf(b, "\n%s:\n\n```%s\n%s\n```\n", what, language, text)
}

func covering(theirs string) (here []string) {
	for _, r := range Rules() {
		if slices.Contains(r.Covers, theirs) {
			here = append(here, "[`"+r.ID+"`](#"+r.ID+")")
		}
	}
	return here
}

// others are the rules of playwright-webmcp 1.x and webmcp-lint, and the audits of Lighthouse's category Agentic
// Browsing, as their documents list them.
var others = func() (all []string) {
	for _, id := range []string{
		"annotations-explicit", "declarative-autosubmit-sensitive", "declarative-description", "declarative-field-description", "description-injection",
		"description-length", "description-missing", "description-when-to-use", "exposed-to-origin-only", "exposed-to-secure-origins",
		"param-description-length", "param-description-missing", "schema-depth", "schema-no-null-literals", "schema-shape",
		"schema-unsupported-keywords", "sensitive-params", "tool-name-style", "tool-name-valid", "tool-title-missing",
		"capability-trifecta", "duplicate-tool-name", "naming-consistency", "no-tools", "similar-descriptions",
		"third-party-registration", "too-many-tools", "tool-shadowing", "navigation-consequential", "no-interpolated-text", "valid-event-name",
	} {
		all = append(all, "playwright-webmcp: "+id)
	}
	for i := range 11 {
		all = append(all, fmt.Sprintf("webmcp-lint: WML-%03d", i+1))
	}
	for _, id := range []string{"webmcp-registered-tools", "webmcp-form-coverage", "webmcp-schema-validity", "agent-accessibility-tree",
		"cumulative-layout-shift", "llms-txt"} {
		all = append(all, "Lighthouse: "+id)
	}
	return all
}()

// elsewhere says why a rule has none here.
var elsewhere = map[string]string{
	"playwright-webmcp: no-interpolated-text": "it reads the source, and a check sees the page",
	"Lighthouse: agent-accessibility-tree":    "it is about agents that read the page, not about its tools",
	"Lighthouse: cumulative-layout-shift":     "it is about agents that read the page, not about its tools",
	"Lighthouse: llms-txt":                    "it is about a file of the site, not about its tools",
	"playwright-webmcp: valid-event-name":     "it reads the source, and a check sees the page",
}

// Every rule that others publish is covered, or it is said why not; and no rule claims to
// cover one that nobody has.
func TestOthersRulesAreCovered(t *testing.T) {
	for _, theirs := range others {
		if covered := len(covering(theirs)) > 0; covered == (elsewhere[theirs] != "") {
			t.Errorf("%s: covered %v, and the reason that it isn't is %q", theirs, covered, elsewhere[theirs])
		}
	}
	for _, r := range Rules() {
		for _, c := range r.Covers {
			if !strings.HasPrefix(c, "Chrome: ") && !slices.Contains(others, c) {
				t.Errorf("%s covers %q, which is nobody's rule", r.ID, c)
			}
		}
	}
}

// Every rule explains itself, under an id of its own.
func TestRulesExplainThemselves(t *testing.T) {
	ids, goods := map[string]bool{}, map[string]string{}
	for _, r := range Rules() {
		if ids[r.ID] {
			t.Errorf("two rules are called %s", r.ID)
		}
		ids[r.ID] = true
		if r.Bad != "" && (r.Good == "" || goods[r.Good] != "") {
			t.Errorf("%s has no good example of its own, but that of %q", r.ID, goods[r.Good])
		}
		goods[r.Good] = r.ID
		if r.Title == "" || r.Why == "" || strings.HasSuffix(r.Title, ".") || !strings.HasSuffix(r.Why, ".") && !strings.HasSuffix(r.Why, ")") {
			t.Errorf("%s doesn't explain itself: %q, %q", r.ID, r.Title, r.Why)
		}
		if !slices.Contains([]lint.Severity{lint.Error, lint.Warning, lint.Info}, r.Severity) {
			t.Errorf("%s has the severity %q", r.ID, r.Severity)
		}
	}
}
