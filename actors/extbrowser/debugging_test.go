package extbrowser_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"
)

// automated is a hub with a browser whose extension may debug tabs, and a tab of it.
func automated(t *testing.T) (*TestHub, *exttest.Browser, *exttest.Tab, registry.PageID) {
	t.Helper()
	h := NewExtHub(t)
	b := exttest.New("one")
	b.Automation = true
	h.Join(b)
	opened := b.OpenTab(Shop)
	h.Quiet()
	return h, b, opened, h.Pub.Current().Tabs()[0].Page
}

// use opens a session with the tab.
func use(t *testing.T, h *TestHub, page registry.PageID) (*cdpclient.Conn, cdpclient.SessionID) {
	t.Helper()
	access, err := h.AutomationAccess(page)
	if err != nil {
		t.Fatal(err)
	}
	session, err := access.Conn.AttachTo(context.Background(), access.Target)
	if err != nil {
		t.Fatal(err)
	}
	return access.Conn, session
}

// TestExtAutomates: the extension is attached when somebody uses a tab, and detached with the last of them.
func TestExtAutomates(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, b, _, page := automated(t)
		if n := len(b.Received("debuggerAttach")); n != 0 {
			t.Errorf("attached %d times before anybody used the tab", n)
		}
		conn, session := use(t, h, page)
		if err := conn.Call(context.Background(), session, "Page.enable", nil, nil); err != nil {
			t.Error(err)
		}
		if again, _ := use(t, h, page); again != conn {
			t.Error("the second user has a connection of its own")
		}
		if n := len(b.Received("debuggerAttach")); n != 1 {
			t.Errorf("attached %d times", n)
		}
		for _, s := range []cdpclient.SessionID{"tab-1", "tab-2"} {
			if n := len(b.Received("debuggerDetach")); n != 0 {
				t.Errorf("detached while somebody uses the tab")
			}
			_ = conn.Call(context.Background(), "", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: s}, nil)
			h.Quiet()
		}
		if n := len(b.Received("debuggerDetach")); n != 1 {
			t.Errorf("detached %d times", n)
		}
		conn, _ = use(t, h, page) // anew
		_ = conn.Close()
		<-conn.Done()
	})
}

// TestExtAutomationEnds: what ends automation fails the commands in flight, and says why.
func TestExtAutomationEnds(t *testing.T) {
	for name, is := range map[string]struct {
		end  func(*TestHub, registry.PageID, *exttest.Browser, *exttest.Tab)
		want string
	}{
		"by the user": {func(_ *TestHub, _ registry.PageID, b *exttest.Browser, _ *exttest.Tab) {
			b.Say(`{"type":"debuggerDetached","tabId":1,"reason":"canceled_by_user"}`)
		}, "the user has ended automation"},
		"with a disconnected page": {func(h *TestHub, page registry.PageID, b *exttest.Browser, _ *exttest.Tab) {
			if err := h.DisconnectPage(context.Background(), page); err != nil {
				h.T.Error(err)
			}
			h.Quiet()
			if n := len(b.Received("debuggerDetach")); n != 1 {
				h.T.Errorf("detached %d times", n)
			}
		}, "the hub is disconnected from it"},
		"with the tab":  {func(_ *TestHub, _ registry.PageID, _ *exttest.Browser, opened *exttest.Tab) { opened.Close() }, "closed"},
		"with the wire": {func(_ *TestHub, _ registry.PageID, b *exttest.Browser, _ *exttest.Tab) { _ = b.Wire().Close() }, "no browser"},
	} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h, b, opened, page := automated(t)
				conn, session := use(t, h, page)
				b.Ignore("debuggerCommand")
				failed := make(chan error, 1)
				go func() { failed <- conn.Call(context.Background(), session, "Page.enable", nil, nil) }()
				h.Quiet()
				is.end(h, page, b, opened)
				h.Quiet()
				if err := <-failed; !errors.Is(err, cdpclient.ErrConnClosed) || !strings.Contains(err.Error(), is.want) {
					t.Errorf("the command ends with %v, want %s", err, is.want)
				}
				<-conn.Done()
			})
		})
	}
}

// TestExtAutomationRefused: why a tab can't be automated is said.
func TestExtAutomationRefused(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, b, _, page := automated(t)
		b.Ignore("debuggerAttach")
		failed := make(chan error, 1)
		go func() { _, err := h.AutomationAccess(page); failed <- err }()
		h.Quiet()
		b.Say(`{"type":"debuggerReply","tabId":1,"id":0,"error":{"code":-32000,"message":"another debugger is attached"}}`)
		if err := <-failed; err == nil || !strings.Contains(err.Error(), "another debugger") {
			t.Errorf("got %v", err)
		}
		if _, err := h.AutomationAccess(page); err == nil || !strings.Contains(err.Error(), "did not answer") {
			t.Errorf("a silent extension: %v", err)
		}
		plain := h.Join(exttest.New("two"))
		plain.OpenTab(Third)
		h.Quiet()
		if _, err := h.AutomationAccess(h.Pub.Current().Tabs()[1].Page); err == nil || !strings.Contains(err.Error(), "install --automation") {
			t.Errorf("an extension without the permission: %v", err)
		}
	})
}

