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
	// Known: the tab is there, and the hub is not attached to it. Nothing is sent to its page.
	Known Phase = iota
	// KnownCrashed: as known, and the page's renderer has died.
	KnownCrashed
	// Attaching: the browser is asked for a session.
	Attaching
	// BetweenDocuments: the main document has ended, and the address of the next one is not
	// known yet. Nothing is reported.
	BetweenDocuments
	// Ready: the document has its address. Tools are reported and can be called.
	Ready
	// Silent: the page has not answered since the hub came: a dialog may be open in it.
	Silent
	// Crashed: the page's renderer has died. The session lives on.
	Crashed
	// Detaching: the session is let go of as soon as the browser has named all calls under
	// way, because a call without a name can't be cancelled; at most [ReleaseTimeout].
	Detaching
	// Severed: the browser has ended the session. Whether the tab has gone too is about to
	// be known; at most [ReleaseTimeout].
	Severed
	// Closing: the tab has gone, or another actor takes it up. The actor ends as soon as the
	// browser has named all calls under way; at most [ReleaseTimeout].
	Closing
	// Failed: a message handler panicked. The actor that keeps the tab replaces this one.
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

// state returns what the registry is told about a phase ([registry.PageChanged.State]).
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

// ending says whether the tab's end has come. Then the tab tells the registry nothing more: the supervisor has told
// it of the end, or is about to.
func (p Phase) ending() bool { return p == Closing || p == Failed || p == Gone }

// become enters a phase. The row of the table that is being carried out must allow that.
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

// becomeAtMost enters a phase that phaseOverdue ends after ReleaseTimeout.
func (t *Tab) becomeAtMost(p Phase) {
	t.become(p)
	t.limit = t.After(ReleaseTimeout, phaseOverdue{t.entered})
}

// impossible logs something that should never happen.
func (t *Tab) impossible(what string) {
	t.Log.Error("a tab's phase has no row for what happened; please report this", "phase", t.phase.String(), "event",
		what)
}
