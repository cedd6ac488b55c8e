package page_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

func TestMain(m *testing.M) { Main(m) }

func TestEvaluateInBothWorlds(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<script>var mine = 7</script>`), func(o *page.Options) { o.Helper = "globalThis.__help = a => a + 1" })
	main := tab.Frame("").FrameRef
	var n int
	if err := tab.Evaluate(tab.Ctx, main, page.Main, "a => mine + a", []any{1}, &n); err != nil || n != 8 {
		t.Errorf("main world: %d, %v", n, err)
	}
	var seen string
	if err := tab.Evaluate(tab.Ctx, main, page.Isolated, "async () => typeof mine + __help(1)", nil, &seen); err != nil || seen != "undefined2" {
		t.Errorf("isolated world: %q, %v", seen, err)
	}
	if is := JS[string](tab, "typeof __help"); is != "undefined" {
		t.Errorf("the page sees the helper: %s", is)
	}
	err := tab.Evaluate(tab.Ctx, main, page.Isolated, "() => { throw new Error('no') }", nil, nil)
	var thrown *page.ScriptError
	if !errors.As(err, &thrown) || !strings.HasPrefix(thrown.Text, "Error: no") {
		t.Errorf("thrown: %v", err)
	}
}

func TestStaleDocument(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"a", "b"} { // the same process, and another
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, Pages{"/": "<p>one", "/two": "<p>two"})
			old := tab.Frame("")
			node := tab.Node(old, "p")
			tab.Goto(tab.Site.URL(host, "/two"))
			err := tab.Evaluate(tab.Ctx, old.FrameRef, page.Main, "() => 1", nil, nil)
			var gone *page.DocumentGone
			if !errors.As(err, &gone) || !strings.HasSuffix(gone.Now, "/two") {
				t.Errorf("evaluate: %v", err)
			}
			if _, err := tab.Resolve(tab.Ctx, old.FrameRef, node); !errors.As(err, &gone) {
				t.Errorf("resolve: %v", err)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<p id=x>one<p id=y>two`))
	main := tab.Frame("")
	x, y := tab.Node(main, "#x"), tab.Node(main, "#y")
	object, err := tab.Resolve(tab.Ctx, main.FrameRef, x)
	if err != nil {
		t.Fatal(err)
	}
	var is cdpclient.EvaluateResult
	tab.Must(main.Session, cdpclient.RuntimeCallFunctionOn, map[string]any{"objectId": object, "functionDeclaration": "function() { return this.textContent }", "returnByValue": true}, &is)
	if string(is.Result.Value) != `"one"` {
		t.Errorf("got %s", is.Result.Value)
	}
	tab.Release(main.FrameRef, object)
	JS[any](tab, "y.remove()")
	tab.Must("", "HeapProfiler.collectGarbage", nil, nil)
	_, err = tab.Resolve(tab.Ctx, main.FrameRef, y)
	var gone *page.NodeGone
	if err != nil && !errors.As(err, &gone) {
		t.Errorf("a removed node: %v", err)
	}
	if _, err = tab.Resolve(tab.Ctx, main.FrameRef, 1<<30); !errors.As(err, &gone) {
		t.Errorf("a node that never was: %v", err)
	}
}

