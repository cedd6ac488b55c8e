package snapshot

import (
	"context"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// TestFrameInAFrameThatHangs: the process of a frame that hangs isn't waited for when it is asked
// where the frames in it are either, and these are named all the same.
func TestFrameInAFrameThatHangs(t *testing.T) {
	t.Parallel()
	site := automationtest.Serve(t, automationtest.Pages{
		"/":      `<button>Save</button><iframe src="{{b}}/outer"></iframe>`,
		"/outer": `<iframe src="/inner"></iframe><script>onmessage = () => ` + automationtest.Stalls + `</script>`,
		"/inner": `<p>inner`,
	})
	stalled, goOn := site.Stall()
	defer goOn()
	tab, snaps := automationtest.OpenAt(t, site, site.URL("a", "/")), NewTab(0)
	snaps.patience = 200 * time.Millisecond
	inner := tab.Frame("/inner")
	automationtest.JS[int](tab, "(frames[0].postMessage('', '*'), 1)")
	select {
	case <-stalled:
	case <-tab.Ctx.Done():
		t.Fatal("the frame doesn't stall")
	}
	for range 2 {
		ctx, cancel := context.WithTimeout(tab.Ctx, 15*time.Second)
		s, err := snaps.Take(ctx, tab.Page, Options{})
		if err != nil || ctx.Err() != nil {
			t.Fatalf("a snapshot of %d frames: %v, %v", len(tab.Frames()), err, ctx.Err())
		}
		cancel()
		has(t, s, `"Save"`, "/outer (not read: it didn't answer in")
		if !strings.Contains(s.Text, inner.URL) && !strings.Contains(s.Text, strings.TrimPrefix(inner.URL, "http:")) {
			t.Errorf("the frame in it isn't named:\n%s", s.Text)
		}
	}
}

// TestNameOfAFrameKeptOut: a frame that is kept out says nothing by the name that it gives its
// window, whether it is of the page's process or of another.
func TestNameOfAFrameKeptOut(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"a", "b"} {
		other := automationtest.Serve(t, automationtest.Pages{"/in": `<script>window.name = "balance s3cret"</script>`, "/in2": "<p>2"})
		site := automationtest.Serve(t, automationtest.Pages{"/": `<p>Hello<iframe src="` + other.URL(host, "/in") + `"></iframe>`})
		tab := automationtest.OpenAt(t, site, site.URL("a", "/"), func(o *page.Options) {
			o.Permits = func(origin string) bool { return origin == site.URL("a", "") }
		})
		// Chrome tells it with the next document.
		automationtest.JS[int](tab, `new Promise(done => { const f = document.querySelector("iframe"); f.onload = () => done(1); f.src = "`+other.URL(host, "/in2")+`" })`)
		if f := tab.Frame("/in2"); f.Name == "" && host == "a" {
			t.Error("the frame has no name")
		}
		s := take(t, tab, NewTab(0), Options{View: View{Verbose: true}})
		has(t, s, "the hub's rules forbid")
		hasNot(t, s, "s3cret")
	}
}
