package actors

import (
	"cmp"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"
)

// pageNames names page actors such that few maps of protoactor's process
// registry ever hold one. It has 1,024 × 32, each of which keeps the room of its
// first entry for good: 11 MiB, once enough tabs have come and gone.
type pageNames struct {
	prefix string // of all names; "page" if empty
	last   uint64
	few    map[any]bool // the maps, by their first shard
}

// fewMaps is how many of the 1,024 are used. It takes 1,024/fewMaps tries to
// find a name.
const fewMaps = 16

// next gives a name that no actor has had.
func (n *pageNames) next(all *actor.SliceMap) string {
	if n.few == nil {
		n.few = map[any]bool{}
		for _, m := range all.LocalPIDs[:fewMaps] {
			n.few[m[0]] = true
		}
	}
	for {
		n.last++
		if name := cmp.Or(n.prefix, "page") + strconv.FormatUint(n.last, 36); n.few[all.GetBucket(name)[0]] {
			return name
		}
	}
}
