package registry

import (
	"testing"
	"webmcphub/registry/offer"
)

// A proxy only says that it speaks for a site; a browser's own tab of that site
// gets the site's calls, whatever the proxy does to be chosen.
func TestABrowsersOwnTabComesBeforeAProxys(t *testing.T) {
	h := newHub(t, Options{Naming: offer.MCPBNames})
	h.open("own", "https://shop.test/")
	h.report("own", "x")
	h.step(PageOpened{Page: "proxy", URL: "https://shop.test/", Proxied: true})
	h.navigate("proxy", "https://shop.test/")
	wants := func(tool string, page PageID) {
		t.Helper()
		h.flush()
		c := h.state.Catalog()
		routed := c.Lookup("website_tool_shop_test_" + tool)
		if routed == nil {
			t.Fatalf("there is no tool %s of the site", tool)
		}
		if chosen := c.ChooseTab(routed.SiteTool, nil); chosen == nil || chosen.Route.Page != page {
			t.Errorf("%s goes to %+v, want %s", tool, chosen, page)
		}
		if of := c.Tab(page).Tools; routed.Source() != of[0].Source() && routed.Source() != of[len(of)-1].Source() {
			t.Errorf("%s is described as by another tab than %s", tool, page)
		}
	}
	h.report("proxy", "x", "y") // updated last
	wants("x", "own")
	h.step(PageInFront{Page: "proxy"})
	wants("x", "own")
	wants("y", "proxy") // nobody else has it
	h.step(PageClosed{"own"})
	wants("x", "proxy")
}
