package tab

import (
	"slices"
	"strconv"

	"webmcphub/registry"
)

// Phase is the state of a tab. A tab is in exactly one phase, and only the rows of the table (table.go) lead from one
// to another.
type Phase int

// The phases. docs/phases.md is generated from their comments.
const (
	// Known: the tab exists, and the hub is not attached to it. The hub sends nothing to the page.
	Known Phase = iota
	// KnownCrashed: like known, but the page's renderer has crashed.
	KnownCrashed
	// Attaching: the hub has asked the browser for a session.
	Attaching
	// BetweenDocuments: the main document has ended, and the hub doesn't know the next one's address yet. The tab
	// reports nothing.
	BetweenDocuments
	// Ready: the hub knows the document's address. The tab reports tools, and clients can call them.
	Ready
	// Silent: the page has not answered since the hub attached. A dialog may be open in it.
	Silent
	// Crashed: the page's renderer has crashed. The session continues.
	Crashed
	// Detaching: the hub ends the session as soon as the browser has given every running call an id, because a call
	// without an id can't be cancelled. This takes at most [ReleaseTimeout].
	Detaching
	// Severed: the browser has ended the session. The hub waits at most [ReleaseTimeout] to learn whether the tab was
	// closed too.
	Severed
	// Closing: the tab was closed, or another actor takes it over. This actor ends as soon as the browser has given
	// every running call an id, after at most [ReleaseTimeout].
	Closing
	// Failed: a message handler panicked. The supervisor replaces the actor.
	Failed
	// Gone: the actor has ended.
	Gone

	phases = iota
)

var phaseNames = [phases]string{"known", "known-crashed", "attaching", "between-documents", "ready", "silent",
	"crashed", "detaching", "severed", "closing", "failed", "gone"}

func (p Phase) String() string {
	if p < 0 || int(p) >= phases {
		return "phase " + strconv.Itoa(int(p))
	}
	return phaseNames[p]
}

// state returns the value of [registry.PageChanged.State] for a phase.
func (p Phase) state() string {
	switch p {
	case Known, Attaching, Detaching:
		return registry.NotConnected
	case KnownCrashed, Crashed:
		return "crashed"
	case Silent:
		return registry.NotAnswering
	}
	return ""
}

// ending reports whether the tab is ending. Then the tab reports nothing more to the registry: the supervisor reports
// the end.
func (p Phase) ending() bool { return p == Closing || p == Failed || p == Gone }

// become enters a phase. The current row of the table must allow that.
func (t *Tab) become(p Phase) {
	if p != t.phase && (t.row == nil || !slices.Contains(t.row.next, p)) {
		t.impossible("became " + p.String())
	}
	t.phase = p
	t.entered++
	if t.limit != nil {
		t.limit.Stop()
		t.limit = nil
	}
}

// becomeAtMost enters a phase that lasts at most ReleaseTimeout: then phaseOverdue ends it.
func (t *Tab) becomeAtMost(p Phase) {
	t.become(p)
	t.limit = t.After(ReleaseTimeout, phaseOverdue{t.entered})
}

// impossible logs something that should never happen.
func (t *Tab) impossible(what string) {
	t.Log.Error("a tab's phase has no row for what happened; please report this", "phase", t.phase.String(), "event",
		what)
}
