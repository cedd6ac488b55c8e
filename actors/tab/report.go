package tab

import (
	"cmp"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"webmcphub/registry"
)

// A page may make reportBurst reports at once, and beyond that one in a
// ReportInterval: one that floods costs the registry, and so the others, little.
const (
	reportBurst    = 10
	ReportInterval = time.Millisecond
)

// reports is what the registry has been told, and what there is to tell.
type reports struct {
	frames  []registry.Frame        // the iframes that the registry knows of
	offered registry.OffersReported // the newest that the registry knows
	page    registry.PageChanged    // likewise
	moved   bool                    // the registry has yet to hear of the main document
	changed bool                    // the tools or frames may have changed since the last report
	shown   bool                    // the user has brought the page to the front since the last report

	flight Flight // from the first change until it is reported
	limit  *rate.Limiter
}

// Changed says that the page's tool set may have changed. The report stands
// in the mailbox behind the changes that have arrived already, so a burst is
// told once.
func (t *Tab) Changed() {
	t.reports.changed = true
	t.ReportSoon()
}

// ReportSoon says that there is something else to report.
func (t *Tab) ReportSoon() {
	if t.reports.flight.Want() {
		t.After(t.reports.limit.Reserve().Delay(), reportDue{})
	}
}

// Shown says that the user has brought the page to the front.
func (t *Tab) Shown() {
	t.reports.shown = true
	t.ReportSoon()
}

// report tells the registry what has changed, of the tools the whole set. While
// the registry has yet to take the last report, it waits.
func (t *Tab) report(any) {
	r := &t.reports
	if t.intake.reported.Load() {
		t.After(ReportInterval, reportDue{})
		return
	}
	r.flight.Covered()
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
	events = append(events, t.link.SaidMeanwhile()...)
	if r.shown {
		r.shown = false
		events = append(events, registry.PageShown{Page: t.ID})
	}
	if events != nil {
		t.intake.reported.Store(true)
		t.env.Root.Send(t.env.Registry, Report{t.intake, t.ID, t.epoch, events})
	}
	if r.flight.Landed() {
		t.After(t.reports.limit.Reserve().Delay(), reportDue{})
	}
}

// reportOffers adds what the page's servers offer, unless the registry knows that.
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

// holdReport leaves what there is to report to the next phase.
func (t *Tab) holdReport(any) {
	t.reports.flight.Reset()
}

// about is the page itself, as the registry should know it.
func (t *Tab) about() registry.PageChanged {
	title, d := t.Doc.titled(), t.Doc
	c := registry.PageChanged{Page: t.ID, URL: d.URL, Origin: d.Origin, Title: title,
		State: cmp.Or(t.phase.state(), d.Failure), Dialog: d.Dialog, Arrived: d.Arrived,
		Readiness: t.link.Readiness()}
	if t.phase == BetweenDocuments {
		c.URL, c.Origin = "", "" // those were the last document's
	}
	return c
}

// tell has the registry know of something before anything that is reported later.
func (t *Tab) tell(e registry.Event) {
	if !t.phase.ending() {
		t.env.Root.Send(t.env.Registry, registry.PageSaid{Page: t.ID, Epoch: t.epoch, Event: e})
	}
}

// TellPage is for changes of the page that the registry has to know before others.
func (t *Tab) TellPage() {
	t.reports.page = t.about()
	t.tell(t.reports.page)
}

// tellDocument has the registry know of the main document. Its address isn't known
// between two documents.
func (t *Tab) tellDocument() {
	about := t.about()
	t.tell(registry.Navigated{Page: t.ID, Gen: t.Doc.Gen, URL: about.URL, Origin: about.Origin})
}

// tellAll is for a registry that knows nothing of the page but its tab.
func (t *Tab) tellAll(any) {
	t.tellDocument()
	t.TellPage()
	t.reports.frames, t.reports.offered = nil, registry.OffersReported{}
	t.Changed()
}

// Moved says that the page has another main document, at its address already.
// The registry is told at once if it can be.
func (t *Tab) Moved(gen registry.Gen) {
	r := &t.reports
	t.Doc.Gen, r.frames, r.moved, r.changed = gen, nil, true, true
	if !t.phase.ending() && !t.intake.reported.Load() && r.limit.Allow() {
		t.report(nil)
		return
	}
	t.ReportSoon()
}
