package page

import (
	"context"
	"slices"
	"time"

	"webmcphub/cdpclient"
)

// Milestone says how far a document has come in loading.
type Milestone int

const (
	// Committed means that the document is there, and its scripts may run.
	Committed Milestone = iota
	// Parsed means that the document's HTML has been parsed (DOMContentLoaded).
	Parsed
	// Loaded means that everything in the document has loaded (load).
	Loaded
	// NetworkIdle means that the document requested nothing for half a second.
	NetworkIdle
)

var milestones = map[string]Milestone{"DOMContentLoaded": Parsed, "load": Loaded, "networkIdle": NetworkIdle}

// lifecycleEvent is the event Page.lifecycleEvent.
type lifecycleEvent struct {
	FrameID  string `json:"frameId"`
	LoaderID string `json:"loaderId"`
	Name     string `json:"name"`
}

// loading records how far documents have come in loading.
type loading struct {
	levels map[string]Milestone // by loader id; the entry may come before the frame's document
	mains  []string             // loader ids of the main frame's documents, the newest last
	late   int                  // how many init scripts are to be removed once the page answers
}

const (
	maxLevels = 2000
	maxMains  = 32
)

// NotLoaded says that a navigation brought no document.
type NotLoaded struct{ Why string }

// Error returns the reason.
func (e *NotLoaded) Error() string { return e.Why }

// WaitLoad waits until the main frame's document has reached the milestone until. If loader is not "", it is the
// loader id that Page.navigate returned. WaitLoad then first waits until the main frame has shown that document; if
// another document has already replaced it, that other document counts. If loader is "" and a navigation is under
// way, WaitLoad waits for the document of that navigation. The error is [*DialogOpen] if a dialog blocks the page, or
// [*NotLoaded] if the navigation brought no document.
func (p *Page) WaitLoad(ctx context.Context, loader string, until Milestone) error {
	despite := despiteDialog(ctx)
	return p.await(ctx, func(o *owner) (bool, error) {
		main := o.frames[o.main]
		switch {
		case main == nil || main.loader == "":
		case loader != "" && !slices.Contains(o.mains, loader):
			if main.aborted == loader {
				return true, &NotLoaded{"the navigation brought no new page: it was cancelled, became a download, or " +
					"the server had nothing to show"}
			}
		case loader == "" && main.coming != "":
		case o.reached(main, until):
			return true, nil
		}
		if o.blocked(despite) {
			return true, &DialogOpen{Dialog: *o.open}
		}
		return false, nil
	})
}

// reached says whether a frame's document has reached a milestone.
func (o *owner) reached(f *frame, until Milestone) bool {
	if until <= Committed {
		return true
	}
	level, known := o.levels[f.loader]
	return known && level >= until
}

func (o *owner) lifecycle(e lifecycleEvent) {
	level, counts := milestones[e.Name]
	if !counts || o.levels[e.LoaderID] >= level {
		return
	}
	if level == NetworkIdle && o.levels[e.LoaderID] < Loaded { // idle while a slow server prepares its answer
		return
	}
	o.levels[e.LoaderID] = level
	o.tidyLevels()
	if level == Loaded {
		o.note(e.FrameID, func(n *Navigation) {
			if n.Loader == e.LoaderID {
				n.Loaded = true
			}
		})
	}
}

// tidyLevels removes entries of documents that no frame shows, once there are many entries.
func (o *owner) tidyLevels() {
	if len(o.levels) < maxLevels {
		return
	}
	kept := map[string]Milestone{}
	for _, f := range o.frames {
		for _, loader := range []string{f.loader, f.coming} {
			if level, known := o.levels[loader]; known {
				kept[loader] = level
			}
		}
	}
	o.levels = kept
}

func (o *owner) startedNavigating(e startedNavigating) {
	if e.NavigationType == "sameDocument" || e.NavigationType == "historySameDocument" {
		return
	}
	if f := o.frames[e.FrameID]; f != nil {
		f.coming, f.back = e.LoaderID, e.NavigationType == "historyDifferentDocument"
	}
	o.begun(e)
}

// startedNavigating is the event Page.frameStartedNavigating.
type startedNavigating struct {
	cdpclient.FrameStartedNavigating
	URL      string `json:"url"`
	LoaderID string `json:"loaderId"`
}

// loadCommitted records that a frame shows its next document.
func (o *owner) loadCommitted(f *frame, e cdpclient.FrameNavigated) {
	f.coming = ""
	if e.Type == cdpclient.NavigationBFCache {
		o.levels[f.loader] = NetworkIdle // it had been loaded before
	}
	if f.id == o.main {
		o.mains = append(o.mains, f.loader)
		o.mains = o.mains[max(0, len(o.mains)-maxMains):]
	}
	o.note(f.id, func(n *Navigation) {
		n.Committed, n.URL, n.Loader = true, f.url, f.loader
		n.Loaded = o.levels[f.loader] >= Loaded
		if e.Frame.UnreachableURL != "" {
			n.Failed, n.URL = "the page did not load", e.Frame.UnreachableURL
		}
	})
}

// restores is how long a document may take to come from the back/forward cache after Chrome has reported that its
// frame stopped loading. Chrome reports that first.
const restores = 500 * time.Millisecond

func (o *owner) stoppedLoading(e cdpclient.FrameStoppedLoading) {
	f := o.frames[e.FrameID]
	switch {
	case f == nil:
	case f.coming != "" && f.back:
		loader := f.coming
		time.AfterFunc(restores, func() {
			o.ask(func(o *owner) {
				if o.frames[f.id] == f && f.coming == loader {
					o.ceased(f)
				}
			})
		})
	default:
		o.ceased(f)
	}
}

// ceased ends a navigation that has brought no document.
func (o *owner) ceased(f *frame) {
	if f.coming != "" {
		f.aborted, f.coming = f.coming, ""
		o.note(f.id, func(n *Navigation) {
			if !n.Committed {
				n.Failed = "it brought no new page"
			}
		})
	}
	o.note(f.id, func(n *Navigation) { n.Stopped = true })
}
