package actors

import (
	"runtime"
	"testing"
	"weak"
)

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
		var actor weak.Pointer[cdpLink]
		h.inActor(p, func(a *cdpLink) { actor = weak.Make(a) })
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
