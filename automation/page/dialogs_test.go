package page_test

import (
	"errors"
	"strings"
	"testing"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// TestDialogOfAFrame: one that an out-of-process iframe opens ends calls and is answered
// as any other.
func TestDialogOfAFrame(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<iframe src="{{b}}/in"></iframe>`, "/in": "<p>in"})
	frames := waitFrames(tab, 2, nil)
	var open *page.DialogOpen
	err := tab.Evaluate(tab.Ctx, frames[1].FrameRef, page.Main, "() => confirm('really?')", nil, nil)
	if !errors.As(err, &open) || open.Dialog.Kind != "confirm" || open.Dialog.Message != "really?" {
		t.Fatalf("got %v", err)
	}
	if d, err := tab.HandleDialog(tab.Ctx, 0, false, ""); err != nil || d.Kind != "confirm" {
		t.Errorf("%+v, %v", d, err)
	}
	var one int
	if err := tab.Evaluate(tab.Ctx, frames[1].FrameRef, page.Main, "() => 1", nil, &one); err != nil || one != 1 {
		t.Errorf("afterwards: %d, %v", one, err)
	}
}

// TestDialogAnsweredElsewhere: the user, or the hub's own session, is quicker.
func TestDialogAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML("<p>x"))
	var other cdpclient.SessionParams
	if err := tab.Conn.Call(tab.Ctx, "", cdpclient.TargetAttachToTarget, map[string]any{"targetId": tab.Target, "flatten": true}, &other); err != nil {
		t.Fatal(err)
	}
	if err := tab.Conn.Call(tab.Ctx, other.SessionID, cdpclient.PageEnable, nil, nil); err != nil {
		t.Fatal(err)
	}
	main := tab.Frame("").FrameRef
	var open *page.DialogOpen
	if err := tab.Evaluate(tab.Ctx, main, page.Main, "() => alert(1)", nil, nil); !errors.As(err, &open) {
		t.Fatalf("got %v", err)
	}
	if err := tab.Conn.Call(tab.Ctx, other.SessionID, cdpclient.PageHandleJavaScriptDialog, map[string]any{"accept": true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := page.Await(tab.Page, tab.Ctx, func() bool { _, open := tab.Dialog(); return !open }); err != nil {
		t.Fatal(err)
	}
	if _, err := tab.HandleDialog(tab.Ctx, 0, true, ""); !errors.Is(err, page.ErrNoDialog) {
		t.Errorf("got %v", err)
	}
	if n := JS[int](tab, "4"); n != 4 {
		t.Error(n)
	}
}

// TestAnsweredByTheHub: calls wait where somebody else answers at once.
func TestAnsweredByTheHub(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML("<p>x"), func(o *page.Options) { o.Answered = true })
	tab.Subscribe(func(e cdpclient.Event) {
		tab.Conn.Post(e.Session, cdpclient.PageHandleJavaScriptDialog, map[string]any{"accept": true}, nil)
	}, cdpclient.PageJavascriptDialogOpening)
	if yes := JS[bool](tab, "confirm('sure?')"); !yes {
		t.Error("it was dismissed")
	}
}

func TestBeforeUnload(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<button id=b>x</button><script>onbeforeunload = e => e.preventDefault()</script>`, "/two": "<p>two"})
	press(tab, "#b") // Chrome asks on behalf of pages that were used only
	var open *page.DialogOpen
	to := map[string]any{"url": tab.Site.URL("a", "/two")}
	for _, accept := range []bool{false, true} {
		w := tab.Watch()
		err := tab.Call(tab.Ctx, "", cdpclient.PageNavigate, to, nil)
		if !errors.As(err, &open) || open.Dialog.Kind != "beforeunload" {
			t.Fatalf("got %v", err)
		}
		if _, err := tab.HandleDialog(tab.Ctx, 0, accept, ""); err != nil {
			t.Fatal(err)
		}
		if accept {
			if err := w.Wait(tab.Ctx, func(h page.Happened) bool { return len(h.Navigations) > 0 && h.Navigations[0].Loaded }); err != nil {
				t.Error(err)
			}
		}
		if now := JS[string](tab, "location.href"); strings.HasSuffix(now, "/two") != accept {
			t.Errorf("accepted %v, and at %s", accept, now)
		}
		w.Close()
	}
}
