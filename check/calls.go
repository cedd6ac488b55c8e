package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"webmcphub/check/lint"
	"webmcphub/check/report"

	"webmcphub/check/probe"
	"webmcphub/check/smoke"
)

// smoke calls the page's tools. If the page can't go on after a call, smoke makes no further call of that tool, and
// opens the page in a new tab for the other tools. It returns the tab that is open at the end.
func (r *run) smoke(ctx context.Context, tab *probe.Tab, page *lint.SeenPage, p *report.Page) (*probe.Tab, error) {
	seen, named := once{}, map[string]int{}
	for i := range page.Tools {
		t := &page.Tools[i]
		nth := named[t.Name] // several frames may have tools of the same name
		named[t.Name]++
		if !r.All && !t.ReadOnly() {
			p.NotCalled = append(p.NotCalled, t.Name)
			continue
		}
		if why := r.leaves(t, p.Findings); why != "" {
			p.NotTried = append(p.NotTried, report.NotTried{Tool: t.Name, Why: why})
			continue
		}
		var err error
		r.at = fmt.Sprintf("%stool %d of %d: ", r.on, i+1, len(page.Tools))
		if tab, err = r.callAll(ctx, tab, called{t, nth}, seen, p); err != nil {
			return tab, err
		}
	}
	return tab, nil
}

// leaves says why the smoke test skips a tool that claims to be read-only, or returns "" if the test calls the tool.
func (r *run) leaves(t *lint.Tool, found []lint.Finding) string {
	lies := func(f lint.Finding) bool {
		return f.Tool == t.Name && (f.Rule == "hint-readonly-false" || f.Rule == "hints-contradict")
	}
	if !r.All && slices.ContainsFunc(found, lies) {
		return "it says that it only reads, and its name or another annotation says that it doesn't (--all calls it)"
	}
	return ""
}

// called is a tool to call: the nth of the page's tools with its name, from 0.
type called struct {
	*lint.Tool
	nth int
}

// callAll calls one tool with all its inputs.
func (r *run) callAll(ctx context.Context, tab *probe.Tab, t called, seen once, p *report.Page) (*probe.Tab, error) {
	making, done := context.WithTimeoutCause(ctx, inputsTime, fmt.Errorf("that takes longer than %v", inputsTime))
	inputs, err := smoke.Inputs(making, t.InputSchema)
	done()
	if err != nil {
		p.NotTried = append(p.NotTried, report.NotTried{Tool: t.Name, Why: err.Error()})
	}
	for i, in := range inputs {
		r.Doing(fmt.Sprintf("%scall %d of %d of %s (%s)", r.at, i+1, len(inputs), t.Name, in.Name))
		calling, cancel := context.WithTimeout(ctx, r.CallTimeout)
		out, err := tab.Call(calling, t.Name, t.nth, in.Args)
		cancel()
		if ctx.Err() != nil {
			return tab, context.Cause(ctx)
		}
		if errors.Is(err, probe.ErrNoTool) {
			p.NotTried = append(p.NotTried, report.NotTried{Tool: t.Name, Why: "the page removed it after a call (" +
				in.Name + " was to be next)"})
			return tab, nil
		}
		if errors.Is(err, probe.ErrUnsent) || errors.Is(err, probe.ErrFrameUnknown) {
			p.NotTried = append(p.NotTried, report.NotTried{Tool: t.Name, Why: err.Error()})
			return tab, nil
		}
		p.Calls++
		judging, done := context.WithTimeout(ctx, inputsTime)
		seen.add(p, smoke.Judge(judging, p.Asked, t.Tool, in, out))
		done()
		if !out.Stops() {
			continue
		}
		tab.Close()
		tab, _, err = r.browser.Open(ctx, p.Asked)
		return tab, err
	}
	return tab, nil
}

// once has the tools and rules for which there is a finding. Findings for other inputs would repeat it.
type once map[[2]string]bool

// add adds findings to a page, but only one for each tool and rule.
func (o once) add(p *report.Page, found []lint.Finding) {
	for _, f := range found {
		key := [2]string{f.Tool, f.Rule}
		if !o[key] {
			o[key] = true
			p.Findings = append(p.Findings, f)
		}
	}
}
