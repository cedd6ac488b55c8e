package offer

import "slices"

// Named is what a page offers under a name: a [HubTool] or an [Offer].
type Named interface {
	comparable
	Identity() Identity
}

// Names is what names mean to a client, by a list that it has read or by the one
// that it would read now.
type Names[T Named] struct {
	// Find gives what a name means, or the zero value.
	Find func(name string) T
	// Of gives what a page has of the list.
	Of func(page PageID) []T
}

// Meaning finds what a client means by a name. Seen is what it has read last, or
// nil, and now is what it would read now. A name means what it meant when it was
// read: one that has been taken over by another page, document or frame finds
// nothing, and what has only been renamed is found. A reloaded frame is a new one
// with the same offers. Where is is the zero value, was is what the client meant,
// if it knew the name, and current is what the name means now.
func Meaning[T Named](seen *Names[T], now Names[T], name string) (is, was, current T) {
	var none T
	current = now.Find(name)
	if seen != nil {
		was = seen.Find(name)
	}
	if was == none {
		return current, was, current // newer than the client's list, named explicitly
	}
	id := was.Identity()
	same := func(t T) bool { return t.Identity().Same(id) }
	sameFrame := func(t T) bool { return same(t) && t.Identity().Frame == id.Frame }
	if current != none && sameFrame(current) {
		return current, was, current
	}
	all := now.Of(id.Page)
	if i := slices.IndexFunc(all, sameFrame); i >= 0 {
		return all[i], was, current // renamed: page indexes shifted, or a clash came or went
	}
	// What the client knows by another name only got the name of another frame's.
	known := func(t T) bool {
		return slices.ContainsFunc(seen.Of(id.Page), func(o T) bool { return o.Identity().Frame == t.Identity().Frame && same(o) })
	}
	if current != none && same(current) && !known(current) {
		return current, was, current
	}
	return none, was, current
}
