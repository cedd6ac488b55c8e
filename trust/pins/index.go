package pins

import (
	"maps"
	"slices"
	"time"
)

// Limits of an index.
const (
	shards = 1024
	// common is how many owners' tools may share a name or a text before it counts as common: many shops have a
	// search_products.
	common = 3
	// maxRefs is how many tools are kept under one key. If there are more, the key is common anyway.
	maxRefs = 4 * common
	// maxLooked is how many tools one tool is compared with.
	maxLooked = 24
)

// ref is a tool in an index.
type ref struct {
	signature
	origin, name string
	description  string
	owner        string // owner of the origin, see ownerOf; "" means the hub
	at           time.Time
	accepted     bool
}

// index finds tools that look like a given one. It is immutable. An edit makes another index that shares most of it.
type index struct {
	shards [shards]map[uint64][]*ref
}

// edit is an index that is being changed. It owns the shards that it has copied.
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
		maps.Copy(e.shards[at], was)
	}
	return e.shards[at]
}

// add adds a tool. Under one key it keeps only the maxRefs tools that were added first.
func (e *edit) add(r *ref) {
	for _, k := range r.keys {
		shard := e.shard(k)
		if refs := shard[k]; len(refs) < maxRefs {
			shard[k] = append(slices.Clip(refs), r)
		}
	}
}

// remove removes a tool.
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

// like returns the tools that look like a tool with this signature, by name or by description, each once.
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
