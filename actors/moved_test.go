package actors

import (
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// TestWhereAFramesDocumentIs: a result says where its own document is, whatever
// is said late of the one before, whose process is another.
func TestWhereAFramesDocumentIs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		p := h.chrome.OpenPage(shop)
		f := p.AddFrame(shop + "inner")
		f.Register(tool("pay"))
		h.quiet()
		moves := func(to string) {
			h.inActor(p, func(a *cdpLink) { // by the session of the page's process
				a.event(event(a, cdpclient.PageNavigatedWithinDocument, cdpclient.NavigatedWithinDocument{FrameID: f.ID(), URL: to}))
			})
			h.quiet()
		}
		is := func(want string) {
			t.Helper()
			if r := h.begin("shop_test_page0_pay", `{}`).result(); r.FrameURL != want {
				t.Errorf("the answer is said to come from %q, not %s", r.FrameURL, want)
			}
		}
		is(shop + "inner")
		moves(shop + "inner/moved")
		is(shop + "inner/moved")
		f.Navigate(ads)
		h.quiet()
		f.Register(tool("pay"))
		h.quiet()
		is(ads)
		moves(shop + "inner/late")
		is(ads)
		if n := h.inside(p, func(a *cdpLink) (n int) {
			frame := a.frames[registry.FrameID(f.ID())]
			frame.moved = ads + "moved"
			a.endDocument(frame)
			return len(a.Address(offer.Route{Frame: frame.id, Doc: frame.doc}))
		}); n != 0 {
			t.Error("the next document is said to be where the last one moved to")
		}
	})
}
