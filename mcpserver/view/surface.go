package view

import (
	"encoding/json"
	"fmt"

	"webmcphub/registry/sanitize"
)

// Surface says which tools a client's list contains.
type Surface string

const (
	All    Surface = "all"    // the tools of all pages
	Static Surface = "static" // only the hub's own tools: the same bytes whatever pages do
	ByUse  Surface = "auto"   // All or Static, depending on what the client does, see [AutoSurface]
)

// Limits.
const (
	// DefaultTokens is how long the list of a client with surface ByUse may be if its view sets no limit.
	DefaultTokens = 10_000
	MinTokens     = 1_000
	MaxTokens     = 1_000_000

	// Patience is how many tools a client may call after a list_changed before it lists again and still counts as a
	// client that follows changes. A client may well list only in its next turn, so being notified doesn't say that
	// it should have listed.
	Patience = 8
	// tries is how often a client may list too late before it counts, for good, as one that doesn't follow changes.
	tries = 2
)

// AutoSurface decides for one client whether its list is All or Static. It begins with All. Its owner calls its
// methods when the client does something.
type AutoSurface struct {
	calls int  // calls since a list_changed after which the client has not listed
	late  int  // how often it listed too late
	lost  bool // it listed too late the last time
	long  bool // the list of all tools was too long when the client last listed

	untold bool // changes can't be announced to it, see Untold
}

// NewStatelessSurface returns an AutoSurface for a client to which changes can't be announced, or whose lists may not
// depend on what it did before. It decides only by the length of the list.
func NewStatelessSurface() AutoSurface { return AutoSurface{untold: true} }

// Called notes a call. unheard reports that a change was announced to the client and it has not listed since.
func (a *AutoSurface) Called(unheard bool) {
	if unheard {
		a.calls++
	} else {
		a.calls = 0
	}
}

// Lists decides what the list contains that the client requests now. limit is the client's limit in tokens. exceeds
// reports whether the list of all tools is longer than a number of tokens.
func (a *AutoSurface) Lists(unheard bool, limit int, exceeds func(tokens int) bool) Surface {
	switch {
	case a.calls > Patience:
		a.late++
		a.lost = true
	case unheard:
		a.lost = false // a change was announced, and it listed in time
	}
	a.calls = 0
	a.long = exceeds(a.threshold(limit))
	return a.shows()
}

// threshold returns the length in tokens above which the list of all tools is too long. A list that was too long has
// to become clearly shorter than limit, so that the list doesn't change with every single tool.
func (a *AutoSurface) threshold(limit int) int {
	if a.long {
		return limit * 4 / 5
	}
	return limit
}

func (a *AutoSurface) shows() Surface {
	if a.long || a.lost || a.late >= tries {
		return Static
	}
	return All
}

// Tells reports whether changes of pages' tools are announced to the client, depending on what its last list
// contained.
func (a *AutoSurface) Tells(limit int, exceeds func(tokens int) bool) bool {
	switch {
	case a.late >= tries:
		return false
	case a.long:
		return !exceeds(a.threshold(limit)) // it would get the list of all tools now
	}
	return true
}

// Meta returns the _meta of tools/list, which says what the list contains and why.
func (a *AutoSurface) Meta(limit int) json.RawMessage {
	why := fmt.Sprintf("the client lists again when it is told of changes, and the list is not longer than %d tokens (estimated)", limit)
	switch {
	case a.late >= tries || a.lost:
		why = fmt.Sprintf("the client called more than %d tools after a list_changed without listing again", Patience)
	case a.long:
		why = fmt.Sprintf("the list of all tools is longer than %d tokens (estimated)", limit)
	case a.untold:
		why = fmt.Sprintf("the list is not longer than %d tokens (estimated)", limit)
	}
	return meta(a.shows(), why)
}

// StaticMeta is the _meta of tools/list where the hub always shows the static list.
var StaticMeta = meta(Static, "the hub was started with --surface=static")

// GoesOnMeta is the _meta of a later page of the static list for a client that would now be shown the list of all
// tools.
var GoesOnMeta = meta(Static, "the list began as this one")

// MetaKey is the key in _meta under which tools/list describes its surface.
const MetaKey = "webmcp-hub/surface"

func meta(shown Surface, why string) json.RawMessage {
	return sanitize.Encode(map[string]any{MetaKey: struct {
		Surface Surface `json:"surface"`
		Why     string  `json:"why"`
	}{shown, why}})
}

// surfaced decides what one client's list contains. It is used only for clients that see all tabs.
type surfaced struct {
	kind  Surface
	limit int // in tokens, for ByUse
	shown Surface
	auto  AutoSurface
}

func newSurfaced(v View) surfaced {
	s := surfaced{kind: v.Surface, limit: v.SurfaceTokens, shown: All}
	if v.Mode != AllTabs {
		s.kind = All
	}
	if s.limit == 0 {
		s.limit = DefaultTokens
	}
	if s.kind == Static {
		s.shown = Static
	}
	return s
}

// list returns the list to show of what is served, with the _meta that describes it.
func (s *surfaced) list(now *ServedCatalog) Listing {
	l := now.List()
	if s.shown == Static {
		l = staticList(now)
	}
	switch s.kind {
	case Static:
		l.Meta = StaticMeta
	case ByUse:
		l.Meta = s.auto.Meta(s.limit)
	}
	return l
}

func staticList(now *ServedCatalog) Listing { return NewListing(now.own.Static, nil) }

// tells reports whether changes of pages' tools are announced to the client.
func (s *surfaced) tells(now *ServedCatalog) bool {
	switch s.kind {
	case Static:
		return false
	case ByUse:
		return s.auto.Tells(s.limit, now.Exceeds)
	}
	return true
}

// Called notes that the client calls a tool. unheard reports that another list of tools was announced to the client
// and it has not requested that list.
func (l *ClientView) Called(unheard bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.surfaced.auto.Called(unheard)
}

// Lists notes that the client requests its list of tools from the beginning. told reports that changes can be
// announced to the client at all; if they can't, only the length of its list counts.
func (l *ClientView) Lists(unheard, told bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.surfaced
	if s.kind != ByUse {
		return
	}
	if !told {
		s.auto = NewStatelessSurface()
		unheard = false
	}
	s.shown = s.auto.Lists(unheard, s.limit, l.look.now.Exceeds)
}
