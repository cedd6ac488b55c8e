package focus

import (
	"strings"
	"testing"

	"webmcphub/registry"
)

// list_tabs says what ails a tab, and which dialog is open in it.
func TestListTabsShowsTheState(t *testing.T) {
	h := newHub(t, registry.Options{})
	h.open("a", "https://a.example/")
	if got := string(ListTabsResult(h.state.Catalog(), nil).JSON); strings.Contains(got, "state") {
		t.Errorf("a tab that is well: %s", got)
	}
	h.step(registry.PageChanged{Page: "a", Dialog: `dialog open: alert "Hi"`})
	if got := string(ListTabsResult(h.state.Catalog(), nil).JSON); !strings.Contains(got, `"state":"dialog open: alert \"Hi\""`) {
		t.Errorf("a tab with a dialog: %s", got)
	}
	h.step(registry.PageChanged{Page: "a", State: registry.NotConnected, Dialog: `dialog open: alert "Hi"`})
	if got := h.state.Catalog().Tab("a").Condition(); got != registry.NotConnected {
		t.Errorf("a tab that is not connected is %s", got)
	}
}
