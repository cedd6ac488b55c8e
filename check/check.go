package check

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"webmcphub/check/contract"
	"webmcphub/check/journey"
	"webmcphub/check/lint"
	"webmcphub/check/report"

	"webmcphub/check/probe"
	"webmcphub/check/smoke"
	"webmcphub/mcpserver/arguments"
)

// DefaultCallTimeout is how long a tool may take to answer, unless [Options] set another time.
const DefaultCallTimeout = 10 * time.Second

// Options say what to check, and how.
type Options struct {
	URLs   []string
	Chrome probe.Options
	// Lock holds the definitions that the pages should have; nil compares nothing. With Accept, Run stores the
	// definitions that the pages have.
	Lock   *contract.Lock
	Accept bool
	// Smoke calls the tools that declare themselves read-only; All calls the others, too.
	Smoke, All bool
	// CallTimeout is how long a tool may take to answer; 0 is [DefaultCallTimeout].
	CallTimeout time.Duration
	// Journeys run after the pages have been checked. They start at the first of URLs.
	Journeys []journey.Journey
	// Settings change severities and silence findings; nil changes nothing.
	Settings *Settings
	// Baseline has findings that don't count; nil has none. With UpdateBaseline, Run replaces them by the current
	// findings.
	Baseline       *Baseline
	UpdateBaseline bool
	// If Crawl isn't 0, Run also checks pages that a checked page links to or that sitemap.xml lists, if they have
	// the same origin, until it has Crawl pages in all.
	Crawl   int
	FailOn  lint.Severity
	Version string       // of this program
	Doing   func(string) // gets a text about the progress; may be nil
}

// Rules returns the rules of all parts of a check.
func Rules() []lint.Rule {
	return slices.Concat(lint.Rules(), contract.Rules(), smoke.Rules(), journeyRules)
}

// Run checks the pages, one after the other. It returns an error if there is no Chrome, or if ctx ends; in the latter
// case the report has the findings until then. The report also has what is wrong with a page.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	if o.CallTimeout <= 0 {
		o.CallTimeout = DefaultCallTimeout
	}
	if o.Doing == nil {
		o.Doing = func(string) {}
	}
	o.Doing("starting Chrome")
	browser, err := probe.Start(ctx, o.Chrome)
	if err != nil {
		return nil, err
	}
	defer browser.Close()
	r := &run{Options: o, browser: browser, schemas: arguments.New(slog.New(slog.DiscardHandler)), tools: map[string]json.RawMessage{},
		mapped: map[string]bool{}}
	all := &report.Report{Version: o.Version, Chrome: browser.Version(ctx), FailOn: o.FailOn, Rules: Rules()}
	var fresh Baseline
	add := func(p report.Page, err error) {
		if err != nil && p.Error == "" {
			p.Error = strings.TrimPrefix(err.Error(), probe.ErrLoad.Error()+": ") // the report says that it wasn't checked
		}
		p.Findings, p.Silenced = o.Settings.Apply(p.Findings, time.Now())
		if o.UpdateBaseline {
			fresh.Add(p.Findings)
		} else {
			p.Findings, p.Known = o.Baseline.New(p.Findings)
		}
		lint.SortFindings(p.Findings)
		all.Pages = append(all.Pages, p)
	}
	r.pages = slices.Clone(o.URLs)
	for i := 0; i < len(r.pages); i++ {
		r.on = fmt.Sprintf("page %d of %d: ", i+1, len(r.pages))
		if len(r.pages) == 1 {
			r.on = ""
		}
		add(r.page(ctx, r.pages[i]))
	}
	if o.Crawl > 0 {
		dropNoTools(all.Pages)
	}
	for _, j := range o.Journeys {
		add(r.journey(ctx, o.URLs[0], j))
	}
	if o.UpdateBaseline && ctx.Err() == nil {
		*o.Baseline = fresh
	}
	if len(o.Journeys) > 0 {
		all.Coverage = report.CoverageOf("the journeys", r.tools, r.calls)
	}
	all.Clean()
	if ctx.Err() != nil {
		return all, context.Cause(ctx)
	}
	return all, nil
}

