package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"webmcphub/check/contract"
	"webmcphub/check/lint"
	"webmcphub/internal/wording"
)

// Settings change rules and silence findings.
type Settings struct {
	// Rules maps rules to severities that differ from the usual ones: "error", "warning", "info" or "off".
	Rules map[string]string `yaml:"rules"`
	// Ignore lists findings that don't count.
	Ignore []Ignore `yaml:"ignore"`
}

// Ignore silences a rule's findings until a date.
type Ignore struct {
	Rule   string `yaml:"rule"`
	Tool   string `yaml:"tool"`   // a name, or a pattern such as "get_*"; "" matches any tool and none
	Page   string `yaml:"page"`   // a path, or a pattern such as "/shop/*"; "" matches any
	Reason string `yaml:"reason"` // required
	Until  Date   `yaml:"until"`  // required: the last day
}

// A Date is a day, such as 2027-03-31.
type Date struct{ time.Time }

// UnmarshalYAML reads a date.
func (d *Date) UnmarshalYAML(node *yaml.Node) (err error) {
	if d.Time, err = time.Parse(time.DateOnly, node.Value); err != nil {
		return fmt.Errorf("line %d: %q is no date such as 2027-03-31", node.Line, node.Value)
	}
	return nil
}

// off is the severity in [Settings].Rules that silences a rule.
const off = "off"

// ReadSettings parses settings. rules are the ids of all rules.
func ReadSettings(text []byte, rules []string) (*Settings, error) {
	var s Settings
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	known := func(id string) error {
		if slices.Contains(rules, id) {
			return nil
		}
		return fmt.Errorf("there is no rule %q%s", id, wording.DidYouMean(id, rules))
	}
	for id, severity := range s.Rules {
		if err := known(id); err != nil {
			return nil, err
		}
		if !slices.Contains([]string{string(lint.Error), string(lint.Warning), string(lint.Info), off}, severity) {
			return nil, fmt.Errorf("rule %s: %q is none of error, warning, info and off", id, severity)
		}
	}
	for i, ignore := range s.Ignore {
		if err := known(ignore.Rule); err != nil {
			return nil, fmt.Errorf("ignore, entry %d: %w", i+1, err)
		}
		_, err1 := path.Match(ignore.Tool, "")
		_, err2 := path.Match(ignore.Page, "")
		switch {
		case strings.TrimSpace(ignore.Reason) == "":
			return nil, fmt.Errorf("ignore, entry %d (%s): say why, as reason", i+1, ignore.Rule)
		case ignore.Until.IsZero():
			return nil, fmt.Errorf("ignore, entry %d (%s): say until when, as in until: 2027-03-31", i+1, ignore.Rule)
		case err1 != nil || err2 != nil:
			return nil, fmt.Errorf("ignore, entry %d (%s): the pattern of tool or page is wrong", i+1, ignore.Rule)
		}
	}
	return &s, nil
}

// matches reports whether Ignore silences a finding, apart from the date.
func (i Ignore) matches(f lint.Finding) bool {
	like := func(pattern, name string) bool {
		ok, err := path.Match(pattern, name)
		return pattern == "" || ok && err == nil
	}
	return i.Rule == f.Rule && like(i.Tool, f.Tool) && like(i.Page, contract.Path(f.Page))
}

// Apply returns the findings that count, with the severities that the settings give them, and the number of the
// others. A finding that was ignored until a day before now counts, and its message says so. s may be nil.
func (s *Settings) Apply(all []lint.Finding, now time.Time) (kept []lint.Finding, silenced int) {
	if s == nil {
		return all, 0
	}
	kept = []lint.Finding{}
	for _, f := range all {
		switch severity := s.Rules[f.Rule]; severity {
		case "":
		case off:
			silenced++
			continue
		default:
			f.Severity = lint.Severity(severity)
		}
		ignored := false
		for _, i := range s.Ignore {
			if !i.matches(f) {
				continue
			}
			if now.Before(i.Until.AddDate(0, 0, 1)) {
				ignored = true
				break
			}
			f.Message += fmt.Sprintf(" (it was ignored until %s: %s)", i.Until.Format(time.DateOnly), i.Reason)
		}
		if ignored {
			silenced++
			continue
		}
		kept = append(kept, f)
	}
	return kept, silenced
}
