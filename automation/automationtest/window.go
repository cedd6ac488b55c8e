package automationtest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"webmcphub/cdpclient"
)

// windows has tabs, each in a window of its own, that tests have given back. Opening a window takes Chrome four times
// as long as opening another page in an existing one.
type windows struct {
	mu     sync.Mutex
	free   []string // targets
	server *httptest.Server
}

// empty returns the address of the empty page that tabs show while no test uses them. It is on the site of the tests'
// pages, so that their process stays.
func (w *windows) empty() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server == nil {
		w.server = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	}
	return (&Site{port: port(w.server)}).URL("a", "/")
}

func (w *windows) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server != nil {
		w.server.CloseClientConnections()
		w.server.Close()
	}
}

// Window returns the tab of a window that shows nothing yet, for the rest of the test.
func Window(t testing.TB) (target string) {
	t.Helper()
	conn := Conn(t)
	b, _ := shared()
	target = b.windows.take()
	if target == "" {
		target = create(t, map[string]any{"url": "about:blank", "newWindow": true})
	} else { // in front, as a new one is
		conn.Post("", "Target.activateTarget", map[string]any{"targetId": target}, nil)
	}
	t.Cleanup(func() {
		if t.Failed() || !b.windows.back(conn, target) {
			conn.Post("", cdpclient.TargetCloseTarget, map[string]any{"targetId": target}, nil)
		}
	})
	return target
}

func (w *windows) take() (target string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.free) - 1; last >= 0 {
		target, w.free = w.free[last], w.free[:last]
	}
	return target
}

// wellWithin is how long a tab may take to go to the empty page, or another is made in its stead: its
// page may hang, or ask whether to be left.
const wellWithin = time.Second

// back takes a tab back if it is well.
func (w *windows) back(conn *cdpclient.Conn, target string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), wellWithin)
	defer cancel()
	var s cdpclient.SessionParams
	if conn.Call(ctx, "", cdpclient.TargetAttachToTarget, map[string]any{"targetId": target, "flatten": true},
		&s) != nil {
		return false
	}
	well := w.well(ctx, conn, s.SessionID)
	conn.Post("", cdpclient.TargetDetachFromTarget, s, nil)
	var is struct{ TargetInfo struct{ Attached bool } }
	err := conn.Call(ctx, "", "Target.getTargetInfo", map[string]any{"targetId": target}, &is)
	if !well || err != nil || is.TargetInfo.Attached { // as by what the test has left open
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, target)
	return true
}

// well has a tab go to the empty page, and says whether it works there as a new one does.
func (w *windows) well(ctx context.Context, conn *cdpclient.Conn, s cdpclient.SessionID) bool {
	for _, step := range []struct {
		method string
		params map[string]any
	}{
		{cdpclient.PageNavigate, map[string]any{"url": w.empty()}},
		// A page that the test has frozen has no timers.
		{cdpclient.RuntimeEvaluate, map[string]any{"expression": "new Promise(done => setTimeout(done))",
			"awaitPromise": true}},
	} {
		if conn.Call(ctx, s, step.method, step.params, nil) != nil {
			return false
		}
	}
	var window struct{ Bounds struct{ WindowState string } }
	return conn.Call(ctx, s, "Browser.getWindowForTarget", nil, &window) == nil && window.Bounds.WindowState == "normal"
}
