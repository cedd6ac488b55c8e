package registry

import (
	"slices"

	"webmcphub/registry/offer"
)

// EventBatch are events that take effect at once: no catalog shows some of them without the others.
type EventBatch []Event

func (EventBatch) event() {}

// PageSnapshot is what another [State] needs to know about a page, as far as the State that has the page publishes it.
// It is immutable.
type PageSnapshot struct {
	Page    PageID
	Browser string
	Opened  int  // how often the page was opened; Gens are comparable only within one opening
	Proxied bool // this field and those below are as in PageOpened and PageChanged
	URL     string
	Origin  string
	Title   string
	State   string
	Dialog  string
	Arrived bool
	Gen     Gen  // of the main document
	Moving  bool // URL is still the previous document's
	Frames  []Frame
	// Tools has the published tools, and those that are refused for their content.
	Tools  []*PageTool
	Offers OffersReported
}

// PageSnapshot returns what another State needs to know about a tab of the catalog.
func (c *Catalog) PageSnapshot(t *Tab) *PageSnapshot {
	f := &PageSnapshot{Page: t.Page, Browser: t.Browser, Opened: t.times, Proxied: t.Proxied, URL: t.URL,
		Origin: t.Origin,
		Title:  t.Title, State: t.State, Dialog: t.Dialog, Arrived: t.Arrived,
		Gen: t.gen, Moving: t.moving, Frames: t.frames, Tools: t.shownTools(),
		Offers: OffersReported{Page: t.Page, Gen: t.gen, Browser: t.capable}}
	if t.Address.KeptOut() {
		f.URL, f.Title = t.Address.Shown(300), ""
	}
	for o := range c.Offered().Page(t.Page).Each {
		switch source := o.Source().(type) {
		case *offer.PageResource:
			f.Offers.Resources = append(f.Offers.Resources, source)
		case *offer.PagePrompt:
			f.Offers.Prompts = append(f.Offers.Prompts, source)
		}
	}
	return f
}

// shownTools returns the tools that the page shows, in its order, without the withheld ones.
func (t *Tab) shownTools() (all []*PageTool) {
	published := t.Tools
	for _, tool := range t.reportedTools {
		switch {
		case len(published) > 0 && published[0].Source().Same(tool):
			all, published = append(all, published[0].Source()), published[1:]
		case !slices.ContainsFunc(t.Withheld, func(h *offer.Held) bool { return h.Tool == tool }):
			all = append(all, tool)
		}
	}
	return all
}
