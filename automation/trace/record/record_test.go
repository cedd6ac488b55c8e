package record_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/automation/trace/record"
	"webmcphub/cdpclient"
)

var one = record.Who{ID: "1", Name: "agent 1"}

func TestMain(m *testing.M) { Main(m) }

const slow = `<!doctype html><title>slow</title><script>{const t = performance.now(); while (performance.now() - t < 150);}</script><h1>A headline</h1>`

// take records a page's load.
func take(tab *Tab, o record.Options) *record.File {
	tab.T.Helper()
	r, err := record.Start(tab.Ctx, tab.Page, o)
	if err != nil {
		tab.T.Fatal(err)
	}
	if err := r.Quiet(tab.Ctx); err != nil {
		tab.T.Fatal(err)
	}
	f, err := r.Stop(tab.Ctx)
	if err != nil {
		tab.T.Fatal(err)
	}
	tab.T.Cleanup(func() { _ = os.Remove(f.Path) })
	return f
}

// TestRecord: a page's load is recorded, read, asked about and compared.
func TestRecord(t *testing.T) {
	tab := Open(t, HTML(slow))
	traces := record.NewTraces(tab.Conn)
	defer traces.Close()
	if _, err := traces.Insight(tab.Ctx, one, "", "NAVIGATION_0", "LCPBreakdown"); err == nil {
		t.Error("an insight of no trace")
	}
	f := take(tab, record.Options{Reload: true, IgnoreCache: true})
	first, err := traces.Add(tab.Ctx, f, one)
	if err != nil {
		t.Fatal(err)
	}
	set := first.Report.Sets[0]
	if set.ID != "NAVIGATION_0" || set.URL != tab.Site.URL("a", "/") || set.Metrics.LCP == nil || set.Metrics.FCP == nil || *set.Metrics.LCP < 100 || set.Metrics.LongTasks == 0 || first.Report.Lost {
		t.Errorf("the report: %s", first.Text())
	}
	if first.Engine == nil || first.Engine.Sets[0].LCP == nil || *first.Engine.Sets[0].LCP != *set.Metrics.LCP || !strings.Contains(first.Text(), "trace engine") {
		t.Errorf("the engine's: %+v\n%s", first.Engine, first.Text())
	}
	own, err := traces.Insight(tab.Ctx, one, "", set.ID, "LCPBreakdown")
	if err != nil || !strings.Contains(own, first.Who) {
		t.Errorf("an insight: %s, %v", own, err)
	}
	if _, err := traces.Insight(tab.Ctx, one, "trace-9", set.ID, "LCPBreakdown"); err == nil || !strings.Contains(err.Error(), "trace-1") {
		t.Errorf("an insight of another trace: %v", err)
	}
	if _, err := traces.Insight(tab.Ctx, one, "", set.ID, "Nonsense"); err == nil || !strings.Contains(err.Error(), "ImageDelivery") {
		t.Errorf("no insight: %v", err)
	}

	tab.Site.Set("/", "<!doctype html><title>fast</title><h1>A headline</h1>")
	second, err := traces.Add(tab.Ctx, take(tab, record.Options{Reload: true}), one)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(second.Text(), "Since trace-1: ") || !strings.Contains(second.Since, " → ") {
		t.Errorf("compared: %s", second.Text())
	}

	for path, gz := range map[string]bool{"x.json": false, "x.json.gz": true} {
		saved, err := record.Save(tab.Ctx, f, path, nil, func(path, extension string, write func(io.Writer) error) (string, error) {
			var to bytes.Buffer
			err := write(&to)
			data := to.Bytes()
			if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) != gz || !gz && !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
				t.Errorf("%s is %q…", path, data[:4])
			}
			return path + extension, err
		})
		if err != nil || saved == "" {
			t.Error(saved, err)
		}
	}
}

