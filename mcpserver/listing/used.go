package listing

import (
	"slices"
	"sync"

	"webmcphub/registry"
)

// maxUsed is how many tools used remembers of a client.
const maxUsed = 64

// used holds the tools that each client called last. Any goroutine may use it.
type used struct {
	mu sync.Mutex
	by map[string][]usedTool // by session; "" stands for all clients without one; the newest first
}

type usedTool struct {
	page registry.PageID
	tool string
}

// Used notes that a client calls a tool of a page. session is the client's session, or "".
func (f *Finder) Used(session string, t *registry.HubTool) {
	u := &f.used
	u.mu.Lock()
	defer u.mu.Unlock()
	last := u.by[session]
	is := usedTool{t.Route.Page, t.Route.Tool}
	if len(last) > 0 && last[0] == is {
		return
	}
	if u.by == nil {
		u.by = map[string][]usedTool{}
	}
	last = slices.DeleteFunc(last, func(o usedTool) bool { return o == is })
	last = slices.Insert(last, 0, is)
	u.by[session] = last[:min(len(last), maxUsed)]
}

// Gone forgets the tools that were used in a session, which has ended.
func (f *Finder) Gone(session string) {
	f.used.mu.Lock()
	defer f.used.mu.Unlock()
	delete(f.used.by, session)
}

// recent returns how recently a client used each of its tools: from 0 to 1, where 1 is the most recent.
func (u *used) recent(session string) map[registry.PageID]map[string]float32 {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := map[registry.PageID]map[string]float32{}
	for i, t := range u.by[session] {
		if all[t.page] == nil {
			all[t.page] = map[string]float32{}
		}
		all[t.page][t.tool] = 1 - float32(i)/maxUsed
	}
	return all
}
