package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Tabs that were open before the hub came are numbered as they stand in the tab
// strip: Chrome announces them in no order.
func TestOpenTabsAreNumberedAsTheyStand(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	var want []string
	for i := range 8 {
		path := fmt.Sprintf("plain.html?n=%d", i)
		c.open(t, pages.url(path)).eval(fmt.Sprintf("document.title = 'number %d'", i))
		want = append(want, path)
	}
	h := attachHub(t, c)
	var list struct{ Pages []struct{ URL string } }
	if err := json.Unmarshal([]byte(textOf(h.call("list_webmcp_tools", nil))), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list.Pages {
		if _, path, ok := strings.Cut(p.URL, "/plain.html?"); ok {
			got = append(got, "plain.html?"+path)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the tabs are numbered %q", got)
	}
}
