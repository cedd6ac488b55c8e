package records

// ring keeps the latest entries within its limit. Ids count up from 1.
type ring[T any] struct {
	limit   Limit
	entries []slot[T] // oldest first; entries[from:] are in use
	from    int
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
	for r.len() > 1 && (r.len() > r.limit.Entries || r.bytes > r.limit.Bytes) {
		fell(r.entries[r.from].document)
		r.drop()
	}
	r.compact()
}

// forget drops the entries of documents before first.
func (r *ring[T]) forget(first int) {
	kept := r.entries[r.from:][:0]
	bytes := 0
	for _, s := range r.entries[r.from:] {
		if s.document >= first {
			kept = append(kept, s)
			bytes += s.size
		}
	}
	clear(r.entries[r.from+len(kept):])
	r.entries, r.bytes = r.entries[:r.from+len(kept)], bytes
}

func (r *ring[T]) drop() {
	r.bytes -= r.entries[r.from].size
	r.entries[r.from] = slot[T]{}
	r.from++
}

// compact moves the entries to the front once half of the slice is unused.
func (r *ring[T]) compact() {
	if r.from < 64 || r.from < len(r.entries)/2 {
		return
	}
	n := copy(r.entries, r.entries[r.from:])
	clear(r.entries[n:])
	r.entries, r.from = r.entries[:n], 0
}

func (r *ring[T]) len() int { return len(r.entries) - r.from }

// all returns the entries, oldest first. The slice belongs to the ring.
func (r *ring[T]) all() []slot[T] { return r.entries[r.from:] }

// get returns the entry with an id, or nil.
func (r *ring[T]) get(id int) *slot[T] {
	in := r.all()
	low, high := 0, len(in)
	for low < high {
		mid := (low + high) / 2
		if in[mid].id < id {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(in) && in[low].id == id {
		return &in[low]
	}
	return nil
}

// newest returns the newest entry, or nil.
func (r *ring[T]) newest() *slot[T] {
	if r.len() == 0 {
		return nil
	}
	return &r.entries[len(r.entries)-1]
}
