package wire

import (
	"sync"
	"weak"

	"webmcphub/registry/offer"
)

// maxDigests is how many digests are remembered.
const maxDigests = 4096

// Digests remembers the digests of tools that were asked for, because a tool is called more often
// than it changes. The zero value is ready; its methods may be called from any goroutine.
type Digests struct {
	mu  sync.Mutex
	all map[weak.Pointer[offer.PageTool]]string
}

// Of is [Digest] of a tool that doesn't change any more.
func (d *Digests) Of(t *offer.PageTool) string {
	key := weak.Make(t)
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.all[key]; ok {
		return known
	}
	if d.all == nil || len(d.all) >= maxDigests { // most of so many are of tools that are gone
		d.all = map[weak.Pointer[offer.PageTool]]string{}
	}
	made := Digest(t)
	d.all[key] = made
	return made
}
