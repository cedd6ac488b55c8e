package page_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// press clicks where a selector's element is.
func press(tab *Tab, selector string) {
	tab.T.Helper()
	at := JS[[2]float64](tab, `(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector("`+selector+`").getBoundingClientRect())`)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		tab.Must("", "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
}

func TestWatchNavigations(t *testing.T) {
	t.Parallel()
	pages := Pages{"/": `<a id=link href=/two>two</a><br><a id=far href="{{b}}/two">far</a><br><a id=part href="#part">part</a><br><button id=push onclick="history.pushState(0, '', '/pushed')">push</button><br>
		<a id=none href=/204>nothing</a><br><a id=dead href="http://127.0.0.1:1/">dead</a><br><a id=load href=/file>file</a><br><button id=script onclick="setTimeout(() => location = '/two')">script</button>`, "/two": "<p>two"}
	for _, test := range []struct {
		id, url  string
		is       func(n page.Navigation) bool
		download bool
	}{
		{"link", "/two", func(n page.Navigation) bool { return n.Started && n.Committed && n.Loaded && n.Failed == "" }, false},
		{"far", "/two", func(n page.Navigation) bool { return n.Started && n.Committed && n.Loaded && n.Failed == "" }, false},
		{"script", "/two", func(n page.Navigation) bool { return n.Requested && n.Started && n.Committed && n.Loaded }, false},
		{"part", "/#part", func(n page.Navigation) bool { return n.Within && !n.Started }, false},
		{"push", "/pushed", func(n page.Navigation) bool { return n.Within && !n.Started }, false},
		{"none", "/204", func(n page.Navigation) bool { return !n.Committed && n.Failed != "" }, false},
		{"load", "/file", func(n page.Navigation) bool { return !n.Committed && n.Failed != "" }, true},
		{"dead", "127.0.0.1:1/", func(n page.Navigation) bool { return n.Failed == "the page did not load" }, false},
	} {
		t.Run(test.id, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, pages)
			tab.Site.Handle(func(w http.ResponseWriter, r *http.Request) bool {
				switch r.URL.Path {
				case "/204":
					w.WriteHeader(http.StatusNoContent)
				case "/file":
					w.Header().Set("Content-Disposition", "attachment; filename=report.txt")
					_, _ = w.Write([]byte("text"))
				default:
					return false
				}
				return true
			})
			w := tab.Watch()
			defer w.Close()
			press(tab, "#"+test.id)
			err := w.Wait(tab.Ctx, func(h page.Happened) bool {
				return len(h.Navigations) > 0 && h.Navigations[len(h.Navigations)-1].Over() && (len(h.Downloads) > 0 || !test.download)
			})
			seen := w.Seen()
			if err != nil || len(seen.Navigations) != 1 {
				t.Fatalf("%v: %+v", err, seen)
			}
			n := seen.Navigations[0]
			if !n.Main || !test.is(n) || !strings.HasSuffix(n.URL, test.url) {
				t.Errorf("the navigation is %+v", n)
			}
			if test.download && seen.Downloads[0] != "report.txt" {
				t.Errorf("the download is %+v", seen.Downloads)
			}
		})
	}
}

