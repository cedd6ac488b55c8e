package cdp_test

import (
	"testing"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
)

// TestWhereAFramesDocumentIs: a result says where its own document is, whatever
// is said late of the one before, whose process is another.
func TestWhereAFramesDocumentIs(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Chrome.OpenPage(Shop)
		f := p.AddFrame(Shop + "inner")
		f.Register(Tool("pay"))
		h.Quiet()
		moves := func(to string) {
			inLink(h, p, func(a *Link) { // by the session of the page's process
				a.Event(event(a, cdpclient.PageNavigatedWithinDocument, cdpclient.NavigatedWithinDocument{FrameID: f.ID(), URL: to}))
			})
			h.Quiet()
		}
		is := func(want string) {
			t.Helper()
			if r := h.Begin("shop_test_page0_pay", `{}`).Result(); r.FrameURL != want {
				t.Errorf("the answer is said to come from %q, not %s", r.FrameURL, want)
			}
		}
		is(Shop + "inner")
		moves(Shop + "inner/moved")
		is(Shop + "inner/moved")
		f.Navigate(Ads)
		h.Quiet()
		f.Register(Tool("pay"))
		h.Quiet()
		is(Ads)
		moves(Shop + "inner/late")
		is(Ads)
		if n := inside(h, p, func(a *Link) (n int) {
			return len(a.Address(a.EndDocument(f.ID(), Ads+"moved")))
		}); n != 0 {
			t.Error("the next document is said to be where the last one moved to")
		}
	})
}