// TestResolveRefused: a node is gone for who asks, whatever Chrome says when it refuses it. Here the page keeps a node of
// a frame that was removed.
func TestResolveRefused(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<iframe src=/in></iframe>`, "/in": `<p id=x>one`})
	frames := waitFrames(tab, 2, func(f []page.Frame) bool { return f[1].URL != "" })
	x, gone := tab.Node(frames[1], "#x"), new(page.NodeGone)
	JS[any](tab, "[held = frames[0].document, document.querySelector('iframe').remove()].length")
	if object, err := tab.Resolve(tab.Ctx, frames[0].FrameRef, x); !errors.As(err, &gone) {
		t.Errorf("resolved: %q, %v", object, err)
	}
	script := page.Script{Frame: frames[0].FrameRef, Script: "(e) => e.id", Args: []any{page.NodeArgument{BackendNode: x}}}
	if is, err := page.Evaluate(tab.Ctx, tab.Page, script); !errors.As(err, &gone) {
		t.Errorf("as an argument: %s, %v", is.JSON, err)
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{
		"/":      `<iframe name=near src=/near></iframe><iframe src="{{b}}/far"></iframe><iframe></iframe><iframe srcdoc="<p>mine"></iframe><iframe sandbox="allow-scripts" srcdoc="<p>sand"></iframe>`,
		"/near":  "<p>near",
		"/far":   `<p>far<iframe src="{{a}}/deep"></iframe>`,
		"/deep":  "<p>deep",
		"/other": "<p>other",
	}, func(o *page.Options) {
		o.Permits = func(origin string) bool { return !strings.Contains(origin, "b.test") }
	})
	frames := waitFrames(tab, 7, func(f []page.Frame) bool { return f[len(f)-1].Origin == "null" })
	a, b := tab.Site.URL("a", ""), tab.Site.URL("b", "")
	for i, want := range []struct {
		url, origin string
		permitted   bool
		parent      int
	}{
		{a + "/", a, true, -1}, {a + "/near", a, true, 0}, {b + "/far", b, false, 0}, {a + "/deep", a, true, 2},
		{"about:blank", a, true, 0}, {"about:srcdoc", a, true, 0}, {"about:srcdoc", "null", true, 0},
	} {
		f, parent := frames[i], ""
		if want.parent >= 0 {
			parent = frames[want.parent].ID
		}
		if f.URL != want.url || f.Origin != want.origin || f.Permitted != want.permitted || f.Parent != parent {
			t.Errorf("frame %d is %+v, want %+v", i, f, want)
		}
		var text string
		err := tab.Evaluate(tab.Ctx, f.FrameRef, page.Isolated, "() => location.href", nil, &text)
		var not *page.NotPermitted
		if want.permitted && (err != nil || text != want.url) || !want.permitted && !errors.As(err, &not) {
			t.Errorf("frame %d: %q, %v", i, text, err)
		}
	}
	if frames[1].Name != "near" {
		t.Errorf("name %q", frames[1].Name)
	}
}

// waitFrames waits until there are so many frames, and they are as they should be.
func waitFrames(tab *Tab, n int, fine func([]page.Frame) bool) (frames []page.Frame) {
	tab.T.Helper()
	err := page.Await(tab.Page, tab.Ctx, func() bool {
		frames = tab.Frames()
		return len(frames) == n && (fine == nil || fine(frames))
	})
	if err != nil {
		tab.T.Fatalf("%v: the frames are %+v", err, frames)
	}
	return frames
}

// TestFrameChangesProcess: a frame goes to another process and comes back.
func TestFrameChangesProcess(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<iframe id=f src=/near></iframe>`, "/near": "<p>near", "/far": `<p>far<iframe src="{{c}}/near"></iframe>`})
	waitFrames(tab, 2, nil)
	own := tab.Frame("").Session
	for range 3 {
		JS[any](tab, `void (f.src = "`+tab.Site.URL("b", "/far")+`")`)
		frames := waitFrames(tab, 3, func(f []page.Frame) bool {
			return strings.HasSuffix(f[1].URL, "/far") && strings.HasSuffix(f[2].URL, "/near")
		})
		if frames[1].Session == own || frames[2].Session == own || frames[1].Session == frames[2].Session {
			t.Errorf("sessions of %+v", frames)
		}
		far := frames[1].FrameRef
		if err := tab.Evaluate(tab.Ctx, frames[2].FrameRef, page.Isolated, "() => document.title", nil, nil); err != nil {
			t.Error(err)
		}
		JS[any](tab, `void (f.src = "/near")`)
		frames = waitFrames(tab, 2, func(f []page.Frame) bool { return strings.HasSuffix(f[1].URL, "/near") })
		if frames[1].Session != own {
			t.Errorf("it didn't come back: %+v", frames)
		}
		if err := tab.Evaluate(tab.Ctx, frames[1].FrameRef, page.Isolated, "() => document.title", nil, nil); err != nil {
			t.Error(err)
		}
		var gone *page.DocumentGone
		if err := tab.Evaluate(tab.Ctx, far, page.Isolated, "() => 1", nil, nil); !errors.As(err, &gone) {
			t.Errorf("the document that left: %v", err)
		}
	}
}