func TestWatchPopups(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<button id=b onclick="window.open('/two')">open</button><a id=a target=_blank href=/two>open</a>`, "/two": "<p>two"})
	press(tab, "#b") // before
	for i, id := range []string{"b", "a", "b"} {
		w := tab.Watch()
		press(tab, "#"+id)
		err := w.Wait(tab.Ctx, func(h page.Happened) bool { return len(h.Popups) > 0 })
		seen := w.Seen()
		if err != nil || len(seen.Popups) != 1 && i > 0 {
			t.Errorf("%v: %+v", err, seen)
		}
		for _, target := range seen.Popups {
			tab.Conn.Post("", cdpclient.TargetCloseTarget, map[string]any{"targetId": target}, nil)
		}
		w.Close()
	}
}

func TestWatchDialogs(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<button id=b onclick="alert('one'); prompt('two', 'you')">ask</button>`))
	w := tab.Watch()
	defer w.Close()
	var open *page.DialogOpen
	at := JS[[2]float64](tab, `(r => [r.x + 5, r.y + 5])(b.getBoundingClientRect())`)
	press := func(kind string) error {
		return tab.Call(tab.Ctx, "", "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
	if err := errors.Join(press("mousePressed"), press("mouseReleased")); !errors.As(err, &open) || open.Dialog.Message != "one" {
		t.Fatalf("got %v", err)
	}
	if _, err := tab.HandleDialog(tab.Ctx, 0, true, ""); err != nil {
		t.Fatal(err)
	}
	if err := w.Wait(tab.Ctx, func(h page.Happened) bool { return len(h.Dialogs) == 2 }); err != nil {
		t.Fatal(err)
	}
	if d, err := tab.HandleDialog(tab.Ctx, 0, true, "me"); err != nil || d.Kind != "prompt" || d.Default != "you" || d.Message != "two" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestWaitLoad(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": "<p>one", "/slow": `<p>slow<img src=/image>`, "/hop": `<script>location = "/slow"</script>`})
	image := make(chan struct{})
	tab.Site.Handle(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/image" {
			select {
			case <-image:
			case <-r.Context().Done():
			}
			return true
		}
		return false
	})
	if err := tab.WaitLoad(tab.Ctx, "", page.NetworkIdle); err != nil {
		t.Error(err)
	}
	var to cdpclient.NavigateResult
	tab.Must("", cdpclient.PageNavigate, map[string]any{"url": tab.Site.URL("b", "/hop")}, &to)
	w := tab.Watch()
	defer w.Close()
	if err := w.Wait(tab.Ctx, func(page.Happened) bool {
		frames := tab.Frames()
		return len(frames) > 0 && strings.HasSuffix(frames[0].URL, "/slow")
	}); err != nil {
		t.Fatal(err)
	}
	if err := tab.WaitLoad(tab.Ctx, to.LoaderID, page.Parsed); err != nil {
		t.Error(err)
	}
	done := make(chan error, 1)
	go func() { done <- tab.WaitLoad(tab.Ctx, to.LoaderID, page.Loaded) }()
	if n := JS[string](tab, "document.readyState"); n != "interactive" {
		t.Error(n)
	}
	select {
	case err := <-done:
		t.Errorf("it has loaded without its image: %v", err)
	default:
	}
	close(image)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestBackForwardCache: a document that comes back is the one that it was.
func TestBackForwardCache(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<script>var kept = Math.random()</script><iframe src=/inner></iframe><iframe src="{{b}}/inner"></iframe>`, "/inner": "<p>inner", "/two": "<p>two"})
	frames := waitFrames(tab, 3, nil)
	before := JS[float64](tab, "kept")
	tab.Goto(tab.Site.URL("a", "/two"))
	waitFrames(tab, 1, nil)
	w := tab.Watch()
	defer w.Close()
	if err := tab.Evaluate(tab.Ctx, tab.Frame("").FrameRef, page.Main, "() => history.back()", nil, nil); err != nil {
		t.Log(err) // its document may go before it is answered
	}
	back := waitFrames(tab, 3, nil)
	if err := tab.WaitLoad(tab.Ctx, back[0].Loader, page.Loaded); err != nil {
		t.Error(err)
	}
	if JS[float64](tab, "kept") != before {
		t.Skip("Chrome has loaded the page anew") // as it may
	}
	for i, f := range back {
		if f.FrameRef != frames[i].FrameRef {
			t.Errorf("frame %d was %+v, is %+v", i, frames[i], f)
		}
		var path string
		if err := tab.Evaluate(tab.Ctx, f.FrameRef, page.Isolated, "() => location.href", nil, &path); err != nil || path != f.URL {
			t.Errorf("frame %d: %q, %v", i, path, err)
		}
	}
}
