package tab

import (
	"cmp"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"webmcphub/registry"
)

// A page may make reportBurst reports at once, and after that one in each ReportInterval. So a page that floods the
// hub with changes costs the registry, and the other pages, little.
const (
	reportBurst    = 10
	ReportInterval = time.Millisecond
)

// reports has what the tab has reported to the registry, and what it still has to report.
type reports struct {
	frames  []registry.Frame        // the iframes that the registry knows
	offered registry.OffersReported // the offers that the registry knows
	page    registry.PageChanged    // what the registry knows of the page
	moved   bool                    // the tab hasn't reported its main document yet
	changed bool                    // the tools or frames may have changed since the last report
	shown   bool                    // the user has brought the page to the front since the last report

	coalescer Coalescer // reads from the first change until the report
	limit     *rate.Limiter
}

// ReportTools reports soon that the page's tool set may have changed. The message that triggers the report comes after
// the changes that already wait in the mailbox, so a burst of changes gives one report.
func (t *Tab) ReportTools() {
	t.reports.changed = true
	t.ReportSoon()
}

// ReportSoon makes the tab report soon whatever has changed.
func (t *Tab) ReportSoon() {
	if t.reports.coalescer.Want() {
		t.After(t.reports.limit.Reserve().Delay(), reportDue{})
	}
}

// ReportFront reports soon that the user has brought the page to the front.
func (t *Tab) ReportFront() {
	t.reports.shown = true
	t.ReportSoon()
}

// report reports to the registry what has changed; if tools have, it reports all tools. While the last report still
// waits in the registry's mailbox, report postpones the next.
func (t *Tab) report(any) {
	r := &t.reports
	if t.flow.reported.Load() {
		t.After(ReportInterval, reportDue{})
		return
	}
	r.coalescer.Covered()
	var events []registry.Event
	if r.moved {
		r.moved = false
		events = append(events, registry.Navigated{Page: t.ID, Gen: t.Doc.Gen, URL: t.Doc.URL, Origin: t.Doc.Origin})
	}
	if now := t.about(); now != r.page {
		r.page = now
		events = append(events, now)
	}
	if r.changed {
		r.changed = false
		if now := t.link.Frames(); !slices.Equal(now, r.frames) {
			r.frames = now
			events = append(events, registry.FramesReported{Page: t.ID, Gen: t.Doc.Gen, Frames: now})
		}
		events = append(events, registry.ToolsReported{Page: t.ID, Gen: t.Doc.Gen, Tools: t.link.Tools()})
		events = t.reportOffers(events)
	}
	events = append(events, t.link.DrainEvents()...)
	if r.shown {
		r.shown = false
		events = append(events, registry.PageInFront{Page: t.ID})
	}
	if events != nil {
		t.flow.reported.Store(true)
		t.env.Root.Send(t.env.Registry, Report{t.flow, t.ID, t.epoch, events})
	}
	if r.coalescer.Done() {
		t.After(t.reports.limit.Reserve().Delay(), reportDue{})
	}
}

// reportOffers appends what the page's servers offer, unless the registry knows it already.
func (t *Tab) reportOffers(events []registry.Event) []registry.Event {
	now, was := t.link.Offers(), t.reports.offered
	now.Page, now.Gen = t.ID, t.Doc.Gen
	if now.Empty() && was.Empty() || now.Gen == was.Gen && now.Browser == was.Browser &&
		slices.Equal(now.Resources, was.Resources) && slices.Equal(now.Prompts, was.Prompts) {
		return events
	}
	t.reports.offered = now
	return append(events, now)
}

// holdReport leaves it to the next phase to report what has changed.
func (t *Tab) holdReport(any) {
	t.reports.coalescer.Reset()
}

// about describes the page for the registry.
func (t *Tab) about() registry.PageChanged {
	title, d := t.Doc.titled(), t.Doc
	c := registry.PageChanged{Page: t.ID, URL: d.URL, Origin: d.Origin, Title: title,
		State: cmp.Or(t.phase.state(), d.Failure), Dialog: d.Dialog, Arrived: d.Arrived,
		Readiness: t.link.Readiness()}
	if t.phase == BetweenDocuments {
		c.URL, c.Origin = "", "" // these are still the last document's
	}
	return c
}

// tell sends the registry an event at once, before all later reports, unless the tab is ending.
func (t *Tab) tell(e registry.Event) {
	if !t.phase.ending() {
		t.env.Root.Send(t.env.Registry, registry.PageEvent{Page: t.ID, Epoch: t.epoch, Event: e})
	}
}

// TellPage sends the registry the page's state at once, because the registry must know that before later reports.
func (t *Tab) TellPage() {
	t.reports.page = t.about()
	t.tell(t.reports.page)
}

// tellDocument sends the registry the main document at once. Between two documents, the address isn't known.
func (t *Tab) tellDocument() {
	about := t.about()
	t.tell(registry.Navigated{Page: t.ID, Gen: t.Doc.Gen, URL: about.URL, Origin: about.Origin})
}

// tellAll reports everything to a registry that knows nothing of the page but its tab.
func (t *Tab) tellAll(any) {
	t.tellDocument()
	t.TellPage()
	t.reports.frames, t.reports.offered = nil, registry.OffersReported{}
	t.ReportTools()
}

// ReportDocument reports that the page has another main document, whose address is known: at once if it can, or else
// soon.
func (t *Tab) ReportDocument(gen registry.Gen) {
	r := &t.reports
	t.Doc.Gen, r.frames, r.moved, r.changed = gen, nil, true, true
	if !t.phase.ending() && !t.flow.reported.Load() && r.limit.Allow() {
		t.report(nil)
		return
	}
	t.ReportSoon()
}