func TestDialogEndsCalls(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<p>x`))
	main := tab.Frame("").FrameRef
	var open *page.DialogOpen
	err := tab.Evaluate(tab.Ctx, main, page.Main, "() => alert('hello')", nil, nil)
	if !errors.As(err, &open) || !open.Opened || open.Dialog.Kind != "alert" || open.Dialog.Message != "hello" {
		t.Fatalf("the call that opened it: %v", err)
	}
	if err = tab.Evaluate(tab.Ctx, main, page.Main, "() => 1", nil, nil); !errors.As(err, &open) || open.Opened {
		t.Errorf("a call while it is open: %v", err)
	}
	d, err := tab.HandleDialog(tab.Ctx, 0, true, "")
	if err != nil || d.Message != "hello" {
		t.Errorf("%+v, %v", d, err)
	}
	if n := JS[int](tab, "1"); n != 1 {
		t.Error(n)
	}
	if _, err := tab.HandleDialog(tab.Ctx, 0, true, ""); !errors.Is(err, page.ErrNoDialog) {
		t.Errorf("none is open: %v", err)
	}
}

func TestHungPage(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<p>x`))
	ctx, cancel := context.WithTimeout(tab.Ctx, 100*time.Millisecond)
	defer cancel()
	if err := tab.Evaluate(ctx, tab.Frame("").FrameRef, page.Main, "() => { for (;;); }", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	release, err := tab.Input(tab.Ctx)
	if err != nil {
		t.Fatal(err)
	}
	release()
	tab.Must("", cdpclient.RuntimeTerminateExecution, nil, nil)
	if n := JS[int](tab, "2"); n != 2 {
		t.Error(n)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		method, why string
	}{"closed": {"Page.close", "the tab was closed"}, "crashed": {"Page.crash", "the page crashed"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, HTML(`<p>x`))
			err := tab.Call(tab.Ctx, "", end.method, nil, nil)
			if err == nil {
				err = tab.Evaluate(tab.Ctx, tab.Frame("").FrameRef, page.Main, "() => new Promise(() => {})", nil, nil)
			}
			if err == nil {
				t.Error("no error")
			}
			<-tab.Done()
			var ended *page.Ended
			if !errors.As(tab.Err(), &ended) || ended.Why != end.why {
				t.Errorf("ended: %v", tab.Err())
			}
			if _, err := tab.Input(tab.Ctx); !errors.As(err, &ended) {
				t.Errorf("input: %v", err)
			}
			if err := tab.Enable(tab.Ctx, "Network"); !errors.As(err, &ended) {
				t.Errorf("enable: %v", err)
			}
		})
	}
}

func TestInputIsInOrder(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<p>x`))
	first, err := tab.Input(tab.Ctx)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithCancel(tab.Ctx)
	cancel()
	if _, err := tab.Input(short); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	second := make(chan struct{})
	go func() {
		defer close(second)
		if release, err := tab.Input(tab.Ctx); err == nil {
			release()
		}
	}()
	if n := JS[int](tab, "3"); n != 3 { // reads don't wait
		t.Error(n)
	}
	select {
	case <-second:
		t.Error("two at once")
	default:
	}
	first()
	first()
	<-second
}

// TestEarlyEvents: what was logged before the page was opened is heard, which a subscription
// comes too late for.
func TestEarlyEvents(t *testing.T) {
	t.Parallel()
	site := Serve(t, HTML(`<script>console.log("before")</script>`))
	tab := NewTab(t, site, "about:blank")
	tab.Attach()
	tab.Goto(site.URL("a", "/"))
	tab.Page.Close()
	heard := make(chan string, 10)
	tab.Attach(func(o *page.Options) {
		o.Events = []string{"Runtime.consoleAPICalled"}
		o.OnEvent = func(e cdpclient.Event) { heard <- string(e.Params) }
	})
	select {
	case is := <-heard:
		if !strings.Contains(is, `"before"`) {
			t.Error(is)
		}
	case <-tab.Ctx.Done():
		t.Fatal("nothing was heard")
	}
}

// TestHelperThatIsRefused: a helper whose value has no JSON is no reason to wait for ever.
func TestHelperThatIsRefused(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<p>`), func(o *page.Options) { o.Helper = "globalThis" })
	main, _ := tab.Main()
	if _, err := tab.World(tab.Ctx, main.FrameRef, page.Isolated); err == nil || !strings.Contains(err.Error(), "helper") {
		t.Errorf("got %v", err)
	}
}

