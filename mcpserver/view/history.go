package view

import "slices"

// Calls overtake lists, and clients read more lists than their agents, so beside
// the list that was read last some before it are remembered: so many at most, and
// the one before in any case, but beyond it only so many tools and offers.
const (
	EarlierLists = 16
	earlierTools = 1024
)

// history is what a client has read of one kind of list: by it the client's names
// are understood. A name that the list read last lacks means what it meant in an
// earlier one, and not what has taken it over since. It belongs to the lens.
type history[List comparable] struct {
	last    List // the zero value if none was ever read
	version uint64
	before  []past[List] // the newest last
}

// past is a list that was read before the last one.
type past[List comparable] struct {
	list List
	size int // in tools and offers
}

// saw takes note of a list of that version and size; lists of one version name the
// same. Answers can overtake each other; the newest list counts. newest says
// whether it is.
func (h *history[List]) saw(list List, version uint64, size func(List) int) (newest bool) {
	var never List
	earlier := list
	switch {
	case h.last == never || h.version == version:
		h.last, h.version = list, version
		return true
	case h.version < version:
		earlier, h.last, h.version, newest = h.last, list, version, true
	}
	h.remember(past[List]{earlier, size(earlier)})
	return newest
}

func (h *history[List]) remember(p past[List]) {
	h.before = append(h.before, p)
	tools := 0
	for _, p := range h.before {
		tools += p.size
	}
	for len(h.before) > 1 && (len(h.before) > EarlierLists || tools > earlierTools) {
		tools -= h.before[0].size
		h.before = slices.Delete(h.before, 0, 1)
	}
}

// knowing is the newest list that knows a name, or the last one, or the zero value.
func (h *history[List]) knowing(knows func(List) bool) List {
	var never List
	if h.last == never || knows(h.last) {
		return h.last
	}
	for _, p := range slices.Backward(h.before) {
		if knows(p.list) {
			return p.list
		}
	}
	return h.last
}
