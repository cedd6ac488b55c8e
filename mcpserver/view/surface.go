package view

import (
	"cmp"
	"encoding/json"
	"fmt"

	"webmcphub/registry/sanitize"
)

// Surface says which tools a client's list contains.
type Surface string

const (
	All    Surface = "all"    // the tools of all pages
	Static Surface = "static" // only the hub's own tools: the same bytes whatever pages do
	ByUse  Surface = "auto"   // All or Static, depending on what the client does and on the length of the list
)

// Limits.
const (
	// DefaultTokens is how long the list of a client with surface ByUse may be if its view sets no limit.
	DefaultTokens = 10_000
	MinTokens     = 1_000
	MaxTokens     = 1_000_000

	// Patience is how many tools a client may call after a list_changed before it lists again and still counts as a
	// client that follows changes. Many clients list only in their next turn, not right after the notification.
	Patience = 8
	// tries is how often a client may list too late before it counts, for good, as one that doesn't follow changes.
	tries = 2
)

// surface decides what one client's list contains. With kind ByUse it begins with All. It is used only for clients that
// see all tabs.
type surface struct {
	kind  Surface
	limit int // in tokens, for ByUse
	shown Surface

	// For ByUse:
	calls       int  // calls since a list_changed after which the client has not listed
	late        int  // how often it listed too late
	lost        bool // it listed too late the last time
	long        bool // the list of all tools was too long when the client last listed
	unannounced bool // the hub can't announce changes to it, or its lists must not depend on what it did before
}

func newSurface(v Settings) surface {
	s := surface{kind: v.Surface, limit: cmp.Or(v.SurfaceTokens, DefaultTokens), shown: All}
	if v.Mode != AllTabs {
		s.kind = All
	}
	if s.kind == Static {
		s.shown = Static
	}
	return s
}

// called notes a call. unread reports that the hub announced a change to the client and it has not listed since.
func (s *surface) called(unread bool) {
	if unread {
		s.calls++
	} else {
		s.calls = 0
	}
}

// lists decides, by the client's use, what the list contains that it requests now. canAnnounce reports that the hub
// can announce changes to the client; if not, only the length of its list counts. exceeds reports whether the list of
// all tools is longer than a number of tokens.
func (s *surface) lists(unread, canAnnounce bool, exceeds func(tokens int) bool) {
	switch {
	case !canAnnounce:
		*s = surface{kind: s.kind, limit: s.limit, unannounced: true}
	case s.calls > Patience:
		s.late++
		s.lost = true
	case unread:
		s.lost = false // a change was announced, and it listed in time
	}
	s.calls = 0
	s.long = exceeds(s.threshold())
	s.shown = All
	if s.long || s.lost || s.late >= tries {
		s.shown = Static
	}
}

// threshold returns the length in tokens above which the list of all tools is too long. A list that was too long has
// to become clearly shorter than limit, so that the list doesn't change with every single tool.
func (s *surface) threshold() int {
	if s.long {
		return s.limit * 4 / 5
	}
	return s.limit
}

// announces reports whether the hub announces changes of pages' tools to the client, by what its last list contained.
func (s *surface) announces(exceeds func(tokens int) bool) bool {
	switch {
	case s.kind == Static, s.late >= tries:
		return false
	case s.long:
		return !exceeds(s.threshold()) // it would get the list of all tools now
	}
	return true
}

// list returns the client's list of the catalog now, with the _meta that describes it.
func (s *surface) list(now *ServedCatalog) Listing {
	l := now.List()
	if s.shown == Static {
		l = staticList(now)
	}
	switch s.kind {
	case Static:
		l.Meta = StaticMeta
	case ByUse:
		l.Meta = s.meta()
	}
	return l
}

// meta returns the _meta of tools/list for ByUse, which says what the list contains and why.
func (s *surface) meta() json.RawMessage {
	why := fmt.Sprintf("the client lists again when it is told of changes, and the list is not longer than %d tokens (estimated)", s.limit)
	switch {
	case s.late >= tries || s.lost:
		why = fmt.Sprintf("the client called more than %d tools after a list_changed without listing again", Patience)
	case s.long:
		why = fmt.Sprintf("the list of all tools is longer than %d tokens (estimated)", s.limit)
	case s.unannounced:
		why = fmt.Sprintf("the list is not longer than %d tokens (estimated)", s.limit)
	}
	return meta(s.shown, why)
}

// StaticMeta is the _meta of tools/list where the hub always shows the static list.
var StaticMeta = meta(Static, "the hub was started with --surface=static")

// GoesOnMeta is the _meta of a later page of the static list for a client whose list is that of all tools by now.
var GoesOnMeta = meta(Static, "the list began as this one")

// MetaKey is the key in _meta under which tools/list describes its surface.
const MetaKey = "webmcp-hub/surface"

func meta(shown Surface, why string) json.RawMessage {
	return sanitize.Encode(map[string]any{MetaKey: struct {
		Surface Surface `json:"surface"`
		Why     string  `json:"why"`
	}{shown, why}})
}

func staticList(now *ServedCatalog) Listing { return NewListing(now.own.Static, nil) }

// NoteCalled notes that the client calls a tool. unread reports that another list of tools was announced to the client
// and it has not requested that list.
func (l *ClientView) NoteCalled(unread bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.surface.called(unread)
}

// NoteListed notes that the client requests its list of tools from the beginning. canAnnounce reports that changes can
// be announced to the client at all.
func (l *ClientView) NoteListed(unread, canAnnounce bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.surface.kind == ByUse {
		l.surface.lists(unread, canAnnounce, l.look.now.Exceeds)
	}
}
