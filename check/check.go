package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/check/contract"
	"webmcphub/check/finding"
	"webmcphub/check/journey"
	"webmcphub/check/lint"
	"webmcphub/check/report"
	"webmcphub/check/seen"
	"webmcphub/check/smoke"
	"webmcphub/check/watch"
)

// DefaultCallTimeout is how long a tool may take to answer.
const DefaultCallTimeout = 10 * time.Second

// Options say what is checked, and how.
type Options struct {
	URLs   []string
	Chrome watch.Options
	// Lock holds the definitions that the pages should have; nil compares nothing. With
	// Accept it is changed to hold those that they have.
	Lock   *contract.Lock
	Accept bool
	// Smoke calls the tools that say that they only read; All calls the others, too.
	Smoke, All bool
	// CallTimeout is how long a tool may take to answer; 0 is [DefaultCallTimeout].
	CallTimeout time.Duration
	// Journeys are done after the pages have been checked, from the first of URLs on.
	Journeys []journey.Journey
	FailOn   finding.Severity
	Version  string       // of this program
	Doing    func(string) // is told what is being done; nil is nobody
}

// Rules are all rules of all parts of a check.
func Rules() []finding.Rule {
	return slices.Concat(lint.Rules(), contract.Rules(), smoke.Rules(), journeyRules)
}

// Run checks the pages, one after the other. The error is that there is no Chrome, or that
// ctx ended; what is wrong with a page is in the report.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	if o.CallTimeout <= 0 {
		o.CallTimeout = DefaultCallTimeout
	}
	if o.Doing == nil {
		o.Doing = func(string) {}
	}
	o.Doing("starting Chrome")
	browser, err := watch.Start(ctx, o.Chrome)
	if err != nil {
		return nil, err
	}
	defer browser.Close()
	r := &run{Options: o, browser: browser}
	all := &report.Report{Version: o.Version, Chrome: browser.Version(ctx), FailOn: o.FailOn, Rules: Rules()}
	for _, url := range o.URLs {
		p, err := r.page(ctx, url)
		if err != nil {
			return nil, err
		}
		all.Pages = append(all.Pages, p)
	}
	for _, j := range o.Journeys {
		p, err := r.journey(ctx, o.URLs[0], j)
		if err != nil {
			return nil, err
		}
		all.Pages = append(all.Pages, p)
	}
	all.Clean()
	return all, nil
}

// A run is one Run.
type run struct {
	Options
	browser *watch.Browser
}

// page checks one page.
func (r *run) page(ctx context.Context, url string) (report.Page, error) {
	p := report.Page{Asked: url, Tools: []string{}, Findings: []finding.Finding{}}
	r.Doing("opening " + url)
	began := time.Now()
	tab, page, err := r.browser.Open(ctx, url)
	p.URL, p.Title = page.URL, page.Title
	switch {
	case errors.Is(err, watch.ErrLoad):
		p.Error, p.Seconds = err.Error(), time.Since(began).Seconds()
		return p, nil
	case err != nil:
		return p, err
	}
	defer func() { tab.Close() }()
	for _, t := range page.Tools {
		p.Tools = append(p.Tools, t.Name)
	}
	p.Findings = append(p.Findings, lint.Page(&page)...)
	p.Findings = append(p.Findings, r.contract(&page)...)
	if r.Smoke || r.All {
		if tab, err = r.smoke(ctx, tab, &page, &p); err != nil {
			return p, err
		}
	}
	finding.Sort(p.Findings)
	p.Seconds = time.Since(began).Seconds()
	return p, ctx.Err()
}

// contract compares the page's tools with those of the lock file, or accepts them.
func (r *run) contract(page *seen.Page) []finding.Finding {
	if r.Lock == nil {
		return nil
	}
	key := contract.Key(page.Asked, r.URLs)
	if r.Accept {
		r.Lock.Set(key, page.Tools)
		return nil
	}
	locked, ok := r.Lock.Pages[key]
	if !ok && len(page.Tools) > 0 {
		d := contract.Difference{Kind: contract.Widening, Message: fmt.Sprintf("the lock file doesn't have the page %s; --accept adds it", key)}
		return contract.Findings(page.Asked, []contract.Difference{d})
	}
	return contract.Findings(page.Asked, contract.Diff(locked, page.Tools))
}

// smoke calls the page's tools. A tool after which the page can't go on is left alone, and
// the others are called in a tab that is opened anew.
func (r *run) smoke(ctx context.Context, tab *watch.Tab, page *seen.Page, p *report.Page) (*watch.Tab, error) {
	told := once{}
	for i := range page.Tools {
		t := &page.Tools[i]
		if !r.All && !t.ReadOnly() {
			p.NotCalled = append(p.NotCalled, t.Name)
			continue
		}
		for _, in := range smoke.Inputs(t.InputSchema) {
			r.Doing("calling " + t.Name + " (" + in.Name + ")")
			calling, cancel := context.WithTimeout(ctx, r.CallTimeout)
			out, err := tab.Call(calling, t.Name, in.Args)
			cancel()
			if ctx.Err() != nil {
				return tab, context.Cause(ctx)
			}
			if err != nil {
				break // the page has taken the tool back
			}
			p.Calls++
			told.add(p, smoke.Judge(page.Asked, t, in, out))
			if !out.Stops() {
				continue
			}
			tab.Close()
			if tab, _, err = r.browser.Open(ctx, page.Asked); err != nil {
				p.Error = err.Error()
				return tab, ctx.Err()
			}
			break
		}
	}
	return tab, nil
}

// once are the tools and rules that have been told of: the other inputs say the same.
type once map[[2]string]bool

// add adds findings to a page's, but only one for each tool and rule.
func (o once) add(p *report.Page, found []finding.Finding) {
	for _, f := range found {
		key := [2]string{f.Tool, f.Rule}
		if !o[key] {
			o[key] = true
			p.Findings = append(p.Findings, f)
		}
	}
}
