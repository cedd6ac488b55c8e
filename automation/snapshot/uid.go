package snapshot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"webmcphub/automation/snapshot/tree"
	"webmcphub/registry/sanitize"
)

// Bounds of a [Table].
const (
	maxUIDs    = 40_000 // how many uids are in use
	maxRetired = 4_000  // how many retired uids are remembered, to say what they were
	maxNear    = 3      // how many similar elements an error names
)

// Table gives the nodes of one tab their uids, and remembers how each client saw them. A uid is the tab's letters and
// a number. It is never reused, so it means one node only. One owner uses a Table; all clients of the tab share it.
type Table struct {
	prefix  string
	next    int
	byKey   map[tree.Key]*entry
	byUID   map[string]*entry
	retired map[string]*entry
	order   []string // retired uids, the oldest first
	clock   uint64   // counts calls of show
}

type entry struct {
	Known
	why   string // why it was retired
	shown map[string]seenAs
	last  uint64
}

// seenAs describes a node at the time when a client was shown it.
type seenAs struct {
	label Label
	is    tree.Identity
}

// Label is the role and the name of a node at the time when it was shown.
type Label struct{ Role, Name string }

func (l Label) String() string {
	if l.Name == "" {
		return l.Role + " without a name"
	}
	return l.Role + " " + tree.Quote(tree.Cut(l.Name, 60))
}

// Known describes the node of a uid.
type Known struct {
	UID    string
	Key    tree.Key
	Label  Label // as the node was last shown: to the client that asks, if that has seen it
	Is     tree.Identity
	ByText bool // see [tree.Traits]
}

// NewTable returns the Table of one tab. n distinguishes the tabs of a process: 0 gives a1, a2…, 25 gives bb1. No
// prefix can be mistaken for a word that begins a line: h is left out because h1 is a heading, and tab, row and the
// other roles have vowels.
func NewTable(n int) *Table {
	const one, many = "abcdefgijklmnopqrstuvwxyz", "bcdfghjklmnpqrstvwxyz"
	letters := one
	if n >= len(one) {
		letters = many
		n -= len(one)
		n += len(many) // those of one letter that are left out here
	}
	prefix := ""
	for n++; n > 0; n = (n - 1) / len(letters) {
		prefix = string(letters[(n-1)%len(letters)]) + prefix
	}
	return &Table{prefix: prefix, byKey: map[tree.Key]*entry{}, byUID: map[string]*entry{},
		retired: map[string]*entry{}}
}

// Assign returns a node's uid: the one that it has had, or else a new one.
func (t *Table) Assign(key tree.Key, label Label, byText bool) string {
	if key.Backend == 0 {
		return ""
	}
	if e := t.byKey[key]; e != nil {
		e.ByText = byText
		return e.UID
	}
	t.next++
	t.clock++
	e := &entry{Known: Known{UID: t.prefix + strconv.Itoa(t.next), Key: key, Label: label, ByText: byText},
		last: t.clock}
	t.byKey[key], t.byUID[e.UID] = e, e
	return e.UID
}

// Shown records that a client has been shown a node.
func (t *Table) Shown(client string, n *tree.Node) { t.show(client, n.UID, seenAs{label(n), n.Is}) }

func (t *Table) show(client, uid string, as seenAs) {
	e := t.byUID[uid]
	if e == nil {
		return
	}
	t.clock++
	e.last, e.Label, e.Is = t.clock, as.label, as.is
	if e.shown == nil {
		e.shown = map[string]seenAs{}
	}
	e.shown[client] = as
}

// Forget drops what a client has been shown. It is called when the client is gone.
func (t *Table) Forget(client string) {
	for _, e := range t.byUID {
		delete(e.shown, client)
	}
}

// Lookup returns what a client means by a uid. If the uid can't be used, the error says what it was and which
// elements are similar. It never returns another node instead.
func (t *Table) Lookup(client, uid string) (Known, error) {
	if e := t.byUID[uid]; e != nil {
		return e.known(client), nil
	}
	if e := t.retired[uid]; e != nil {
		known := e.known(client)
		return known, &StaleError{Known: known, Why: e.why, Near: t.near(known)}
	}
	return Known{}, &UnknownError{UID: uid, Why: t.unknown(uid)}
}

