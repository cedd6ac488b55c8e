package records

import "slices"

// ring keeps the latest entries within its limit. Ids count up from 1.
type ring[T any] struct {
	limit   Limit
	entries []slot[T] // oldest first
	bytes   int
	last    int // the last id that was given, also by earlier records
}

type slot[T any] struct {
	id       int
	document int // the Seq of the entry's document
	size     int
	value    T
	of       []string // origins to which the entry may belong, besides its document's
}

// add adds v and returns its slot, which is valid until the next add. fell is called with the document of each entry
// that is dropped.
func (r *ring[T]) add(document, size int, v T, fell func(document int)) *slot[T] {
	r.last++
	r.entries = append(r.entries, slot[T]{id: r.last, document: document, size: size, value: v})
	r.bytes += size
	r.trim(fell)
	return &r.entries[len(r.entries)-1]
}

// resize records that an entry has become longer or shorter.
func (r *ring[T]) resize(s *slot[T], size int, fell func(document int)) {
	r.bytes += size - s.size
	s.size = size
	r.trim(fell)
}

// trim drops the oldest entries until the limit is kept. The newest entry always stays; its size is bounded where it
// is made.
func (r *ring[T]) trim(fell func(document int)) {
	for len(r.entries) > 1 && (len(r.entries) > r.limit.Entries || r.bytes > r.limit.Bytes) {
		fell(r.entries[0].document)
		r.bytes -= r.entries[0].size
		r.entries[0] = slot[T]{} // append moves the others, and frees its place, once the array is full
		r.entries = r.entries[1:]
	}
}

// forget drops the entries of documents before first.
func (r *ring[T]) forget(first int) {
	r.entries = slices.DeleteFunc(r.entries, func(s slot[T]) bool {
		if s.document < first {
			r.bytes -= s.size
		}
		return s.document < first
	})
}

// get returns the entry with an id, or nil.
func (r *ring[T]) get(id int) *slot[T] {
	at, found := slices.BinarySearchFunc(r.entries, id, func(s slot[T], id int) int { return s.id - id })
	if !found {
		return nil
	}
	return &r.entries[at]
}

// newest returns the newest entry, or nil.
func (r *ring[T]) newest() *slot[T] {
	if len(r.entries) == 0 {
		return nil
	}
	return &r.entries[len(r.entries)-1]
}