// A run is the state of one [Run].
type run struct {
	Options
	browser *probe.Browser
	schemas *arguments.Checker
	mapped  map[string]bool // origins whose sitemaps were read
	pages   []string        // the pages to check; a crawl adds some
	on, at  string          // the beginnings of texts for Doing: on names the page, at the page and the tool

	tools map[string]json.RawMessage // input schemas by the tools' names, for the coverage
	calls []report.CoveredCall       // calls that the journeys made, for the coverage
}

// saw notes tools that a journey might call.
func (r *run) saw(tools []lint.Tool) {
	for _, t := range tools {
		r.tools[t.Name] = t.InputSchema
	}
}

// These limit how long it takes to judge the tools of a page, and to make inputs for one tool. Pages may make their
// tools as large as they like.
const (
	judgeTime  = 30 * time.Second
	inputsTime = 5 * time.Second
)

// page checks one page. If it returns an error, p has what was found before.
func (r *run) page(ctx context.Context, url string) (p report.Page, err error) {
	p = report.Page{Asked: url, Tools: []string{}, Findings: []lint.Finding{}}
	if ctx.Err() != nil {
		return p, fmt.Errorf("it was not reached: %w", context.Cause(ctx))
	}
	r.Doing(r.on + "opening " + url)
	began := time.Now()
	defer func() { p.Seconds = time.Since(began).Seconds() }()
	tab, page, err := r.browser.Open(ctx, url)
	p.URL, p.Title, p.Waited, p.Busy = page.URL, page.Title, page.Waited.Seconds(), page.Busy
	p.Smoked, p.Locked = r.Smoke || r.All, r.Lock != nil && !r.Accept
	defer func() { point(p.Findings, page.Tools) }()
	if err != nil {
		return p, err
	}
	defer func() { tab.Close() }()
	if r.Crawl > 0 {
		r.follow(ctx, tab, page)
	}
	r.saw(page.Tools)
	for _, t := range page.Tools {
		p.Tools = append(p.Tools, t.Name)
	}
	judging, done := context.WithTimeoutCause(ctx, judgeTime,
		fmt.Errorf("its tools are too large to be judged within %v", judgeTime))
	found, err := lint.Page(judging, &page)
	done()
	p.Findings = append(p.Findings, found...)
	if err != nil {
		return p, err
	}
	p.Findings = append(p.Findings, r.contract(&page)...)
	if r.Smoke || r.All {
		tab, err = r.smoke(ctx, tab, &page, &p)
	}
	return p, err
}

// point sets in findings where their tools were registered.
func point(findings []lint.Finding, tools []lint.Tool) {
	for i := range findings {
		f := &findings[i]
		if at := slices.IndexFunc(tools, func(t lint.Tool) bool { return t.Name == f.Tool }); f.Tool != "" && at >= 0 {
			f.Script, f.Line = tools[at].Script, tools[at].Line
		}
	}
}

// contract compares the page's tools with those of the lock file. With Accept, it stores them there instead.
func (r *run) contract(page *lint.SeenPage) []lint.Finding {
	if r.Lock == nil {
		return nil
	}
	key := r.Lock.Key(page.Asked, r.URLs)
	if r.Accept {
		r.Lock.Set(key, page.Tools)
		return nil
	}
	locked, ok := r.Lock.Pages[key]
	if !ok && len(page.Tools) > 0 {
		d := contract.Difference{Kind: contract.Widening, Message: fmt.Sprintf("the lock file doesn't have the page "+
			"%s; --accept adds it", key)}
		if len(r.Lock.Pages) > 0 {
			d.Kind = contract.Breaking // otherwise nothing would be compared with a page under another name
		}
		return contract.Findings(page.Asked, []contract.Difference{d})
	}
	return contract.Findings(page.Asked, contract.Diff(locked, page.Tools))
}
