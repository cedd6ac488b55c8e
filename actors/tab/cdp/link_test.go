package cdp_test

import (
	"testing/synctest"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient/cdptest"
)

// inLink has f run in the turn of the page's actor. It doesn't wait for that.
func inLink(h *TestHub, p *cdptest.Page, f func(*Link)) {
	h.T.Helper()
	h.InActor(p, func(t *tab.Tab) { f(t.Link().(*Link)) })
}

// inside looks into the page's actor.
func inside(h *TestHub, p *cdptest.Page, look func(*Link) int) (n int) {
	h.T.Helper()
	inLink(h, p, func(a *Link) { n = look(a) })
	synctest.Wait()
	return n
}
