package finding

import (
	"slices"
	"sync"

	"webmcphub/registry"
)

// maxUsed is how many tools are remembered that were used.
const maxUsed = 64

// used are the tools that were called last. Any goroutine may use it.
type used struct {
	mu   sync.Mutex
	last []usedTool // the newest first
}

type usedTool struct {
	page registry.PageID
	tool string
}

// Used notes that a tool of a page is called.
func (f *Finder) Used(t *registry.HubTool) {
	u := &f.used
	u.mu.Lock()
	defer u.mu.Unlock()
	is := usedTool{t.Route.Page, t.Route.Tool}
	if len(u.last) > 0 && u.last[0] == is {
		return
	}
	u.last = slices.DeleteFunc(u.last, func(o usedTool) bool { return o == is })
	u.last = slices.Insert(u.last, 0, is)
	u.last = u.last[:min(len(u.last), maxUsed)]
}

// recent says how recently tools were used, from 0 to 1.
func (u *used) recent() map[registry.PageID]map[string]float32 {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := map[registry.PageID]map[string]float32{}
	for i, t := range u.last {
		if all[t.page] == nil {
			all[t.page] = map[string]float32{}
		}
		all[t.page][t.tool] = 1 - float32(i)/maxUsed
	}
	return all
}
