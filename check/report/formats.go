package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"webmcphub/check/lint"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitProblem `xml:"failure,omitempty"`
	Error   *junitProblem `xml:"error,omitempty"`
	Skipped *junitSkipped `xml:"skipped,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes a suite for each page, with a test for each rule, and one for each journey, with a test for each step.
// A test of a rule fails if there are findings of at least the severity FailOn; its output has the rule's other
// findings. Rules that were not applied, and steps that were not reached, are skipped.
func (r *Report) JUnit(w io.Writer) error {
	all := junitSuites{Name: "webmcp-hub check"}
	for _, p := range r.Pages {
		s := junitSuite{Name: p.Asked, Time: fmt.Sprintf("%.3f", p.Seconds)}
		if p.Journey {
			s.Name = cmp.Or(p.Name, "journey")
		}
		if p.Error != "" {
			what := "the page can be checked"
			if p.Journey {
				what = "the journey can be made"
			}
			s.Cases = append(s.Cases, junitCase{Name: what, Class: s.Name,
				Error: &junitProblem{p.Error, "unchecked", p.Error}})
		}
		switch {
		case p.Journey:
			s.Cases = append(s.Cases, r.junitSteps(p, s.Name)...)
		case p.Error == "" || p.seen():
			for _, rule := range r.Rules {
				if kindOf(rule.ID) != "journey" {
					s.Cases = append(s.Cases, r.junitCase(p, rule))
				}
			}
		}
		for _, c := range s.Cases {
			s.Failures += count(c.Failure != nil)
			s.Errors += count(c.Error != nil)
			s.Skipped += count(c.Skipped != nil)
		}
		s.Tests = len(s.Cases)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		all.Skipped += s.Skipped
		all.Suites = append(all.Suites, s)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// kindOf returns the kind of a rule that not every check applies: "smoke", "contract" or "journey"; else "".
func kindOf(rule string) string {
	kind, _, _ := strings.Cut(rule, "-")
	if slices.Contains([]string{"smoke", "contract", "journey"}, kind) {
		return kind
	}
	return ""
}

// junitSteps returns a test for each step of a journey.
func (r *Report) junitSteps(p Page, name string) (all []junitCase) {
	for i, s := range p.Steps {
		c := junitCase{Name: fmt.Sprintf("step %d: %s", i+1, s.Name), Class: name}
		switch {
		case s.Error != "" && lint.Error.AtLeast(r.FailOn):
			c.Failure = &junitProblem{Message: s.Error, Type: string(lint.Error), Text: s.Error}
		case !s.Done:
			c.Skipped = &junitSkipped{"it was not reached"}
		}
		all = append(all, c)
	}
	return all
}

// skipped says why a rule was not applied to a page, or returns "".
func (p Page) skipped(rule string) string {
	switch kind := kindOf(rule); {
	case kind == "smoke" && !p.Smoked:
		return "no tools were called; --smoke calls them"
	case kind == "contract" && !p.Locked:
		return "there is no lock file; --accept writes it"
	case kind == "" && p.Error != "" && len(p.Tools) == 0:
		return "the page couldn't be checked"
	}
	return ""
}

func (r *Report) junitCase(p Page, rule lint.Rule) junitCase {
	c := junitCase{Name: rule.ID, Class: p.Asked}
	var lines []string
	fails := false
	for _, f := range p.Findings {
		if f.Rule == rule.ID {
			lines = append(lines, strings.TrimPrefix(about(f)+": ", ": ")+f.Message)
			fails = fails || f.Severity.AtLeast(r.FailOn)
		}
	}
	text := strings.Join(lines, "\n")
	if why := p.skipped(rule.ID); why != "" && len(lines) == 0 {
		c.Skipped = &junitSkipped{why}
	} else if fails {
		c.Failure = &junitProblem{Message: rule.Title, Type: string(rule.Severity), Text: text}
	} else {
		c.Out = text
	}
	return c
}

// SARIF writes the report in code scanning's format SARIF, version 2.1.0.
func (r *Report) SARIF(w io.Writer) error {
	type object = map[string]any
	levels := map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Info: "note"}
	rules, results, notes := []object{}, []object{}, []object{}
	for _, rule := range r.Rules {
		rules = append(rules, object{
			"id": rule.ID, "shortDescription": object{"text": rule.Title}, "fullDescription": object{"text": rule.Why},
			"defaultConfiguration": object{"level": levels[rule.Severity]}, "help": help(rule),
		})
	}
	for _, p := range r.Pages {
		place := object{"physicalLocation": object{"artifactLocation": object{"uri": artifact(p.Asked)},
			"region": object{"startLine": 1}}}
		if p.Error != "" {
			notes = append(notes, object{"level": "error", "message": object{"text": p.Error},
				"locations": []object{place}})
		}
		for _, f := range p.Findings {
			at := object{"physicalLocation": place["physicalLocation"]}
			if f.Line > 0 {
				at["physicalLocation"] = object{"artifactLocation": object{"uri": artifact(f.Script)},
					"region": object{"startLine": f.Line}}
			}
			if f.Tool != "" {
				at["logicalLocations"] = []object{{"name": f.Tool, "fullyQualifiedName": about(f), "kind": "function"}}
			}
			result := object{
				"ruleId": f.Rule, "level": levels[f.Severity],
				"message":   object{"text": strings.TrimPrefix(about(f)+": ", ": ") + f.Message + " (" + p.Asked + ")"},
				"locations": []object{at}, "properties": object{"page": p.Asked},
				"partialFingerprints": object{"webmcpHub/v2": fingerprint(p, f)},
			}
			if i := slices.IndexFunc(r.Rules, func(rule lint.Rule) bool { return rule.ID == f.Rule }); i >= 0 {
				result["ruleIndex"] = i
			}
			results = append(results, result)
		}
	}
	_, _, _, unchecked := r.counts()
	run := object{
		"tool":        object{"driver": object{"name": "webmcp-hub check", "version": r.Version, "rules": rules}},
		"results":     results,
		"invocations": []object{{"executionSuccessful": unchecked == 0, "toolExecutionNotifications": notes}},
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{run}})
}

// fingerprint returns a text that is the same for a finding in each check, whichever host and port serve the page.
func fingerprint(p Page, f lint.Finding) string {
	return strings.Join([]string{cmp.Or(p.Name, artifact(p.Asked)), f.Rule, f.Tool, f.Where}, "|")
}

// artifact returns the path of a page or script, without host and port, as if it were a file in the repository.
// GitHub's code scanning rejects http addresses as locations.
func artifact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "page"
	}
	file := strings.Trim(path.Clean("/"+u.Path), "/")
	if file == "" || strings.HasSuffix(u.Path, "/") {
		file = path.Join(file, "index.html")
	}
	return (&url.URL{Path: file}).String()
}
