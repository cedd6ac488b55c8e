package view

import (
	"encoding/json"
	"fmt"

	"webmcphub/registry/sanitize"
)

// Kind says what a client's list of tools shows.
type Surface string

const (
	All    Surface = "all"    // the tools of all pages
	Static Surface = "static" // the hub's own tools, the same bytes whatever pages do
	ByUse  Surface = "auto"   // one of them, see [Auto]
)

// Limits.
const (
	// DefaultTokens is how long a list may be that a client of kind auto is shown, where
	// nothing else is said.
	DefaultTokens = 10_000
	MinTokens     = 1_000
	MaxTokens     = 1_000_000

	// Patience is how many tools a client may call after a list_changed before it lists
	// again and still counts as one that follows. Notifications alone say nothing: a
	// client may well wait for its next turn.
	Patience = 8
	// tries is how often a client may have been late before it counts as one that doesn't
	// follow, for good.
	tries = 2
)

// Auto decides for one client of kind auto. It begins by showing all. Its owner tells it
// what the client does.
type AutoSurface struct {
	calls int  // since a list_changed that the client has not listed after
	late  int  // how often it listed too late
	lost  bool // the last time was too late
	long  bool // its list was too long when it was shown last

	untold bool // it can't be told of changes, see Untold
}

// Untold decides for a client that can't be told of changes, or whose lists may not differ
// by what it did before: the list's length alone counts.
func Untold() AutoSurface { return AutoSurface{untold: true} }

// Called notes a call. unheard says that the client was told of a change and has not listed
// since.
func (a *AutoSurface) Called(unheard bool) {
	if unheard {
		a.calls++
	} else {
		a.calls = 0
	}
}

// Lists decides what the list shows that the client asks for now. exceeds says whether the
// list of all would be longer than a number of tokens; limit is the client's.
func (a *AutoSurface) Lists(unheard bool, limit int, exceeds func(tokens int) bool) Surface {
	switch {
	case a.calls > Patience:
		a.late++
		a.lost = true
	case unheard:
		a.lost = false // it was told, and came at once
	}
	a.calls = 0
	a.long = exceeds(a.threshold(limit))
	return a.shows()
}

// threshold is by what a list is too long. One that was comes back when it is well below,
// not with every tool that comes and goes.
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

// Tells says whether the client is to be told that pages' tools changed, by what it was
// shown last.
func (a *AutoSurface) Tells(limit int, exceeds func(tokens int) bool) bool {
	switch {
	case a.late >= tries:
		return false
	case a.long:
		return !exceeds(a.threshold(limit)) // it would be shown all now
	}
	return true
}

// Meta is what tools/list says in its _meta of the surface that it shows, and why.
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

// StaticMeta is that where the kind is static.
var StaticMeta = meta(Static, "the hub was started with --surface=static")

// GoesOnMeta is that of a page of the static list where another list would be shown now.
var GoesOnMeta = meta(Static, "the list began as this one")

// MetaKey is the key of it.
const MetaKey = "webmcp-hub/surface"

func meta(shown Surface, why string) json.RawMessage {
	return sanitize.Encode(map[string]any{MetaKey: struct {
		Surface Surface `json:"surface"`
		Why     string  `json:"why"`
	}{shown, why}})
}
