package actors

import (
	"runtime"
	"testing"
	"weak"
)

// Page actors' names are all different, and fall into few maps of the library.
func TestPageNames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		all := newHub(t).root.ActorSystem().ProcessRegistry.LocalPIDs
		var n pageNames
		names, maps := map[string]bool{}, map[any]bool{}
		for range 2000 {
			name := n.next(all)
			names[name] = true
			maps[all.GetBucket(name)[0]] = true
		}
		if len(names) != 2000 || len(maps) > fewMaps {
			t.Errorf("%d names in %d maps", len(names), len(maps))
		}
	})
}

// A page's actor is garbage once its tab is closed, also while the connection
// remembers its session, and those of iframes that ended before it.
func TestClosedPagesAreForgotten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		p := h.offer(tool("pay"))
		h.offer(tool("stay"))
		f := h.frame(p.Main(), ads)
		f.Register(tool("ad"))
		h.quiet()
		f.Remove()
		h.quiet()
		var actor weak.Pointer[pageActor]
		h.inActor(p, func(a *pageActor) { actor = weak.Make(a) })
		p.Close()
		h.quiet()
		for range 3 { // what a collection's cleanups let go of is for the next
			runtime.GC()
		}
		if actor.Value() != nil {
			t.Error("the actor of a closed page is still in memory")
		}
	})
}
