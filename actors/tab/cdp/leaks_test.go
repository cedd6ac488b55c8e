package cdp_test

import (
	"runtime"
	"testing"
	"weak"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
)

// A page's actor is garbage once its tab is closed, also while the connection
// remembers its session, and those of iframes that ended before it.
func TestClosedPagesAreForgotten(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(Tool("pay"))
		h.Offer(Tool("stay"))
		f := h.Frame(p.Main(), Ads)
		f.Register(Tool("ad"))
		h.Quiet()
		f.Remove()
		h.Quiet()
		var actor weak.Pointer[Link]
		inLink(h, p, func(a *Link) { actor = weak.Make(a) })
		p.Close()
		h.Quiet()
		for range 3 { // what a collection's cleanups let go of is for the next
			runtime.GC()
		}
		if actor.Value() != nil {
			t.Error("the actor of a closed page is still in memory")
		}
	})
}
