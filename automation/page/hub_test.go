package page_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/actors"
	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/registry"
)

// besideHub is a hub with a Chromium of its own, as automation finds it.
type besideHub struct {
	*actors.Hub
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	changed  chan struct{}
	catalog  *registry.Catalog
	sessions map[cdpclient.SessionID]cdpclient.SessionID // that are there, with those they were made through
}

func startBesideHub(t *testing.T, set ...func(*actors.Options)) *besideHub {
	t.Helper()
	Conn(t) // or the test is skipped
	h := &besideHub{t: t, ctx: Context(t), changed: make(chan struct{}), catalog: registry.EmptyCatalog(), sessions: map[cdpclient.SessionID]cdpclient.SessionID{}}
	chrome, err := launch.Start(h.ctx, launch.Options{Headless: true, Args: []string{"--disable-gpu", "--host-resolver-rules=MAP *.test 127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	o := actors.Options{ConnectOptions: actors.ConnectOptions{Dialer: tapped{chrome, h}}, Publisher: h}
	for _, s := range set {
		s(&o)
	}
	h.Hub = actors.Start(o)
	t.Cleanup(func() {
		if err := h.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := chrome.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := h.Connect(h.ctx, false); err != nil {
		t.Fatal(err)
	}
	return h
}

// tapped dials the Chromium once, and keeps account of its sessions.
type tapped struct {
	chrome *launch.Chrome
	h      *besideHub
}

func (d tapped) Dial(context.Context) (cdpclient.Wire, error) {
	return tappedWire{d.chrome.Watched(), d.h}, nil
}

type tappedWire struct {
	cdpclient.Wire
	h *besideHub
}

func (w tappedWire) Read() ([]byte, error) {
	msg, err := w.Wire.Read()
	var e struct {
		SessionID cdpclient.SessionID
		Method    string
		Params    struct{ SessionID cdpclient.SessionID }
	}
	if err == nil && json.Unmarshal(msg, &e) == nil {
		w.h.account(e.Method, e.Params.SessionID, e.SessionID)
	}
	return msg, err
}

func (h *besideHub) account(method string, s, through cdpclient.SessionID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch method {
	case cdpclient.TargetAttachedToTarget:
		h.sessions[s] = through
	case cdpclient.TargetDetachedFromTarget:
		for ended := []cdpclient.SessionID{s}; len(ended) > 0; ended = ended[1:] {
			delete(h.sessions, ended[0])
			for kid, through := range h.sessions {
				if through == ended[0] {
					ended = append(ended, kid)
				}
			}
		}
	default:
		return
	}
	h.tellLocked()
}

func (h *besideHub) tellLocked() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// Apply takes what the registry decided.
func (h *besideHub) Apply(effects []registry.Effect) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range effects {
		if e, ok := e.(registry.SetCatalog); ok {
			h.catalog = e.Catalog
			h.tellLocked()
		}
	}
}

// until waits until something is so.
func (h *besideHub) until(what string, so func(c *registry.Catalog, sessions int) bool) {
	h.t.Helper()
	for {
		h.mu.Lock()
		c, n, changed := h.catalog, len(h.sessions), h.changed
		h.mu.Unlock()
		if so(c, n) {
			return
		}
		select {
		case <-changed:
		case <-h.ctx.Done():
			h.t.Fatalf("%s: %v; %d sessions", what, context.Cause(h.ctx), n)
		}
	}
}

// open opens a tab and waits for a tool of it.
func (h *besideHub) open(url, tool string) (registry.PageID, *registry.HubTool) {
	h.t.Helper()
	id, err := h.OpenTab(h.ctx, registry.NewTab{URL: url})
	if err != nil {
		h.t.Fatal(err)
	}
	return id, h.tool(id, tool)
}

func (h *besideHub) tool(id registry.PageID, name string) (found *registry.HubTool) {
	h.t.Helper()
	h.until("tool "+name, func(c *registry.Catalog, _ int) bool {
		found = nil
		for _, t := range c.Tools() {
			if t.Route.Page == id && t.Route.Tool == name {
				found = t
			}
		}
		return found != nil
	})
	return found
}

// TestBesideTheHub: a page's own sessions disturb neither the hub's tools and calls nor
// its navigations, and nothing is left of them.
func TestBesideTheHub(t *testing.T) {
	h := startBesideHub(t)
	offers := func(name string) string {
		return `<script>document.modelContext.registerTool({name: "` + name + `", description: "d", execute: async () => "done by ` + name + `"})</script>`
	}
	site := Serve(t, Pages{"/": offers("one") + `<iframe src="{{b}}/frame"></iframe>`, "/frame": `<p>frame<iframe src="{{c}}/deep"></iframe>`, "/deep": "<p>deep", "/two": offers("two")})
	id, one := h.open(site.URL("127", "/"), "one")
	const before = 4 // the tab that Chromium has begun with, this one, its two iframes
	h.until("iframes", func(_ *registry.Catalog, n int) bool { return n == before })

	says := func(tool *registry.HubTool, text string) {
		t.Helper()
		if r := h.Call(h.ctx, tool, json.RawMessage(`{}`), actors.CallExtras{}); r.IsError || !strings.Contains(string(r.JSON), text) {
			t.Errorf("the call says %s", r.JSON)
		}
	}
	for range 3 {
		access, err := h.DebugAccess(id)
		if err != nil {
			t.Fatal(err)
		}
		p, err := page.Open(h.ctx, access.Conn, access.Target, page.Options{Gone: access.Gone, Answered: access.Answered})
		if err != nil {
			t.Fatal(err)
		}
		main, _ := p.Main()
		var title string
		if err := p.Evaluate(h.ctx, main.FrameRef, page.Isolated, "() => location.pathname", nil, &title); err != nil || title != "/" {
			t.Errorf("%q, %v", title, err)
		}
		says(one, "done by one")
		if err := p.Call(h.ctx, "", cdpclient.PageNavigate, map[string]any{"url": site.URL("127", "/two")}, nil); err != nil {
			t.Error(err)
		}
		says(h.tool(id, "two"), "done by two")
		if err := p.Call(h.ctx, "", cdpclient.PageNavigate, map[string]any{"url": site.URL("127", "/")}, nil); err != nil {
			t.Error(err)
		}
		one = h.tool(id, "one")
		h.until("both see the iframes", func(_ *registry.Catalog, n int) bool { return n == before+4 }) // the browser's, the tab's, those of the iframes
		p.Close()
		h.until("as before", func(_ *registry.Catalog, n int) bool { return n == before })
		says(one, "done by one")
	}

	access, err := h.DebugAccess(id)
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.Open(h.ctx, access.Conn, access.Target, page.Options{Gone: access.Gone})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := h.CloseTab(h.ctx, id); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if p.Err().Error() != "the tab was closed" {
		t.Error(p.Err())
	}
	h.until("no sessions", func(_ *registry.Catalog, n int) bool { return n <= 1 }) // but that of the window that Chromium has begun with
	if _, err := h.DebugAccess(id); err == nil {
		t.Error("access to a tab that is gone")
	}
}

// TestEarlierDialog: a dialog that was open before the page is known by the hub's own
// session, which alone can answer it.
func TestEarlierDialog(t *testing.T) {
	h := startBesideHub(t)
	site := Serve(t, HTML(`<script>document.modelContext.registerTool({name: "ask", description: "d", execute: async () => String(confirm("sure?"))})</script>`))
	id, ask := h.open(site.URL("127", "/"), "ask")
	answer := make(chan registry.Result, 1)
	go func() { answer <- h.Call(h.ctx, ask, json.RawMessage(`{}`), actors.CallExtras{}) }()
	h.until("a dialog", func(c *registry.Catalog, _ int) bool {
		return c.Tab(id) != nil && strings.Contains(c.Tab(id).Condition(), "dialog")
	})

	access, err := h.DebugAccess(id)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	p, err := page.Open(h.ctx, access.Conn, access.Target, page.Options{Gone: access.Gone, Earlier: func() (cdpclient.OpenDialog, bool) { return h.OpenDialog(id) }})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	t.Logf("opened in %v", time.Since(began))
	if d, open := p.Dialog(); !open || d.Kind != "confirm" || d.Message != "sure?" {
		t.Fatalf("the dialog is %+v, %v", d, open)
	}
	if _, err := p.HandleDialog(h.ctx, 0, true, ""); err != nil {
		t.Fatal(err)
	}
	if r := <-answer; !strings.Contains(string(r.JSON), "true") {
		t.Errorf("the tool says %s", r.JSON)
	}
	if err := page.Await(p, h.ctx, func() bool { return len(p.Frames()) == 1 }); err != nil {
		t.Error(err)
	}
	if slices.ContainsFunc(p.Frames(), func(f page.Frame) bool { return f.Origin == "" }) {
		t.Errorf("frames %+v", p.Frames())
	}
}

// TestAccessRefused: an explicit hub hands out no tabs that it wasn't told to connect to.
func TestAccessRefused(t *testing.T) {
	h := startBesideHub(t, func(o *actors.Options) { o.Explicit = true })
	site := Serve(t, HTML("<p>x"))
	id, err := h.OpenTab(h.ctx, registry.NewTab{URL: site.URL("a", "/")})
	if err != nil {
		t.Fatal(err)
	}
	h.until("tab", func(c *registry.Catalog, _ int) bool { return c.Tab(id) != nil })
	if _, err := h.DebugAccess(id); err == nil || !strings.Contains(err.Error(), "not connected") {
		t.Errorf("a tab that isn't connected: %v", err)
	}
	if err := h.ConnectPage(h.ctx, id); err != nil {
		t.Fatal(err)
	}
	if _, err := h.DebugAccess(id); err != nil {
		t.Errorf("a tab that is: %v", err)
	}
	if _, err := h.DebugAccess("nobody"); err == nil {
		t.Error("a tab that never was")
	}
}
