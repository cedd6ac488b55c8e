package registry

import (
	"strings"
	"testing"
)

// list_tabs says what ails a tab, and which dialog is open in it.
func TestListTabsShowsTheState(t *testing.T) {
	h := newHub(t, Options{})
	h.open("a", "https://a.example/")
	if got := string(ListTabsResult(h.state.Catalog(), nil).JSON); strings.Contains(got, "state") {
		t.Errorf("a tab that is well: %s", got)
	}
	h.step(PageChanged{Page: "a", Dialog: `dialog open: alert "Hi"`})
	if got := string(ListTabsResult(h.state.Catalog(), nil).JSON); !strings.Contains(got, `"state":"dialog open: alert \"Hi\""`) {
		t.Errorf("a tab with a dialog: %s", got)
	}
	h.step(PageChanged{Page: "a", State: NotConnected, Dialog: `dialog open: alert "Hi"`})
	if got := h.state.Catalog().Tab("a").Condition(); got != NotConnected {
		t.Errorf("a tab that is not connected is %s", got)
	}
}
