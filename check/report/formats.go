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
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitProblem `xml:"failure,omitempty"`
	Error   *junitProblem `xml:"error,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes a suite for each page, with a test for each rule. A test fails if there are findings of at least the
// severity FailOn. Its output has the rule's other findings.
func (r *Report) JUnit(w io.Writer) error {
	all := junitSuites{Name: "webmcp-hub check"}
	for _, p := range r.Pages {
		s := junitSuite{Name: p.Asked, Time: fmt.Sprintf("%.3f", p.Seconds)}
		if p.Error != "" {
			s.Errors++
			s.Cases = append(s.Cases, junitCase{Name: "the page can be checked", Class: p.Asked,
				Error: &junitProblem{p.Error, "unchecked", p.Error}})
		}
		if p.Error == "" || p.seen() {
			for _, rule := range r.Rules {
				c := r.junitCase(p, rule)
				if c.Failure != nil {
					s.Failures++
				}
				s.Cases = append(s.Cases, c)
			}
		}
		s.Tests = len(s.Cases)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
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
	if fails {
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
			if f.Tool != "" {
				at["logicalLocations"] = []object{{"name": f.Tool, "fullyQualifiedName": about(f), "kind": "function"}}
			}
			result := object{
				"ruleId": f.Rule, "level": levels[f.Severity],
				"message":   object{"text": strings.TrimPrefix(about(f)+": ", ": ") + f.Message + " (" + p.Asked + ")"},
				"locations": []object{at}, "properties": object{"page": p.Asked},
				"partialFingerprints": object{"webmcpHub/v1": p.Asked + "|" + f.Rule + "|" + f.Tool + "|" + f.Where},
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

// artifact returns a page's name as a file of the repository. GitHub's code scanning accepts nothing else as a
// location: it rejects http addresses.
func artifact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "page"
	}
	host := strings.ReplaceAll(cmp.Or(u.Host, "file"), ":", "-")
	return (&url.URL{Path: strings.TrimSuffix(path.Join(host, u.Path), "/")}).String()
}
