package page_test

import (
	"context"
	"errors"
	"testing"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/cdpclient"
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

// TestCallOnAfterTheEnd: a function isn't called once the context has ended, and the error says so.
func TestCallOnAfterTheEnd(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<p id=p>`))
	main := tab.Frame("")
	object, err := tab.Resolve(tab.Ctx, main.FrameRef, tab.Node(main, "#p"))
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(tab.Ctx)
	cancel()
	const called = "function () { this.textContent = 'called' }"
	if err := tab.CallOn(over, main.Session, object, called)(nil); !errors.Is(err, cdpclient.ErrNotSent) || !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if got := JS[string](tab, "p.textContent"); got != "" {
		t.Error("it was called")
	}
}

// TestSendIfIsWhole: a dialog that the first of several commands opens doesn't keep the
// others from Chrome; one that was open before keeps all of them.
func TestSendIfIsWhole(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<input id=i autofocus><script>var keys = []; addEventListener('keydown', e => alert(e.key)); addEventListener('keyup', e => keys.push(e.key))</script>`))
	key := func(kind, key string) page.Command {
		return page.Command{Method: "Input.dispatchKeyEvent", Params: map[string]any{"type": kind, "key": key}}
	}
	anyway := func([]page.Frame) error { return nil }
	var open *page.DialogOpen
	sent := tab.SendIf(tab.Ctx, anyway, "", key("rawKeyDown", "a"), key("keyUp", "a"), key("keyUp", "b"))
	for _, s := range sent {
		if err := s.Wait(tab.Ctx, nil); !errors.As(err, &open) {
			t.Fatalf("it ended with %v", err)
		}
	}
	if err := tab.SendIf(tab.Ctx, anyway, "", key("keyUp", "c"))[0].Wait(tab.Ctx, nil); !errors.As(err, &open) || open.Opened {
		t.Errorf("with the dialog open: %v", err)
	}
	if _, err := tab.HandleDialog(tab.Ctx, 0, true, ""); err != nil {
		t.Fatal(err)
	}
	if err := tab.SendIf(tab.Ctx, anyway, "", key("keyUp", "d"))[0].Wait(tab.Ctx, nil); err != nil {
		t.Fatal(err)
	}
	if got := JS[string](tab, "keys.join('')"); got != "abd" {
		t.Errorf("arrived: %s", got)
	}
}
