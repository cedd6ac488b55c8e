package page_test

import (
	"context"
	"testing"

	. "webmcphub/automation/automationtest"
)

// TestSendKeepsTheOrder: what one goroutine sends arrives in that order, though nobody waits
// and though the context has ended.
func TestSendKeepsTheOrder(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<input id=i autofocus><script>var keys = []; addEventListener('keydown', e => keys.push(e.key))</script>`))
	over, cancel := context.WithCancel(tab.Ctx)
	cancel()
	for _, key := range []string{"a", "b", "c", "d"} {
		last := tab.Send(over, "", "Input.dispatchKeyEvent", map[string]any{"type": "rawKeyDown", "key": key})
		if key == "d" {
			if err := last.Wait(tab.Ctx, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := JS[string](tab, "keys.join('')"); got != "abcd" {
		t.Errorf("arrived: %s", got)
	}
}
