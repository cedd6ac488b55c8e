package automation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// manyTabs is a browser with as many real tabs as are opened in it. Their ids are Chrome's.
type manyTabs struct {
	*fakeBrowser
	t    testing.TB
	ctx  context.Context
	conn *cdpclient.Conn
	site *automationtest.Site
	file string // may be uploaded
	// behind has tabs that are opened in the background be so: behind those in front.
	behind bool
	// own has them be in windows in which a tab of this test is in front; see ownWindow.
	own     bool
	windows map[int]bool
	// stalls delivers a value when a script stalls, and goOn has it go on; see automationtest.Stalls.
	stalls <-chan struct{}
	goOn   func()
	// extension is the session of a page of the test's extension, which alone can discard tabs; "" until it is needed.
	extension cdpclient.SessionID

	mu      sync.Mutex
	gone    map[registry.PageID]chan struct{}
	dialogs map[registry.PageID]cdpclient.OpenDialog
}

func newManyTabs(t testing.TB, pages automationtest.Pages) *manyTabs {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &manyTabs{
		file:        file,
		fakeBrowser: newFakeBrowser(), t: t, ctx: automationtest.Context(t), conn: automationtest.Conn(t), site: automationtest.Serve(t, pages),
		gone: map[registry.PageID]chan struct{}{}, dialogs: map[registry.PageID]cdpclient.OpenDialog{},
	}
}

// OpenTab opens a real tab.
func (b *manyTabs) OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error) {
	var id registry.PageID
	if !tab.Background || !b.behind { // a window of its own, so that tests that run side by side don't hide each other's tabs
		id = registry.PageID(automationtest.Window(b.t))
	}
	for try := 0; id == ""; try++ {
		made, err := b.behindAnother(ctx)
		switch {
		case err != nil:
			return "", err
		case !b.own || b.ownWindow(made):
			id = made
		case try == 20:
			return "", errors.New("another test's window is always the one used last")
		}
	}
	b.learn(id, tab.URL)
	return id, nil
}

// behindAnother opens a tab behind another one, in the window used last.
func (b *manyTabs) behindAnother(ctx context.Context) (registry.PageID, error) {
	var made cdpclient.CreateTargetResult
	err := b.conn.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": "about:blank", "background": true}, &made)
	if err == nil {
		b.t.Cleanup(func() { b.closes(registry.PageID(made.TargetID)) })
	}
	return registry.PageID(made.TargetID), err
}

// ownWindow says whether a tab is in a window that this opened for the test. If not, it closes the tab and opens such a
// window, in which Chrome opens the next tab. In another test's window Chrome would show one of this test's tabs when that
// test closes the tab in front.
func (b *manyTabs) ownWindow(id registry.PageID) bool {
	window := func(target string) int {
		var is struct{ WindowID int }
		if err := b.conn.Call(b.ctx, "", "Browser.getWindowForTarget", map[string]any{"targetId": target}, &is); err != nil {
			b.t.Fatal(err)
		}
		return is.WindowID
	}
	if b.windows[window(string(id))] {
		return true
	}
	b.closes(id)
	var front cdpclient.CreateTargetResult
	if err := b.conn.Call(b.ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": "about:blank", "newWindow": true}, &front); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.closes(registry.PageID(front.TargetID)) })
	if b.windows == nil {
		b.windows = map[int]bool{}
	}
	b.windows[window(string(front.TargetID))] = true
	return false
}

// learn puts a real tab into the catalog.
func (b *manyTabs) learn(id registry.PageID, url string) {
	b.mu.Lock()
	b.gone[id] = make(chan struct{})
	b.mu.Unlock()
	b.t.Cleanup(func() { b.end(id) })
	b.fakeBrowser.mu.Lock()
	defer b.fakeBrowser.mu.Unlock()
	b.state.Step(registry.PageOpened{Page: id, URL: url})
	b.state.Step(registry.Navigated{Page: id, Gen: 1, URL: url})
	b.state.Step(registry.PageChanged{Page: id, Arrived: true, URL: url})
	b.flush()
}

// CloseTab closes a tab, and has the catalog say so.
func (b *manyTabs) CloseTab(_ context.Context, id registry.PageID) error {
	b.end(id)
	b.closes(id)
	return b.fakeBrowser.CloseTab(b.ctx, id)
}

func (b *manyTabs) closes(id registry.PageID) {
	b.conn.Post("", cdpclient.TargetCloseTarget, map[string]any{"targetId": string(id)}, nil)
}

func (b *manyTabs) end(id registry.PageID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.gone[id]:
	default:
		close(b.gone[id])
	}
}

// Debuggable says whether there is such a tab.
func (b *manyTabs) Debuggable(id registry.PageID) (ported bool, err error) {
	_, err = b.Debug(id)
	return true, err
}

// Debug gives a tab's connection.
func (b *manyTabs) Debug(id registry.PageID) (Access, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	gone := b.gone[id]
	if gone == nil {
		return Access{}, errors.New("the tab is gone")
	}
	return Access{Conn: b.conn, Target: string(id), Gone: gone, Earlier: func() (cdpclient.OpenDialog, bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		d, open := b.dialogs[id]
		return d, open
	}}, nil
}