// TestExtAskedWhetherItAutomates: that is asked without attaching, and a connection that nobody uses doesn't stay.
func TestExtAskedWhetherItAutomates(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, b, _, page := automated(t)
		if ported, err := h.CanAutomate(page); ported || err != nil {
			t.Errorf("automatable: by a port %v, %v", ported, err)
		}
		h.Quiet()
		if n := len(b.Received("debuggerAttach")); n != 0 {
			t.Errorf("attached %d times for a question", n)
		}
		access, err := h.AutomationAccess(page)
		if err != nil {
			t.Fatal(err)
		}
		<-access.Conn.Done() // who got it never attaches
		h.Quiet()
		if a, d := len(b.Received("debuggerAttach")), len(b.Received("debuggerDetach")); a != 1 || d != 1 {
			t.Errorf("attached %d times and detached %d times", a, d)
		}
		plain := h.Join(exttest.New("two"))
		plain.OpenTab(Third)
		h.Quiet()
		if _, err := h.CanAutomate(h.Pub.Current().Tabs()[1].Page); err == nil || !strings.Contains(err.Error(), "install --automation") {
			t.Errorf("an extension without the permission: %v", err)
		}
	})
}

// TestExtOpensATabToDebug: a tab that is to be debugged from its first request on opens blank, and with the address
// where its extension can't debug it.
func TestExtOpensATabToDebug(t *testing.T) {
	for automation, want := range map[bool]string{true: "about:blank", false: Shop} {
		Bubble(t, func(t *testing.T) {
			h := NewExtHub(t)
			b := exttest.New("one")
			b.Automation = automation
			h.Join(b)
			if _, err := h.OpenTab(t.Context(), registry.NewTab{URL: "about:blank", For: Shop}); err != nil {
				t.Fatal(err)
			}
			if opened := b.Received("openTab"); len(opened) != 1 || opened[0].URL != want {
				t.Errorf("with automation %v it opened %+v", automation, opened)
			}
		})
	}
}

// TestExtNextUserOfATab: who has got the connection finds it open, though its last user leaves before they attach.
func TestExtNextUserOfATab(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, b, _, page := automated(t)
		conn, first := use(t, h, page)
		next, err := h.AutomationAccess(page)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		if err := conn.Call(ctx, "", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: first}, nil); err != nil {
			t.Error(err)
		}
		h.Quiet()
		if _, err := next.Conn.AttachTo(ctx, next.Target); err != nil {
			t.Errorf("the next user: %v", err)
		}
		if n := len(b.Received("debuggerDetach")); n != 0 {
			t.Errorf("detached %d times", n)
		}
		_ = conn.Close()
		<-conn.Done()
	})
}

// TestExtAttachedToNothing: an extension that doesn't say what it attached to is told to let go.
func TestExtAttachedToNothing(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, b, _, page := automated(t)
		b.Ignore("debuggerAttach")
		failed := make(chan error, 1)
		go func() { _, err := h.AutomationAccess(page); failed <- err }()
		h.Quiet()
		b.Say(`{"type":"debuggerReply","tabId":1,"id":0,"result":{"targetId":""}}`)
		if err := <-failed; err == nil || !strings.Contains(err.Error(), "does not say which page") {
			t.Errorf("got %v", err)
		}
		h.Quiet()
		if n := len(b.Received("debuggerDetach")); n != 1 {
			t.Errorf("detached %d times", n)
		}
	})
}

// TestExtAttachAnsweredLate: the answer to an attempt that the hub has given up isn't taken for the next one's.
func TestExtAttachAnsweredLate(t *testing.T) {
	for name, late := range map[string]string{
		"error":  `"error":{"code":-32000,"message":"too late"}`,
		"result": `"result":{"targetId":"stale"}`,
	} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h, b, _, page := automated(t)
				b.Ignore("debuggerAttach")
				if _, err := h.AutomationAccess(page); err == nil || !strings.Contains(err.Error(), "did not answer") {
					t.Fatalf("a silent extension: %v", err)
				}
				type answer struct {
					target string
					err    error
				}
				second := make(chan answer, 1)
				go func() { access, err := h.AutomationAccess(page); second <- answer{access.Target, err} }()
				h.Quiet()
				b.Say(`{"type":"debuggerReply","tabId":1,"id":0,"attempt":1,` + late + `}`)
				h.Quiet()
				b.Say(`{"type":"debuggerReply","tabId":1,"id":0,"attempt":2,"result":{"targetId":"fresh"}}`)
				if got := <-second; got.err != nil || got.target != "fresh" {
					t.Errorf("the second attempt gets %q, %v", got.target, got.err)
				}
			})
		})
	}
}
