package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"webmcphub/check/journey"
	"webmcphub/check/lint"
	"webmcphub/check/report"

	"webmcphub/check/probe"
)

// journeyRules are the rules that journeys can break.
var journeyRules = []lint.Rule{{
	ID: "journey-failed", Severity: lint.Error, Title: "A journey doesn't go as it should",
	Why: "A step of a file of --journey failed, its result isn't the one that the file expects, or the tool's schema " +
		"doesn't permit its arguments. The steps after it weren't done.",
	Bad:  `- {call: search, arguments: {query: tea}} # the parameter is called words by now`,
	Good: `- {call: search, arguments: {words: tea}}`,
}}

// A walk is the state of one journey.
type walk struct {
	*run
	base string
	tabs map[string]*probe.Tab
	last string // the tab that was opened last
	page *report.Page
}

// journey runs a journey's steps in tabs of its own, starting at base. The first step that fails becomes a finding.
func (r *run) journey(ctx context.Context, base string, j journey.Journey) (report.Page, error) {
	p := report.Page{Asked: base, URL: base, Title: "journey: " + j.Name, Journey: true, Tools: []string{},
		Findings: []lint.Finding{}, Name: j.Name}
	if ctx.Err() != nil {
		return p, fmt.Errorf("it was not reached: %w", context.Cause(ctx))
	}
	began := time.Now()
	w := &walk{run: r, base: base, tabs: map[string]*probe.Tab{}, page: &p}
	defer func() {
		for _, t := range w.tabs {
			t.Close()
		}
	}()
	steps := j.Steps
	if len(steps) > 0 && steps[0].Open == "" {
		steps = slices.Insert(slices.Clone(steps), 0, journey.Step{Open: base})
	}
	for _, s := range steps {
		p.Steps = append(p.Steps, report.Step{Name: s.String()})
	}
	for i, s := range steps {
		r.Doing(fmt.Sprintf("%s, step %d of %d", j.Name, i+1, len(steps)))
		err := w.step(ctx, s)
		if ctx.Err() != nil {
			return p, context.Cause(ctx)
		}
		p.Steps[i].Done = true
		if err != nil {
			p.Steps[i].Error = err.Error()
			rule := journeyRules[0]
			p.Findings = append(p.Findings, lint.Finding{Rule: rule.ID, Severity: rule.Severity, Page: base,
				Tool: s.Call, Where: fmt.Sprintf("%s, step %d", j.Name, i+1+len(j.Steps)-len(steps)),
				Message: err.Error()})
			break
		}
	}
	p.Seconds = time.Since(began).Seconds()
	return p, nil
}

func (w *walk) step(ctx context.Context, s journey.Step) error {
	if s.Open != "" {
		return w.open(ctx, s)
	}
	name := s.Tab
	if name == "" {
		name = w.last
	}
	tab := w.tabs[name]
	if tab == nil {
		return fmt.Errorf("no tab %q is open", name)
	}
	switch {
	case s.Close:
		tab.Close()
		delete(w.tabs, name)
		return nil
	case s.Tools != nil:
		return w.await(ctx, tab, *s.Tools)
	}
	return w.call(ctx, tab, s)
}

func (w *walk) open(ctx context.Context, s journey.Step) error {
	base, err := url.Parse(w.base)
	if err != nil {
		return err
	}
	to, err := base.Parse(s.Open)
	if err != nil {
		return err
	}
	tab, page, err := w.browser.Open(ctx, to.String())
	if err != nil {
		return fmt.Errorf("%s: %w", to, err)
	}
	w.saw(page.Tools)
	w.tabs[s.Tab].Close() // the tab that had this name before
	w.tabs[s.Tab], w.last = tab, s.Tab
	return nil
}

// await waits until tools have appeared and disappeared.
func (w *walk) await(ctx context.Context, tab *probe.Tab, want journey.Tools) error {
	ctx, cancel := context.WithTimeout(ctx, w.CallTimeout)
	defer cancel()
	missing := ""
	err := tab.Until(ctx, func(all []lint.Tool) bool {
		missing = ""
		w.saw(all)
		there := func(name string) bool {
			return slices.ContainsFunc(all, func(t lint.Tool) bool { return t.Name == name })
		}
		for _, name := range want.Has {
			if !there(name) {
				missing = name + " has not appeared"
			}
		}
		for _, name := range want.Gone {
			if there(name) {
				missing = name + " is still there"
			}
		}
		return missing == ""
	})
	if err != nil {
		return fmt.Errorf("%s within %v", missing, w.CallTimeout)
	}
	return nil
}

// refused says why the hub would refuse a tool's arguments, or why no agent that reads the tool's schema would send
// them. It returns "" if the arguments match the schema.
func (w *walk) refused(tab *probe.Tab, name string, args json.RawMessage) string {
	all := tab.Tools()
	i := slices.IndexFunc(all, func(t lint.Tool) bool { return t.Name == name })
	if i < 0 {
		return ""
	}
	if wrong, _ := w.schemas.CheckForPage(all[i].InputSchema, args); wrong != "" {
		return strings.Join(strings.Fields(wrong), " ")
	}
	return journey.Unlisted(all[i].InputSchema, args)
}

func (w *walk) call(ctx context.Context, tab *probe.Tab, s journey.Step) error {
	if err := w.await(ctx, tab, journey.Tools{Has: []string{s.Call}}); err != nil {
		return err
	}
	args, err := json.Marshal(journey.Sample(map[string]any(s.Arguments)))
	if err != nil || s.Arguments == nil {
		args = []byte("{}")
	}
	if !s.Fails {
		if wrong := w.refused(tab, s.Call, args); wrong != "" {
			return fmt.Errorf("the hub would refuse the arguments: %s", wrong)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, w.CallTimeout)
	defer cancel()
	out, err := tab.Call(ctx, s.Call, 0, args)
	if err != nil {
		return err
	}
	w.page.Calls++
	w.calls = append(w.calls, report.CoveredCall{Tool: s.Call, Arguments: args})
	if !slices.Contains(w.page.Tools, s.Call) {
		w.page.Tools = append(w.page.Tools, s.Call)
	}
	answers := journey.Answers(out.Result)
	text := answers[len(answers)-1]
	switch {
	case out.IsError && !s.Fails:
		return fmt.Errorf("it failed: %v", text)
	case !out.IsError && s.Fails:
		return errors.New("it should have failed, and didn't")
	case s.Result == nil:
		return nil
	}
	for _, a := range answers {
		if err = journey.Match(s.Result, a); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w (it answered %v)", err, text)
}
