package node_test

import (
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/api"
)

// TestTitles: gateways are told titles with the addresses that they are of.
func TestTitles(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	n := start(t, dialer{chrome})
	page := chrome.OpenPage("http://shop.test/")
	page.Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says("bought")})
	f := greet(t, n, "front")
	on := f.tool("buys").Document.Page
	page.SetTitleByScript("Cart (1)")
	now, err := f.Titles(t.Context(), &api.TitlesRequest{})
	if is := now.GetTitles()[on]; err != nil || len(now.Titles) != 1 || is.GetUrl() != "http://shop.test/" || is.GetText() != "Cart (1)" {
		t.Errorf("the titles are %v (%v)", now, err)
	}
}
