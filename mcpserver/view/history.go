package view

import "slices"

// Calls can overtake lists, and clients read more lists than their agents do. So a history keeps some lists besides
// the one that was read last: always the one before it, and further ones up to EarlierLists lists and earlierTools
// tools and offers.
const (
	EarlierLists = 16
	earlierTools = 1024
)

// history holds the lists of one kind that a client has read. The hub resolves the client's names by it: a name that
// is missing in the last list means what it meant in an earlier list, and not what has taken the name since. A history
// belongs to the ClientView.
type history[List comparable] struct {
	last    List // the zero value if no list was ever read
	version uint64
	before  []past[List] // the newest is last
}

// past is a list that was read before the last one.
type past[List comparable] struct {
	list List
	size int // number of tools and offers
}

// saw notes that the client has read a list of this version and size. Two lists of the same version contain the same
// names. Because answers can overtake each other, the list with the newest version counts as the last; newest reports
// that this is that list.
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

// knowing returns the newest list that contains the name, as knows reports. If there is none, it returns the last
// list, or the zero value if no list was read.
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
