package pages

import (
	"slices"

	"webmcphub/registry"
)

// Events returns the events that change a page in a registry.State from before to is, as one batch. before is nil if
// the State doesn't have the page, and is is nil if the page is gone. epoch is [Content].Epoch. If nothing differs,
// the batch is empty.
func Events(is, before *registry.PageSnapshot, epoch registry.Epoch) registry.EventBatch {
	switch {
	case is == before:
		return nil
	case is == nil:
		return registry.EventBatch{registry.PageClosed{Page: before.Page}}
	case before != nil && reopened(is, before):
		return append(registry.EventBatch{registry.PageClosed{Page: is.Page}}, Events(is, nil, epoch)...)
	}
	var all registry.EventBatch
	if before == nil {
		all = append(all, registry.PageOpened{Page: is.Page, URL: is.URL, Title: is.Title, Browser: is.Browser,
			Proxied: is.Proxied, Epoch: epoch})
		before = &registry.PageSnapshot{Page: is.Page, URL: is.URL, Title: is.Title}
	}
	for _, e := range pageEvents(is, before) {
		all = append(all, registry.PageEvent{Page: is.Page, Epoch: epoch, Event: e})
	}
	return all
}

// reopened says whether the page was closed and opened again since before.
func reopened(is, before *registry.PageSnapshot) bool {
	return is.Opened != before.Opened || is.Gen < before.Gen || is.Browser != before.Browser ||
		is.Proxied != before.Proxied
}

func pageEvents(is, before *registry.PageSnapshot) (all []registry.Event) {
	b := *before
	if is.Gen != b.Gen {
		n := registry.Navigated{Page: is.Page, Gen: is.Gen, URL: is.URL, Origin: is.Origin}
		if is.Moving && is.URL == b.URL && is.Origin == b.Origin {
			n.URL, n.Origin = "", ""
		}
		all = append(all, n)
		b.URL, b.Origin, b.Frames, b.Tools = is.URL, is.Origin, nil, nil
	} else if b.Moving && !is.Moving {
		b.URL = ""
	}
	if is.URL != b.URL || is.Origin != b.Origin || is.Title != b.Title || is.State != b.State ||
		is.Dialog != b.Dialog || is.Arrived != b.Arrived {
		c := registry.PageChanged{Page: is.Page, URL: is.URL, Origin: is.Origin, Title: is.Title, State: is.State,
			Dialog: is.Dialog, Arrived: is.Arrived}
		if is.URL == b.URL && is.Origin == b.Origin {
			c.URL, c.Origin = "", ""
		}
		all = append(all, c)
	}
	if !slices.Equal(is.Frames, b.Frames) {
		all = append(all, registry.FramesReported{Page: is.Page, Gen: is.Gen, Frames: is.Frames})
	}
	if !slices.Equal(is.Tools, b.Tools) {
		all = append(all, registry.ToolsReported{Page: is.Page, Gen: is.Gen, Tools: is.Tools})
	}
	if !sameOffers(is.Offers, b.Offers) || !is.Offers.Empty() && is.Gen != before.Gen {
		all = append(all, is.Offers)
	}
	return all
}
