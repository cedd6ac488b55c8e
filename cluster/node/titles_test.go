package node_test

import (
	"encoding/json"
	"maps"
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/wire"
)

// TestTitles: gateways are told titles with the addresses that they are of, and those of earlier
// builds, which know of no addresses, the titles alone.
func TestTitles(t *testing.T) {
	chrome := cdptest.New()
	defer chrome.Die()
	n := start(t, dialer{chrome})
	page := chrome.OpenPage("http://shop.test/")
	page.Register(cdptest.Tool{Name: "buy", Description: "buys", Execute: says("bought")})
	f := greet(t, n, "front")
	on := f.tool("buys").Page
	page.SetTitleByScript("Cart (1)")
	var now map[string]wire.Title
	if r := f.reply(f.begin(wire.ReadTitled, nil)); json.Unmarshal(r.Result, &now) != nil || !maps.Equal(now, map[string]wire.Title{on: {URL: "http://shop.test/", Text: "Cart (1)"}}) {
		t.Errorf("the titles are %s (%v)", r.Result, r.Error)
	}
	var before map[string]string
	if r := f.reply(f.begin(wire.ReadTitles, nil)); json.Unmarshal(r.Result, &before) != nil || !maps.Equal(before, map[string]string{on: "Cart (1)"}) {
		t.Errorf("an earlier build is told %s (%v)", r.Result, r.Error)
	}
}