// TestWorkersAreHeard: what workers of each kind log and throw is told with the session of a document, the worker and no
// number of a context. Service workers are also heard by a tab that comes to their origin later.
func TestWorkersAreHeard(t *testing.T) {
	t.Parallel()
	site := Serve(t, Pages{
		"/":          `<p>`,
		"/worker.js": `console.log("from the worker"); new Worker("/inner.js"); setTimeout(() => { throw new Error("of the worker") })`,
		"/inner.js":  `console.log("from the inner worker"); new Worker("/inmost.js")`,
		"/inmost.js": `console.log("from the inmost worker"); setTimeout(() => { throw new Error("of the inmost worker") })`,
		"/service.js": `console.log("from the service worker"); oninstall = skipWaiting; onactivate = (e) => e.waitUntil(clients.claim());
			onfetch = (e) => console.log("fetches " + e.request.url)`,
	})
	hears := func() (*Tab, chan cdpclient.Event) {
		tab, heard := NewTab(t, site, "about:blank"), make(chan cdpclient.Event, 100)
		tab.Attach(func(o *page.Options) {
			o.Events = []string{"Runtime.consoleAPICalled", "Runtime.exceptionThrown"}
			o.OnEvent = func(e cdpclient.Event) { heard <- e }
		})
		return tab, heard
	}
	wants := func(tab *Tab, heard chan cdpclient.Event, texts map[string]string) {
		t.Helper()
		main, _ := tab.Main()
		for len(texts) > 0 {
			select {
			case e := <-heard:
				is := string(e.Params)
				if strings.Contains(is, "executionContextId") || e.Session != main.Session || strings.Contains(is, "whose is it?") {
					t.Errorf("%s: %s", e.Session, is)
				}
				for text, of := range texts {
					if strings.Contains(is, text) && strings.Contains(is, `"worker":{"kind":"`+of[:strings.Index(of, " /")]+`","url":"`+site.URL("127", of[strings.Index(of, "/"):])+`"}`) {
						delete(texts, text)
					}
				}
			case <-tab.Ctx.Done():
				t.Fatal("not heard: ", texts)
			}
		}
	}
	tab, heard := hears()
	tab.Goto(site.URL("127", "/"))
	main, _ := tab.Main()
	if err := tab.Evaluate(tab.Ctx, main.FrameRef, page.Main, `async () => {
		window.nobodys = new Worker("data:text/javascript,console.log('whose is it?')"); window.worker = new Worker("/worker.js");
		await navigator.serviceWorker.register("/service.js") }`, nil, nil); err != nil {
		t.Fatal(err)
	}
	wants(tab, heard, map[string]string{
		"from the worker": "worker /worker.js", "of the worker": "worker /worker.js", "from the inner worker": "worker /inner.js",
		"from the inmost worker": "worker /inmost.js", "of the inmost worker": "worker /inmost.js",
		"from the service worker": "service worker /service.js",
	})
	other, also := hears()
	other.Goto(site.URL("127", "/?other"))
	wants(other, also, map[string]string{"fetches ": "service worker /service.js"})
}

// TestManyWorkers: a tab's workers beyond those that are heard start and answer, also those that a worker starts. Those
// that have ended make room for others.
func TestManyWorkers(t *testing.T) {
	t.Parallel()
	site := Serve(t, Pages{
		"/": `<p>`,
		"/outer.js": `let n = 0; self.all = Array.from({length: 52}, (_, i) => { const w = new Worker("/inner.js?" + i);
			w.onmessage = () => { if (++n === 52) postMessage(n) }; return w })`,
		"/inner.js": `console.log("inner"); postMessage("here")`,
		"/again.js": `console.log("again"); postMessage(0)`,
	})
	tab, heard := NewTab(t, site, "about:blank"), make(chan string, 1000)
	tab.Attach(func(o *page.Options) {
		o.Events, o.OnEvent = []string{"Runtime.consoleAPICalled"}, func(e cdpclient.Event) { heard <- string(e.Params) }
	})
	tab.Goto(site.URL("a", "/"))
	if n := JS[int](tab, `new Promise((done) => { window.outer = new Worker("/outer.js"); outer.onmessage = (e) => done(e.data) })`); n != 52 {
		t.Errorf("%d workers answered", n)
	}
	inner := 0
	for done := false; !done; {
		if inner == 49 { // the outer one is heard, too
			JS[int](tab, `outer.terminate(), (function next() { const w = new Worker("/again.js"); w.onmessage = () => { w.terminate(); next() } })(), 0`)
		}
		select {
		case is := <-heard:
			if done = strings.Contains(is, `"again"`); !done {
				inner++
			}
		case <-tab.Ctx.Done():
			t.Fatalf("%d inner workers were heard, and none after them", inner)
		}
	}
	if inner != 49 {
		t.Errorf("%d inner workers were heard", inner)
	}
}