func (e *entry) known(client string) Known {
	k := e.Known
	if as, ok := e.shown[client]; ok {
		k.Label, k.Is = as.label, as.is
	}
	return k
}

// Retire retires uids. why is the reason for errors ("its document navigated").
func (t *Table) Retire(why string, which func(tree.Key) bool) {
	for key, e := range t.byKey {
		if which(key) {
			t.retire(e, why)
		}
	}
	t.bound()
}

func (t *Table) retire(e *entry, why string) {
	delete(t.byKey, e.Key)
	delete(t.byUID, e.UID)
	e.why = why
	t.retired[e.UID] = e
	t.order = append(t.order, e.UID)
}

// bound forgets uids that were retired long ago. If there are too many in use, it retires those that have not been
// shown for the longest time.
func (t *Table) bound() {
	if len(t.byUID) > maxUIDs {
		all := make([]*entry, 0, len(t.byUID))
		for _, e := range t.byUID {
			all = append(all, e)
		}
		slices.SortFunc(all, func(a, b *entry) int { return int(int64(a.last) - int64(b.last)) })
		for _, e := range all[:len(all)-maxUIDs*3/4] {
			t.retire(e, "no snapshot has shown it for long")
		}
	}
	if over := len(t.order) - maxRetired; over > 0 {
		for _, uid := range t.order[:over] {
			delete(t.retired, uid)
		}
		t.order = slices.Clone(t.order[over:])
	}
}

// near returns uids in use that are similar to a lost one: with its role, and with its name if there are any.
func (t *Table) near(lost Known) []Known {
	var same, alike []*entry
	for _, e := range t.byUID {
		switch {
		case e.UID == lost.UID || e.Label.Role != lost.Label.Role:
		case e.Label.Name == lost.Label.Name:
			same = append(same, e)
		case similar(e.Label.Name, lost.Label.Name):
			alike = append(alike, e)
		}
	}
	if len(same) > 0 {
		alike = same
	}
	slices.SortFunc(alike, func(a, b *entry) int { return int(int64(b.last) - int64(a.last)) })
	var near []Known
	for _, e := range alike[:min(len(alike), maxNear)] {
		near = append(near, e.Known)
	}
	return near
}

func similar(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return len(a) > 2 && len(b) > 2 && (strings.Contains(a, b) || strings.Contains(b, a))
}

func (t *Table) unknown(uid string) string {
	letters := strings.TrimRight(uid, "0123456789")
	number, err := strconv.Atoi(uid[len(letters):])
	switch {
	case uid == "":
		return "it is empty"
	case err == nil && letters == t.prefix && number > 0 && number <= t.next:
		return "it was of something that has been gone for long"
	case err == nil && letters == t.prefix:
		return "none like it has been given"
	case err == nil && letters != "" && strings.Trim(letters, "abcdefghijklmnopqrstuvwxyz") == "":
		return "it is of another page, or none like it has been given"
	}
	return "it is not one of this hub's"
}

// StaleError says that a uid no longer means what the client was shown.
type StaleError struct {
	Known
	Why     string
	Hidden  bool    // the element exists, but isn't shown
	Removed bool    // the page has removed the element
	Near    []Known // similar elements, from which the agent may choose
}

func (e *StaleError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "uid %s was %s, but %s. ", e.UID, e.Label, e.Why)
	for i, n := range e.Near {
		if i == 0 {
			b.WriteString("The last snapshots also showed ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", n.UID, n.Label)
	}
	if len(e.Near) > 0 {
		b.WriteString(". ")
	}
	b.WriteString("Nothing was done. Take a new snapshot")
	return b.String()
}

// UnknownError says that a uid means nothing here.
type UnknownError struct{ UID, Why string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no uid %s on this page: %s. Take a snapshot of the page, and use the uids "+
		"that it shows", tree.Quote(sanitize.Text(e.UID, 40)), e.Why)
}
