package pins

import (
	"slices"
	"time"
)

// What an index keeps and looks at.
const (
	shards = 1024
	// common is how many owners' tools may share a name or a text before that says
	// nothing: every other shop has a search_products.
	common = 3
	// maxRefs is how many tools are kept under one key: more are common anyway.
	maxRefs = 4 * common
	// maxLooked is how many tools are compared with one.
	maxLooked = 24
)

// ref is a tool in an index.
type ref struct {
	signature
	origin, name string
	description  string
	owner        string // of the origin, see ownerOf; "" is the hub
	at           time.Time
	accepted     bool
}

// index finds tools that look like a given one. It is immutable: with and without give
// another one that shares most of it.
type index struct {
	shards [shards]map[uint64][]*ref
}

// edit is an index that is being changed: it owns the shards it has copied.
type edit struct {
	*index
	own [shards]bool
}

func (x *index) edit() *edit {
	n := *x
	return &edit{index: &n}
}

func (e *edit) shard(key uint64) map[uint64][]*ref {
	at := key % shards
	if !e.own[at] {
		e.own[at] = true
		was := e.shards[at]
		e.shards[at] = make(map[uint64][]*ref, len(was)+1)
		for k, refs := range was {
			e.shards[at][k] = refs
		}
	}
	return e.shards[at]
}

// add adds a tool. Under a key that many have, those seen first stay.
func (e *edit) add(r *ref) {
	for _, k := range r.keys {
		shard := e.shard(k)
		if refs := shard[k]; len(refs) < maxRefs {
			shard[k] = append(slices.Clip(refs), r)
		}
	}
}

// remove takes a tool out.
func (e *edit) remove(r *ref) {
	for _, k := range r.keys {
		shard := e.shard(k)
		refs := slices.DeleteFunc(slices.Clone(shard[k]), func(o *ref) bool { return o == r })
		if len(refs) == 0 {
			delete(shard, k)
		} else {
			shard[k] = refs
		}
	}
}

// like gives the tools that look like one, by name or by description, each once.
func (x *index) like(s *signature) (byName, byText []*ref) {
	var room [3 * maxLooked]*ref
	seen, byName, byText := room[:0:maxLooked], room[maxLooked:maxLooked:2*maxLooked], room[2*maxLooked:2*maxLooked]
	for _, k := range s.keys {
		for _, r := range x.shards[k%shards][k] {
			if len(seen) >= maxLooked {
				return byName, byText
			}
			if slices.Contains(seen, r) {
				continue
			}
			seen = append(seen, r)
			if s.nameLike(&r.signature) {
				byName = append(byName, r)
			}
			if s.textLike(&r.signature) {
				byText = append(byText, r)
			}
		}
	}
	return byName, byText
}