// wait is the Await of clients: it looks again and again.
func (b *manyTabs) wait(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		if c := b.catalog(ctx); satisfied(c) {
			return c
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// one is an agent with a tab of its own, and the test's other way to that tab.
type one struct {
	*agent
	b       *manyTabs
	tab     registry.PageID
	session cdpclient.SessionID // of the test
	dialogs chan struct{}       // those that it sees open
	crashes chan struct{}
	looping chan struct{} // for ever
	moved   chan struct{} // to /two
	// in is the context of the client's calls, nil for one of its own; cancel ends it.
	in     context.Context
	cancel context.CancelCauseFunc
	uids   map[string]string // by what snapshots show
}

// open gives an agent a tab with the page at a path of a.test.
func (b *manyTabs) open(s *Service, client, path string) *one {
	b.t.Helper()
	id, err := b.OpenTab(b.ctx, registry.NewTab{URL: b.site.URL("a", path)})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.use(b.t, s, client, id, path)
}

// use gives an agent of a test a tab that is open, at a path of a.test.
func (b *manyTabs) use(t testing.TB, s *Service, client string, id registry.PageID, path string) *one {
	t.Helper()
	a := newAgent(t, s, b.fakeBrowser, client)
	a.client.Await = b.wait
	o := &one{agent: a, b: b, tab: id}
	s.selects(&a.client, id)
	var attached cdpclient.SessionParams
	if err := b.conn.Call(b.ctx, "", cdpclient.TargetAttachToTarget, map[string]any{"targetId": string(id), "flatten": true}, &attached); err != nil {
		t.Fatal(err)
	}
	o.session = attached.SessionID
	o.looping = make(chan struct{}, 10)
	o.crashes = make(chan struct{}, 10)
	o.dialogs, o.moved = make(chan struct{}, 10), make(chan struct{}, 10)
	b.conn.Attach(o.session, func(m cdpclient.Message) {
		if e, is := m.(cdpclient.Event); is && e.Method == cdpclient.PageJavascriptDialogOpening {
			noted(o.dialogs)
		}
		if e, is := m.(cdpclient.Event); is && e.Method == "Runtime.consoleAPICalled" && strings.Contains(string(e.Params), "looping") {
			noted(o.looping)
		}
		if e, is := m.(cdpclient.Event); is && e.Method == cdpclient.InspectorTargetCrashed {
			noted(o.crashes)
		}
		if e, is := m.(cdpclient.Event); is && e.Method == cdpclient.PageFrameNavigated && strings.Contains(string(e.Params), "/two") {
			noted(o.moved)
		}
	})
	o.must("Page.enable", nil)
	o.must(cdpclient.RuntimeEnable, nil)
	t.Cleanup(func() { // nothing may be attached to a window that another test is to use
		s.Close()
		b.conn.Detach(o.session)
		b.conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: o.session}, nil)
	})
	o.must(cdpclient.PageNavigate, map[string]any{"url": b.site.URL("a", path)})
	o.must("Runtime.evaluate", map[string]any{"awaitPromise": true, "expression": `new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', () => done()))`})
	o.must("Page.resetNavigationHistory", nil) // what other tests had in the window
	return o
}

// noted counts something that happened, up to what the channel holds: the connection's
// reader doesn't wait.
func noted(in chan struct{}) {
	select {
	case in <- struct{}{}:
	default:
	}
}

// must sends a command on the test's own session.
func (o *one) must(method string, params any) {
	o.b.t.Helper()
	if err := o.b.conn.Call(o.b.ctx, o.session, method, params, nil); err != nil {
		o.b.t.Fatalf("%s: %v", method, err)
	}
}

// post sends a command on the test's own session and doesn't wait.
func (o *one) post(method string, params any) { o.b.conn.Post(o.session, method, params, nil) }

// until waits for something to happen in the tab, unless that is gone.
func (o *one) until(what <-chan struct{}) {
	o.b.mu.Lock()
	gone := o.b.gone[o.tab]
	o.b.mu.Unlock()
	select {
	case <-what:
	case <-gone:
	case <-o.b.ctx.Done():
		o.b.t.Error("what the test waits for has not happened")
	}
}

// begin has the page run a script, and doesn't wait for its end.
func (o *one) begin(script string) { o.post("Runtime.evaluate", map[string]any{"expression": script}) }

// look takes a snapshot and notes the uids.
func (o *one) look() {
	o.t.Helper()
	s := o.call("take_snapshot", `{}`)
	if s.IsError {
		o.t.Errorf("no snapshot: %s", s.Text)
	}
	o.uids = map[string]string{}
	for line := range strings.Lines(s.Text) {
		uid, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, name := range strings.Split(rest, `"`) {
			if name = strings.TrimSpace(name); name != "" && o.uids[name] == "" {
				o.uids[name] = uid
			}
		}
	}
}

// filled puts uids into arguments: {Save} is that of what is called Save.
func (o *one) filled(args string) string {
	for name, uid := range o.uids {
		args = strings.ReplaceAll(args, "<"+name+">", uid)
	}
	return strings.NewReplacer("<a>", o.b.site.URL("a", ""), "<path>", o.b.file, "<tab>", o.number()).Replace(args)
}

// number is the tab's id as agents know it.
func (o *one) number() string {
	if t := o.b.catalog(o.b.ctx).Tab(o.tab); t != nil {
		return strconv.Itoa(int(t.ID))
	}
	return "99"
}

// within calls a tool that is given up after a while, as the server does it.
func (o *one) within(limit time.Duration, tool, args string) *Result {
	in := o.b.ctx
	if o.in != nil {
		in = o.in
	}
	ctx, cancel := context.WithTimeoutCause(in, limit, errTooLong)
	defer cancel()
	return o.callIn(ctx, tool, o.filled(args))
}

var errTooLong = errors.New("the call took too long")
