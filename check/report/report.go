package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"webmcphub/check/lint"
	"webmcphub/internal/mask"
	"webmcphub/internal/wording"
	"webmcphub/registry/sanitize"
)

// A Report has the findings of all pages.
type Report struct {
	Version string `json:"version"` // of this program
	Chrome  string `json:"chrome"`
	Pages   []Page `json:"pages"`
	// FailOn is the lowest severity of findings that make the check fail.
	FailOn lint.Severity `json:"failOn"`

	// Coverage says which tools the journeys, or a recording, called; nil if there were none.
	Coverage *Coverage `json:"coverage,omitempty"`

	Rules []lint.Rule `json:"-"` // all rules that were checked
}

// A Page has the findings of one page.
type Page struct {
	Asked     string         `json:"asked"` // the requested address
	URL       string         `json:"url"`   // the address after redirects
	Title     string         `json:"title"`
	Journey   bool           `json:"-"`     // the findings are a journey's, and Tools are the tools that it met
	Tools     []string       `json:"tools"` // their names
	Calls     int            `json:"calls"` // how many calls of tools were made
	Seconds   float64        `json:"seconds"`
	Error     string         `json:"error,omitempty"` // why the page couldn't be checked
	Findings  []lint.Finding `json:"findings"`
	NotCalled []string       `json:"notCalled,omitempty"` // tools that the smoke test skipped, because they may write
	NotTried  []NotTried     `json:"notTried,omitempty"`

	// Waited is how many seconds the check watched the page after it had loaded. Busy says why it wasn't quiet by
	// then.
	Waited float64 `json:"waited,omitempty"`
	Busy   string  `json:"busy,omitempty"`
	// Silenced is the number of findings that the settings silence, and Known the number of findings in the baseline.
	Silenced int `json:"silenced,omitempty"`
	Known    int `json:"known,omitempty"`
	// Smoked says that the smoke test ran, and Locked that the definitions were compared with those of a lock file.
	Smoked bool `json:"-"`
	Locked bool `json:"-"`

	Name  string `json:"-"` // the name of the journey
	Steps []Step `json:"-"` // the steps of the journey
}

// A Step is a step of a journey.
type Step struct {
	Name  string
	Done  bool   // the step was tried
	Error string // why the step failed
}

// A NotTried is a tool that the smoke test could not call, with the reason.
type NotTried struct {
	Tool string `json:"tool"`
	Why  string `json:"why"`
}

// seen reports whether any part of the page was checked.
func (p Page) seen() bool { return len(p.Tools)+len(p.Findings)+p.Calls > 0 }

// unchecked says how far the check of a page got before its error.
func (p Page) unchecked() string {
	if p.seen() {
		return "not checked to the end:"
	}
	return "not checked:"
}

// Exit codes of the command.
const (
	Passed    = 0
	Failed    = 1 // there are findings at least as severe as FailOn
	Misused   = 2 // the command line, or a file that it names, is wrong
	Unchecked = 3 // a page couldn't be checked, or there is no Chrome
)

// Clean makes all texts from pages safe to write anywhere, and removes user names and passwords from addresses.
func (r *Report) Clean() {
	const most = 1000
	if r.Coverage != nil {
		cleanCoverage(r.Coverage)
	}
	for i := range r.Pages {
		p := &r.Pages[i]
		p.Asked = address(p.Asked)
		p.Title, p.URL, p.Error = line(p.Title, 200), line(address(p.URL), 2000), line(p.Error, most)
		for j := range p.Tools {
			p.Tools[j] = line(p.Tools[j], 200)
		}
		for j := range p.NotCalled {
			p.NotCalled[j] = line(p.NotCalled[j], 200)
		}
		for j := range p.NotTried {
			n := &p.NotTried[j]
			n.Tool, n.Why = line(n.Tool, 200), line(n.Why, most)
		}
		p.Name, p.Busy = line(p.Name, 200), line(p.Busy, 200)
		for j := range p.Steps {
			p.Steps[j].Name, p.Steps[j].Error = line(p.Steps[j].Name, 200), line(p.Steps[j].Error, most)
		}
		for j := range p.Findings {
			f := &p.Findings[j]
			f.Script = address(line(f.Script, 2000))
			f.Page, f.Tool, f.Where, f.Message = address(f.Page), line(f.Tool, 200), line(f.Where, 300),
				line(f.Message, most)
		}
	}
}

// line returns a text as one line that can control neither a terminal nor GitHub's log. GitHub's runner takes "::" at
// the beginning of a line, and "##[" anywhere in it, for a command.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(sanitize.Text(s, most)), " ")
	if strings.HasPrefix(s, "::") {
		s = ": :" + s[2:]
	}
	return strings.ReplaceAll(s, "##[", "## [")
}

// address returns an address without user name and password, and without the values of parameters that may be secret.
func address(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	var m mask.Masker
	query := m.Query(u.RawQuery, "masked")
	if u.User == nil && query == u.RawQuery {
		return s
	}
	u.User, u.RawQuery = nil, query
	return u.String()
}

// Exit returns the command's exit code.
func (r *Report) Exit() int {
	code := Passed
	for _, p := range r.Pages {
		switch {
		case p.Error != "":
			return Unchecked
		case lint.CountFindings(p.Findings, r.FailOn) > 0:
			code = Failed
		}
	}
	return code
}

// counts returns the number of findings of each severity.
func (r *Report) counts() (errors, warnings, infos, unchecked int) {
	for _, p := range r.Pages {
		e := lint.CountFindings(p.Findings, lint.Error)
		w := lint.CountFindings(p.Findings, lint.Warning)
		errors, warnings, infos = errors+e, warnings+w-e, infos+len(p.Findings)-w
		if p.Error != "" {
			unchecked++
		}
	}
	return errors, warnings, infos, unchecked
}

// JSON writes the whole report.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// rule returns a rule by its id. It always finds the rule of a finding.
func (r *Report) rule(id string) lint.Rule {
	for _, rule := range r.Rules {
		if rule.ID == id {
			return rule
		}
	}
	return lint.Rule{ID: id, Title: id}
}

// summary returns the report in one line.
func (r *Report) summary() string {
	errors, warnings, infos, unchecked := r.counts()
	pages, journeys, tools, calls := 0, 0, 0, 0
	for _, p := range r.Pages {
		calls += p.Calls
		if p.Journey { // a journey's tools belong to pages, and may already be counted
			journeys++
			continue
		}
		pages, tools = pages+1, tools+len(p.Tools)
	}
	parts := []string{wording.Count(pages, "page"), wording.Count(tools, "tool")}
	if journeys > 0 {
		parts = append(parts, wording.Count(journeys, "journey"))
	}
	if calls > 0 {
		parts = append(parts, wording.Count(calls, "call"))
	}
	parts = append(parts, wording.Count(errors, "error"), wording.Count(warnings, "warning"),
		fmt.Sprintf("%d info", infos))
	if unchecked > 0 {
		parts = append(parts, wording.Count(unchecked, "page")+" not checked")
	}
	return strings.Join(parts, ", ")
}

// about returns the tool, and the place in the tool, that a finding is about.
func about(f lint.Finding) string {
	switch {
	case f.Tool == "":
		return f.Where
	case f.Where == "":
		return f.Tool
	}
	return f.Tool + ", " + f.Where
}

// Found reports whether there are findings.
func (r *Report) Found() bool {
	errors, warnings, infos, _ := r.counts()
	return errors+warnings+infos > 0
}

// Silent reports whether there is nothing to print.
func (r *Report) Silent() bool {
	errors, warnings, infos, unchecked := r.counts()
	return errors+warnings+infos+unchecked == 0
}
