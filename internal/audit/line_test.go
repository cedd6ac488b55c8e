package audit

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// What pages and clients choose is bounded and clean, and times are UTC.
func TestLinesOfWhatOthersChoose(t *testing.T) {
	bad := "a\u202e" + strings.Repeat("x", 600)
	good := func(s string) bool { return strings.HasPrefix(s, "ax") && len(s) < 300 }
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("there", 3600))
	const want = "2026-01-02T02:04:05.000000Z"

	l := callLine(calls.Record{Began: at, Took: time.Hour, Client: bad, Name: bad})
	if !good(l.Client) || !good(l.Name) || l.Time != want {
		t.Errorf("call: %+v", l)
	}
	l = callLine(calls.Record{Name: "as the client knows it", Tab: 4, Tool: &registry.HubTool{Name: "hub_name", Route: offer.Route{Tool: bad}}})
	if !good(l.Tool) || l.Name != "hub_name" || l.Tab != 4 {
		t.Errorf("call of a tool: %+v", l)
	}
	if got := string(callLine(calls.Record{Name: "call_webmcp_tools", Outcome: "error", Steps: []string{"ok", "not run"}}).encode()); !strings.Contains(got, `"outcome":"error","steps":["ok","not run"],`) {
		t.Errorf("many calls at once: %s", got)
	}
	for browser, want := range map[string]string{"": `"tabId":4,"tool`, "work": `"tabId":4,"browser":"work","tool`} {
		if got := string(callLine(calls.Record{Tab: 4, Browser: browser, Tool: &registry.HubTool{Route: offer.Route{Tool: "x"}}}).encode()); !strings.Contains(got, want) {
			t.Errorf("in %q: %s", browser, got)
		}
		if got := string(registrationLine(at, registry.ToolChange{Tab: 4, Browser: browser, Tool: "x"}).encode()); !strings.Contains(got, want) {
			t.Errorf("in %q: %s", browser, got)
		}
	}
	l = registrationLine(at, registry.ToolChange{Kind: "refused", Origin: "https://a.test", Tab: 3, Tool: bad, Name: "n", Why: bad})
	if !good(l.Tool) || !good(l.Why) || l.Time != want || l.Event != "refused" || l.Origin != "https://a.test" || l.Tab != 3 || l.Name != "n" {
		t.Errorf("registration: %+v", l)
	}
}

// A line is read, and searched, as the page wrote its names.
func TestLinesHaveNoEscapesForHTML(t *testing.T) {
	if got := string((line{Event: "call", Client: "<A & B>"}).encode()); !strings.Contains(got, `"client":"<A & B>"`) || !strings.HasSuffix(got, "}\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("the line is %q", got)
	}
}

func TestWhatWaitsIsTakenOnce(t *testing.T) {
	l := newLog()
	l.Called(calls.Record{Args: make([]byte, maxWaitingBytes)})
	l.Called(calls.Record{Args: []byte("x")}) // too much
	l.Apply([]registry.Effect{registry.SetCatalog{Catalog: registry.EmptyCatalog()}})
	if waiting, dropped, _ := l.take(); len(waiting) != 2 || dropped != 1 || waiting[1].at.IsZero() {
		t.Errorf("%d wait, %d were dropped", len(waiting), dropped)
	}
	l.Called(calls.Record{Args: make([]byte, maxWaitingBytes)})
	if len(l.waiting) != 1 {
		t.Error("there is no room after all was taken")
	}
	for range maxWaiting {
		l.Called(calls.Record{})
	}
	l.Apply([]registry.Effect{registry.SetCatalog{Catalog: registry.EmptyCatalog()}}) // none waits whose place it could take
	if waiting, dropped, _ := l.take(); len(waiting) != maxWaiting+1 || dropped != 1 || waiting[maxWaiting].catalog == nil {
		t.Errorf("then %d wait, %d were dropped", len(waiting), dropped)
	}
	l.closed = true
	l.Called(calls.Record{})
	l.Apply([]registry.Effect{registry.SetCatalog{Catalog: registry.EmptyCatalog()}})
	if len(l.waiting) != 0 {
		t.Errorf("%d wait after the end", len(l.waiting))
	}
}

func TestTroubleIsSaidOnceAndAllItsLinesAreCounted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	said := make(told, 10)
	w := newWriter(slog.New(said), file{path: filepath.Join(dir, "log"), max: DefaultMaxSize})
	t.Cleanup(func() { _ = w.file.close() })
	flush := func(lines int) {
		for range lines {
			w.line(line{Event: "call"})
		}
		w.flush()
	}
	flush(2)
	flush(3)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	flush(1)
	if lines := read(t, w.file.path); len(lines) != 2 || lines[0]["count"] != 5.0 {
		t.Errorf("got %v", lines)
	}
	if len(said) != 2 { // the trouble, and its end
		t.Errorf("said %d things", len(said))
	}
	flush(1)
	if lines := read(t, w.file.path); len(lines) != 3 || len(said) != 2 {
		t.Errorf("then %v, said %d things", lines, len(said))
	}
}

func TestALongQueueIsWrittenInParts(t *testing.T) {
	w := newWriter(slog.New(slog.DiscardHandler), file{path: filepath.Join(t.TempDir(), "log"), max: DefaultMaxSize})
	t.Cleanup(func() { _ = w.file.close() })
	for range 3 * maxBatch / 100 {
		w.line(line{Event: "call", Why: strings.Repeat("x", 100)})
		if len(w.batch) > maxBatch {
			t.Fatalf("%d bytes are not written yet", len(w.batch))
		}
	}
}

// TestLinesNameTheSite: a line names the site also where a tool of the hub was called, and has no secret that a page or a
// client wrote into a text.
func TestLinesNameTheSite(t *testing.T) {
	got := string(callLine(calls.Record{Name: "navigate_page", Tab: 4, Origin: "https://a.test", To: "https://b.test", Client: "key AKIAIOSFODNN7EXAMPLE"}).encode())
	if !strings.Contains(got, `"client":"key [masked]","origin":"https://a.test","tabId":4,"to":"https://b.test"`) {
		t.Errorf("the line is %s", got)
	}
}
