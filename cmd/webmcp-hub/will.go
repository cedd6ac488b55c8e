package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"webmcphub/actors"
	"webmcphub/registry"
)

// What a hub leaves to the process that takes its place: which pages were open in
// the Chrome that it started, and that ends with it. They are opened again, with
// the same profile. What was only in a page, such as half a form, is lost.

const (
	// maxWillTabs is how many tabs are opened again, and maxWillURL how long
	// their addresses may be in bytes.
	maxWillTabs = 64
	maxWillURL  = 2048
)

// will is what a hub leaves.
type will struct {
	Tabs []string `json:"tabs"` // their addresses, in their order
}

// willKeeper knows which pages are open. It is one of the registry's publishers.
type willKeeper struct {
	changed func() // never blocks
	catalog atomic.Pointer[registry.Catalog]
}

func (k *willKeeper) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if s, ok := e.(registry.Serve); ok {
			k.catalog.Store(s.Catalog)
			k.changed()
		}
	}
}

func (k *willKeeper) will() json.RawMessage {
	w := will{Tabs: []string{}}
	if c := k.catalog.Load(); c != nil {
		for _, t := range c.Tabs() {
			if len(w.Tabs) < maxWillTabs && reopens(t.URL) {
				w.Tabs = append(w.Tabs, t.URL)
			}
		}
	}
	raw, err := json.Marshal(w)
	if err != nil { // strings can be encoded
		return nil
	}
	return raw
}

// reopens says whether a page can be opened again by its address.
func reopens(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxWillURL && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "file")
}

// inheritedTabs are the addresses of a will.
func inheritedTabs(raw json.RawMessage) (tabs []string) {
	var w will
	if raw == nil || json.Unmarshal(raw, &w) != nil {
		return nil
	}
	for _, address := range w.Tabs {
		if len(tabs) < maxWillTabs && reopens(address) {
			tabs = append(tabs, address)
		}
	}
	return tabs
}

// reopening are Chrome's arguments with these addresses in place of its own.
func reopening(args, tabs []string) (all []string) {
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			all = append(all, a)
		}
	}
	return append(all, tabs...)
}

// reopenTries is how often Chrome is tried to be started for pages that are to be
// opened again.
const reopenTries = 5

// reopenTabs has the hub start Chrome, which opens the first of these pages, and
// opens the others, one after the other for them to have their order again. The
// returned function ends that and waits for it.
func reopenTabs(ctx context.Context, hub *actors.Hub, tabs []string, log *slog.Logger) (stop func()) {
	if len(tabs) == 0 {
		return func() {}
	}
	log.Info("the pages that were open are opened again", "pages", len(tabs))
	return beside(ctx, func(ctx context.Context) {
		for try, wait := 1, time.Second; ; try, wait = try+1, 2*wait {
			_, err := hub.Connect(ctx, false)
			if err == nil {
				break
			}
			log.Warn("the pages that were open can't be opened again yet", "err", err)
			if try == reopenTries {
				return
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		}
		for _, address := range tabs[1:] {
			if _, err := hub.OpenTab(ctx, registry.NewTab{URL: address}); err != nil {
				log.Warn("a page that was open was not opened again", "url", address, "err", err)
			}
		}
	})
}
