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
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/live"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

const (
	// maxReopened is how many tabs are opened again. maxReopenedURL is how long the address of such a tab may be, in
	// bytes.
	maxReopened    = 64
	maxReopenedURL = 2048
	// maxNumbers is how many tabs keep their numbers.
	maxNumbers = 1000
)

// handoffState is what a hub leaves to the next one, as JSON.
type handoffState struct {
	Tabs   []string            `json:"tabs"` // the addresses of the tabs, in tab order
	Before registry.TabsBefore `json:"before"`
	Kept   []registry.PageID   `json:"kept,omitempty"` // tabs that clients keep to themselves
	// HTTP says how the hub served MCP over HTTP; nil if it didn't.
	HTTP   json.RawMessage `json:"http,omitempty"`
	Paused pausedBefore    `json:"paused,omitzero"`
}

// pausedBefore is what the user had paused besides tabs and clients.
type pausedBefore struct {
	All   bool     `json:"all,omitempty"`
	Sites []string `json:"sites,omitempty"`
}

// Handoff collects what the hub would leave to the process that takes over. It is one of the registry's
// publishers if the next process may have to open the pages again. All methods but Apply may be called from any
// goroutine.
type Handoff struct {
	Changed func() // called when what State returns has changed; must not block
	catalog atomic.Pointer[registry.Catalog]
	last    atomic.Int64 // the highest number that a tab has had

	mu   sync.Mutex
	kept map[any]registry.PageID // by client; the keys are comparable
	http json.RawMessage
	// pauses may be nil.
	pauses *live.Pauses
	// previous is what the previous hub left. Each part counts until this hub knows better.
	previous  handoffState
	keptUntil time.Time // until then previous.Kept counts, for clients that have not come back yet
}

// Serves notes how the hub serves MCP over HTTP, for [ServedOverHTTP]; nil means that it no longer does.
func (h *Handoff) Serves(http json.RawMessage) {
	h.mu.Lock()
	h.http, h.previous.HTTP = http, nil
	h.mu.Unlock()
	h.Changed()
}

// Keeps notes the tab that a client keeps to itself; "" means none.
func (h *Handoff) Keeps(client any, page registry.PageID) {
	h.mu.Lock()
	was := h.kept[client]
	if h.kept == nil {
		h.kept = map[any]registry.PageID{}
	}
	if h.kept[client] = page; page == "" {
		delete(h.kept, client)
	}
	h.previous.Kept = slices.DeleteFunc(h.previous.Kept, func(p registry.PageID) bool { return p == page })
	h.mu.Unlock()
	if was != page {
		h.Changed()
	}
}

// Apply notes the tabs of the catalogs that the effects serve. Only the registry actor calls it.
func (h *Handoff) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if s, ok := e.(registry.SetCatalog); ok {
			for _, t := range s.Catalog.Tabs() {
				h.last.Store(max(h.last.Load(), int64(t.ID)))
			}
			if len(s.Catalog.Tabs()) > 0 || h.catalog.Load() != nil { // otherwise the browser has not announced its tabs yet
				h.catalog.Store(s.Catalog)
			}
			h.Changed()
		}
	}
}

// Restore makes the hub begin with what the previous hub left. The next hub may take over before this one has opened
// its port, before the browser has announced its tabs, or before all clients have come back. sameChrome says that the
// tabs keep their numbers.
func (h *Handoff) Restore(left json.RawMessage, sameChrome bool) {
	s := read(left)
	if !sameChrome {
		s.Before = registry.TabsBefore{}
	}
	h.last.Store(int64(s.Before.Last))
	h.mu.Lock()
	defer h.mu.Unlock()
	h.previous, h.keptUntil = s, time.Now().Add(view.ResumesWithin)
}

// Pauses makes the hub begin with what the user had paused at the previous hub, and leave what is paused to the next.
func (h *Handoff) Pauses(pauses *live.Pauses, left json.RawMessage) {
	before := read(left).Paused
	if before.All {
		pauses.PauseAll(true)
	}
	for _, site := range before.Sites {
		_ = pauses.PauseSite(site, true) // it was the origin of a site
	}
	h.mu.Lock()
	h.pauses = pauses
	h.mu.Unlock()
	pauses.Follow(h.Changed)
}

// State returns what the hub would leave now.
func (h *Handoff) State() json.RawMessage {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := handoffState{Tabs: []string{}, Before: registry.TabsBefore{Last: registry.TabID(h.last.Load())}}
	if c := h.catalog.Load(); c != nil {
		for _, t := range c.Tabs() {
			if len(s.Tabs) < maxReopened && reopens(t.URL) {
				s.Tabs = append(s.Tabs, t.URL)
			}
			if len(s.Before.Tabs) < maxNumbers {
				s.Before.Tabs = append(s.Before.Tabs,
					registry.TabBefore{Page: t.Page, ID: t.ID, Connected: t.Connected()})
			}
		}
	} else if h.previous.Tabs != nil {
		s.Tabs, s.Before.Tabs = h.previous.Tabs, h.previous.Before.Tabs
	}
	s.Kept, s.HTTP = slices.Collect(maps.Values(h.kept)), h.http
	if time.Now().Before(h.keptUntil) {
		s.Kept = append(s.Kept, h.previous.Kept...)
	}
	slices.Sort(s.Kept)
	if h.pauses != nil {
		s.Paused.All, s.Paused.Sites, _ = h.pauses.PausedNow()
	}
	if s.HTTP == nil {
		s.HTTP = h.previous.HTTP
	}
	raw, err := json.Marshal(s)
	if err != nil { // strings can be encoded
		return nil
	}
	return raw
}

// reopens reports whether a page can be opened again by its address.
func reopens(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxReopenedURL &&
		(u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "file")
}

// TabsToReopen returns the addresses in a handoffState that can be opened again.
func TabsToReopen(raw json.RawMessage) (tabs []string) {
	for _, address := range read(raw).Tabs {
		if len(tabs) < maxReopened && reopens(address) {
			tabs = append(tabs, address)
		}
	}
	return tabs
}

// TabsBefore returns the numbers of the tabs in a handoffState.
func TabsBefore(raw json.RawMessage) registry.TabsBefore { return read(raw).Before }

// KeptTabs returns the tabs in a handoffState that clients keep to themselves.
func KeptTabs(raw json.RawMessage) []registry.PageID { return read(raw).Kept }

// ServedOverHTTP returns what [Handoff.Serves] noted in a handoffState; nil if MCP was not served over HTTP.
func ServedOverHTTP(raw json.RawMessage) json.RawMessage { return read(raw).HTTP }

// read decodes a handoffState; nil, and JSON that is none, is an empty one.
func read(raw json.RawMessage) handoffState {
	var s handoffState
	if raw == nil || json.Unmarshal(raw, &s) != nil {
		return handoffState{}
	}
	return s
}

// Reopening returns Chrome's arguments args with the addresses tabs in place of those among args.
func Reopening(args, tabs []string) (all []string) {
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			all = append(all, a)
		}
	}
	return append(all, tabs...)
}

// reopenTries is how many times Reopen tries to connect to the Chrome that it needs.
const reopenTries = 5

// Reopen makes the hub start Chrome, which opens the first of these pages. Then Reopen opens the other pages one by
// one, in their old order. The returned function stops that and waits for its end.
func Reopen(ctx context.Context, hub *actors.Hub, tabs []string, log *slog.Logger) (stop func()) {
	if len(tabs) == 0 {
		return func() {}
	}
	log.Info("the pages that were open are opened again", "pages", len(tabs))
	return process.Beside(ctx, func(ctx context.Context) { open(ctx, hub, tabs, log) })
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