// TestOneAtATime: a second recording is refused, and a recording that somebody gave up
// or whose tab was closed doesn't stand in the way of the next.
func TestOneAtATime(t *testing.T) {
	one, two := Open(t, HTML(slow)), Open(t, HTML(slow))
	r, err := record.Start(one.Ctx, one.Page, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record.Start(two.Ctx, two.Page, record.Options{Reload: true}); !errors.Is(err, record.ErrBusy) {
		t.Errorf("a second one: %v", err)
	}
	if is := two.Frame("").URL; is != two.Site.URL("a", "/") {
		t.Errorf("the refused one's tab is left at %s", is)
	}
	gone, cancel := context.WithCancel(one.Ctx)
	cancel()
	if _, err := r.Stop(gone); err == nil {
		t.Error("a trace for nobody")
	}
	r, err = record.Start(two.Ctx, two.Page, record.Options{})
	if err != nil {
		t.Fatalf("after one that was given up: %v", err)
	}
	two.Conn.Post("", "Target.closeTarget", map[string]any{"targetId": two.Target}, nil)
	<-two.Done()
	var ended *page.Ended
	if _, err := r.Stop(two.Ctx); !errors.As(err, &ended) {
		t.Errorf("of a closed tab: %v", err)
	}
	for { // Chrome ends the trace of a closed tab by itself, soon
		r, err = record.Start(one.Ctx, one.Page, record.Options{})
		if err == nil {
			break
		}
		if !errors.Is(err, record.ErrBusy) {
			t.Fatal(err)
		}
	}
	if f, err := r.Stop(one.Ctx); err != nil {
		t.Error(err)
	} else {
		_ = os.Remove(f.Path)
	}
}

// TestNoReload: what happens on a page as it is, without a navigation.
func TestNoReload(t *testing.T) {
	tab := Open(t, HTML(`<button onclick="const t = performance.now(); while (performance.now() - t < 60); this.textContent = 'done'">press</button>`))
	r, err := record.Start(tab.Ctx, tab.Page, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The page is told of an interaction when Chrome has put it into the trace.
	JS[bool](tab, `window.told = new Promise(r => new PerformanceObserver(seen => seen.getEntries().some(e => e.duration >= 60) && r(0)).observe({type: 'event', durationThreshold: 16})), true`)
	at := JS[[]float64](tab, `(r => [r.x + 5, r.y + 5])(document.querySelector("button").getBoundingClientRect())`)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		tab.Must("", "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
	JS[float64](tab, "told") // of events before it was asked for, only of those that took 104 ms or more
	f, err := r.Stop(tab.Ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(f.Path) }()
	traces := record.NewTraces(tab.Conn)
	defer traces.Close()
	item, err := traces.Add(tab.Ctx, f, one)
	if err != nil {
		t.Fatal(err)
	}
	set := item.Report.Sets[0]
	if set.ID != "NO_NAVIGATION" || set.INP == nil || set.INP.Duration < 60 || set.Metrics.LongTasks == 0 {
		t.Errorf("the report: %s", item.Text())
	}
}

// TestGivenUp: a start that is given up, at whatever moment of it, leaves nothing being recorded.
func TestGivenUp(t *testing.T) {
	tab := Open(t, HTML(slow))
	for _, after := range []time.Duration{time.Millisecond, 4 * time.Millisecond, 16 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(tab.Ctx, after)
		r, err := record.Start(ctx, tab.Page, record.Options{})
		cancel()
		if err == nil {
			r.Abandon()
		}
		again, anew := record.Start(tab.Ctx, tab.Page, record.Options{})
		if anew != nil {
			t.Fatalf("after a start that was given up after %v (%v): %v", after, err, anew)
		}
		again.Abandon()
	}
}

// TestGivenUpOnTheWay: a start that is given up while the page is left for an empty one brings
// the page back.
func TestGivenUpOnTheWay(t *testing.T) {
	tab := Open(t, HTML(slow))
	ctx, cancel := context.WithCancel(tab.Ctx)
	defer tab.Subscribe(func(e cdpclient.Event) {
		if strings.Contains(string(e.Params), `"about:blank"`) {
			cancel()
		}
	}, cdpclient.PageFrameNavigated)()
	if _, err := record.Start(ctx, tab.Page, record.Options{Reload: true}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a start that was given up: %v", err)
	}
	if m, _ := tab.Main(); m.URL != tab.Site.URL("a", "/") {
		t.Errorf("the page is left on %s", m.URL)
	}
	again, err := record.Start(tab.Ctx, tab.Page, record.Options{})
	if err != nil {
		t.Fatalf("the next trace: %v", err)
	}
	again.Abandon()
}

// TestBlank: there is nothing to load anew in an empty tab.
func TestBlank(t *testing.T) {
	tab := NewTab(t, Serve(t, nil), "about:blank")
	tab.Attach()
	if _, err := record.Start(tab.Ctx, tab.Page, record.Options{Reload: true}); err == nil || !strings.Contains(err.Error(), "about:blank") {
		t.Errorf("got %v", err)
	}
}

// TestLost: a client has one recording, and a browser's trace has one client, unless the recording has lost its page.
// One that was forgotten can be waited for.
func TestLost(t *testing.T) {
	tab := Open(t, HTML(slow))
	r, err := record.Start(tab.Ctx, tab.Page, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all record.Recordings
	reserves := func(client, trace, refusal string) {
		t.Helper()
		place, err := all.Reserve(client, "agent "+client, trace)
		switch {
		case refusal == "" && err != nil, refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal)):
			t.Errorf("%s reserves %s: %v, want %q", client, trace, err, refusal)
		case err == nil:
			place.Free()
		}
	}
	place, err := all.Reserve("1", "agent 1", "trace a")
	if err != nil || !place.Begin(&record.Running{Recording: r}) {
		t.Fatal(err)
	}
	reserves("1", "trace a", "you are recording a trace already")
	reserves("2", "trace a", "trace a is in use by another client, agent 1, for")
	reserves("2", "trace b", "")
	tab.Page.Close()
	<-tab.Page.Done()
	reserves("1", "trace a", "you are recording a trace already")
	reserves("2", "trace a", "")
	all.Forget("1")
	if err := all.Ended(tab.Ctx); err != nil {
		t.Error(err)
	}
	reserves("1", "trace a", "")
}

// TestEngineComesBack: a trace after the engine's target has gone, as by a crash, has the engine open
// anew.
func TestEngineComesBack(t *testing.T) {
	tab := Open(t, HTML(slow))
	traces := record.NewTraces(tab.Conn)
	defer traces.Close()
	f := take(tab, record.Options{Reload: true})
	if _, err := traces.Add(tab.Ctx, f, one); err != nil {
		t.Fatal(err)
	}
	var all struct {
		TargetInfos []struct{ TargetID, URL string }
	}
	tab.Must("", "Target.getTargets", map[string]any{"filter": []any{map[string]any{}}}, &all)
	closed := 0
	for _, is := range all.TargetInfos {
		if strings.HasPrefix(is.URL, "devtools://") {
			// A page goes with the tab around it, which is listed, too.
			if err := tab.Conn.Call(tab.Ctx, "", "Target.closeTarget", map[string]any{"targetId": is.TargetID}, nil); err == nil {
				closed++
			} else if !strings.Contains(err.Error(), "No target with given id") {
				t.Fatal(err)
			}
		}
	}
	if closed == 0 {
		t.Fatalf("no engine among %+v", all)
	}
	for range 3 { // the first may find out that it has gone
		item, err := traces.Add(tab.Ctx, f, one)
		if err != nil {
			t.Fatal(err)
		}
		if item.Engine != nil {
			return
		}
		t.Log(item.Why)
	}
	t.Error("the engine isn't opened anew")
}
