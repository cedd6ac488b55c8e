package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/actors"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

const (
	// maxWillTabs is how many tabs are opened again, and maxWillURL how long
	// their addresses may be in bytes.
	maxWillTabs = 64
	maxWillURL  = 2048
	// maxWillNumbers is how many tabs keep their numbers.
	maxWillNumbers = 1000
)

// will is what a hub leaves.
type will struct {
	Tabs   []string            `json:"tabs"` // their addresses, in their order
	Before registry.TabsBefore `json:"before"`
	Kept   []registry.PageID   `json:"kept,omitempty"` // the tabs that clients have to themselves
	// HTTP is how the hub serves MCP over HTTP, if it does.
	HTTP json.RawMessage `json:"http,omitempty"`
}

// Handover knows what the hub would leave. Where the process that takes over may have to open the pages again, it
// is one of the registry's publishers. Any goroutine may use it, but for Apply.
type Handover struct {
	Changed func() // never blocks
	catalog atomic.Pointer[registry.Catalog]
	last    atomic.Int64 // the highest number that a tab had

	mu   sync.Mutex
	kept map[any]registry.PageID // by the client, which can be compared
	http json.RawMessage
	// inherited is what the hub before left. It counts until this hub knows better.
	inherited will
	keptUntil time.Time // inherited.Kept count until then, for clients that have not come back
}

// Serves notes how the hub serves MCP over HTTP, nil if it doesn't any more, for [ServedOverHTTP].
func (k *Handover) Serves(http json.RawMessage) {
	k.mu.Lock()
	k.http, k.inherited.HTTP = http, nil
	k.mu.Unlock()
	k.Changed()
}

// Keeps notes the tab that a client has to itself, "" for none.
func (k *Handover) Keeps(client any, page registry.PageID) {
	k.mu.Lock()
	was := k.kept[client]
	if k.kept == nil {
		k.kept = map[any]registry.PageID{}
	}
	if k.kept[client] = page; page == "" {
		delete(k.kept, client)
	}
	k.inherited.Kept = slices.DeleteFunc(k.inherited.Kept, func(p registry.PageID) bool { return p == page })
	k.mu.Unlock()
	if was != page {
		k.Changed()
	}
}

// Apply takes note of the tabs in the registry's effects. It belongs to the registry actor.
func (k *Handover) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if s, ok := e.(registry.Serve); ok {
			for _, t := range s.Catalog.Tabs() {
				k.last.Store(max(k.last.Load(), int64(t.ID)))
			}
			if len(s.Catalog.Tabs()) > 0 || k.catalog.Load() != nil { // else the browser has yet to announce its tabs
				k.catalog.Store(s.Catalog)
			}
			k.Changed()
		}
	}
}

// Inherits makes the hub begin with what the hub before left. The next one may take over before this one has opened its
// port, before the browser has announced its tabs, and before all clients have come back. sameChrome says that the tabs
// keep their numbers.
func (k *Handover) Inherits(left json.RawMessage, sameChrome bool) {
	w := read(left)
	if !sameChrome {
		w.Before = registry.TabsBefore{}
	}
	k.last.Store(int64(w.Before.Last))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.inherited, k.keptUntil = w, time.Now().Add(view.ResumesWithin)
}

// Will is what the hub would leave now.
func (k *Handover) Will() json.RawMessage {
	k.mu.Lock()
	defer k.mu.Unlock()
	w := will{Tabs: []string{}, Before: registry.TabsBefore{Last: registry.TabID(k.last.Load())}}
	if c := k.catalog.Load(); c != nil {
		for _, t := range c.Tabs() {
			if len(w.Tabs) < maxWillTabs && reopens(t.URL) {
				w.Tabs = append(w.Tabs, t.URL)
			}
			if len(w.Before.Tabs) < maxWillNumbers {
				w.Before.Tabs = append(w.Before.Tabs,
					registry.TabBefore{Page: t.Page, ID: t.ID, Connected: t.Connected()})
			}
		}
	} else if k.inherited.Tabs != nil {
		w.Tabs, w.Before.Tabs = k.inherited.Tabs, k.inherited.Before.Tabs
	}
	w.Kept, w.HTTP = slices.Collect(maps.Values(k.kept)), k.http
	if time.Now().Before(k.keptUntil) {
		w.Kept = append(w.Kept, k.inherited.Kept...)
	}
	slices.Sort(w.Kept)
	if w.HTTP == nil {
		w.HTTP = k.inherited.HTTP
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

// InheritedTabs are the addresses of a will that can be opened again.
func InheritedTabs(raw json.RawMessage) (tabs []string) {
	for _, address := range read(raw).Tabs {
		if len(tabs) < maxWillTabs && reopens(address) {
			tabs = append(tabs, address)
		}
	}
	return tabs
}

// TabsBefore are the numbers of a will's tabs.
func TabsBefore(raw json.RawMessage) registry.TabsBefore { return read(raw).Before }

// KeptTabs are the tabs of a will that clients have to themselves.
func KeptTabs(raw json.RawMessage) []registry.PageID { return read(raw).Kept }

// ServedOverHTTP is what was noted of how the hub served MCP over HTTP; nil if it didn't.
func ServedOverHTTP(raw json.RawMessage) json.RawMessage { return read(raw).HTTP }

// read gives an empty will for nil and for what is none.
func read(raw json.RawMessage) will {
	var w will
	if raw == nil || json.Unmarshal(raw, &w) != nil {
		return will{}
	}
	return w
}

// Reopening gives Chrome's arguments with these addresses in place of those among args.
func Reopening(args, tabs []string) (all []string) {
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			all = append(all, a)
		}
	}
	return append(all, tabs...)
}

// reopenTries is how many times Reopen tries to start Chrome.
const reopenTries = 5

// Reopen has the hub start Chrome, which opens the first of these pages, and then opens
// the others one by one, in their old order. The returned function stops that and waits
// for its end.
func Reopen(ctx context.Context, hub *actors.Hub, tabs []string, log *slog.Logger) (stop func()) {
	if len(tabs) == 0 {
		return func() {}
	}
	log.Info("the pages that were open are opened again", "pages", len(tabs))
	ctx, cancel := context.WithCancel(ctx)
	var opening sync.WaitGroup
	opening.Go(func() { open(ctx, hub, tabs, log) })
	return func() {
		cancel()
		opening.Wait()
	}
}

func open(ctx context.Context, hub *actors.Hub, tabs []string, log *slog.Logger) {
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
}
