package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a page of a real browser registers is found by what it does, and is called by the name
// that was found.
func TestFindWebMCPTools(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	c.open(t, pages.url("shop.html"))
	h := attachHub(t, c)
	var found struct {
		Tools []struct{ Name, Signature string }
	}
	poll(t, "the tool isn't found", func() bool {
		result := h.call("find_webmcp_tools", map[string]any{"query": "put something into my basket", "limit": 1})
		return !result.IsError && json.Unmarshal([]byte(textOf(result)), &found) == nil && len(found.Tools) == 1
	})
	if one := found.Tools[0]; !strings.HasSuffix(one.Name, "_add_to_cart") || !strings.HasPrefix(one.Signature, "add-to-cart(") {
		t.Errorf("found %+v", one)
	}
	if result := h.call(found.Tools[0].Name, map[string]any{"product": "pen"}); result.IsError {
		t.Errorf("the tool that was found: %s", textOf(result))
	}
	wantError(t, h.call("find_webmcp_tools", map[string]any{"query": "x", "site": "nowhere.example"}), "No open page is of the site nowhere.example")
}
