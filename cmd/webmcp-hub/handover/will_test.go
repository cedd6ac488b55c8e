package handover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/registry"
)

// TestWill: the pages that are open are opened again, in their order, and nothing
// but pages is.
func TestWill(t *testing.T) {
	told := 0
	k := &Keeper{Changed: func() { told++ }}
	if got := InheritedTabs(k.Will()); got != nil {
		t.Errorf("before anything is open: %q", got)
	}
	state := registry.NewState(registry.Options{})
	for i, address := range []string{"https://a.example/?q=1#x", "chrome://settings/", "http://localhost:1/", "about:blank", "file:///a", "javascript:alert(1)", "--renderer-cmd-prefix=x", "https://" + strings.Repeat("x", maxWillURL)} {
		k.Apply(state.Step(registry.PageOpened{Page: registry.PageID(fmt.Sprint(i)), URL: address}))
		k.Apply(state.Step(registry.FlushDue{}))
	}
	want := []string{"https://a.example/?q=1#x", "http://localhost:1/", "file:///a"}
	if got := InheritedTabs(k.Will()); !slices.Equal(got, want) || told == 0 {
		t.Errorf("got %q, told %d times", got, told)
	}
	if got := Reopening([]string{"--lang=de", "https://start.example/"}, want); !slices.Equal(got, append([]string{"--lang=de"}, want...)) {
		t.Errorf("Chrome's arguments are %q", got)
	}
	for _, bad := range []string{``, `null`, `{"tabs":3}`, `{"tabs":["--x","javascript:1",""]}`} {
		if got := InheritedTabs([]byte(bad)); got != nil {
			t.Errorf("%s: %q", bad, got)
		}
	}
}
