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
// pages, so that the site's process stays.
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
	target = window(t)
	t.Cleanup(func() { giveBack(t, target) })
	return target
}

// window takes the tab of a window that shows nothing, or makes one.
func window(t testing.TB) (target string) {
	t.Helper()
	conn := Conn(t)
	b, _ := shared()
	if target = b.windows.take(); target == "" {
		return create(t, map[string]any{"url": "about:blank", "newWindow": true})
	}
	inFront(conn, target)
	return target
}

// inFront brings a tab to the front, where new tabs are.
func inFront(conn *cdpclient.Conn, target string) {
	conn.Post("", "Target.activateTarget", map[string]any{"targetId": target}, nil)
}

// giveBack gives back what [window] returned.
func giveBack(t testing.TB, target string) {
	b, _ := shared()
	if t.Failed() || !b.windows.back(b.conn, target) {
		b.conn.Post("", cdpclient.TargetCloseTarget, map[string]any{"targetId": target}, nil)
	}
}

func (w *windows) take() (target string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.free) - 1; last >= 0 {
		target, w.free = w.free[last], w.free[:last]
	}
	return target
}

// wellWithin limits how long a tab may take to prove that it is well: its page may hang, or ask whether to be left.
const wellWithin = time.Second

// back adds a tab to the free ones if it is well, and reports whether it is.
func (w *windows) back(conn *cdpclient.Conn, target string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), wellWithin)
	defer cancel()
	if !isWell(ctx, conn, target, []step{
		{cdpclient.PageNavigate, map[string]any{"url": w.empty()}},
		// A page that the test has frozen has no timers.
		{cdpclient.RuntimeEvaluate, map[string]any{"expression": "new Promise(done => setTimeout(done))",
			"awaitPromise": true}},
	}) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, target)
	return true
}

// A step is a command and its parameters.
type step struct {
	method string
	params map[string]any
}

// isWell reports whether a tab carries out some steps, has a window of normal state, and has no session attached.
func isWell(ctx context.Context, conn *cdpclient.Conn, target string, steps []step) bool {
	var s cdpclient.SessionParams
	if conn.Call(ctx, "", cdpclient.TargetAttachToTarget, map[string]any{"targetId": target, "flatten": true},
		&s) != nil {
		return false
	}
	well := true
	for _, step := range steps {
		var is cdpclient.EvaluateResult
		well = well && conn.Call(ctx, s.SessionID, step.method, step.params, &is) == nil && is.ExceptionDetails == nil
	}
	var window struct{ Bounds struct{ WindowState string } }
	well = well && conn.Call(ctx, s.SessionID, "Browser.getWindowForTarget", nil, &window) == nil &&
		window.Bounds.WindowState == "normal"
	conn.Post("", cdpclient.TargetDetachFromTarget, s, nil)
	var is struct{ TargetInfo struct{ Attached bool } }
	err := conn.Call(ctx, "", "Target.getTargetInfo", map[string]any{"targetId": target}, &is)
	return well && err == nil && !is.TargetInfo.Attached // a session that the test left open may be attached
}
