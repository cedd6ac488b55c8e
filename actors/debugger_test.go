package actors_test

import (
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"
)

// TestDebuggerRefuses: tabs that have no debugging port aren't handed out, and the error
// says why.
func TestDebuggerRefuses(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		h.Join(exttest.New("one"))
		page, err := h.OpenTab(t.Context(), registry.NewTab{URL: Shop})
		if err != nil {
			t.Fatal(err)
		}
		h.Quiet()
		if _, err := h.DebugAccess(page); err == nil || !strings.Contains(err.Error(), "has no debugging port") {
			t.Errorf("a tab of an extension: %v", err)
		}
		if _, open := h.OpenDialog(page); open {
			t.Error("a dialog in a tab of an extension")
		}
		if err := h.CloseTab(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		h.Quiet()
		if _, err := h.DebugAccess(page); err == nil || !strings.Contains(err.Error(), "the tab is gone") {
			t.Errorf("a tab that is closed: %v", err)
		}
	})
}
