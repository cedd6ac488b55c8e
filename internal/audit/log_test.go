package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func read(t *testing.T, path string) (lines []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil || !strings.HasSuffix(l, "\n") {
			t.Fatalf("not a whole line of JSON: %q", l)
		}
		lines = append(lines, m)
	}
	return lines
}

func events(lines []map[string]any) string {
	var all []string
	for _, l := range lines {
		all = append(all, l["event"].(string))
	}
	return strings.Join(all, " ")
}

// serving gives the catalogs that a state serves.
func serving(state *registry.State, events ...registry.Event) (effects []registry.Effect) {
	for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
		effects = append(effects, state.Step(e)...)
	}
	return effects
}

func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := Open(Options{Path: path, Backups: 1})
	if err != nil {
		t.Fatal(err)
	}
	state := registry.NewState(registry.Options{})
	l.Apply(serving(state, registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Name: "add-todo", Frame: "A", Doc: 1, Runtime: offer.Native}}}))
	tool := state.Catalog().Tools()[0]
	began := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	l.Called(calls.Record{Began: began, Took: 1500 * time.Microsecond, Session: "stdio-1", Client: "agent\u202e", Name: tool.Name, Tool: tool, Args: json.RawMessage(`{"secret":"hush"}`), Outcome: "ok"})
	l.Called(calls.Record{Began: began, Session: "http-2", Name: "list_tabs", Outcome: "refused"})
	l.Apply(serving(state, registry.PageClosed{Page: "A"}))
	l.Close()
	l.Called(calls.Record{Name: "too late"})
	l.Apply(serving(state, registry.BrowserChanged{Status: "x"}))

	lines := read(t, path)
	if got := events(lines); got != "start added call call removed stop" {
		t.Fatalf("events: %s", got)
	}
	want := map[string]any{"time": "2026-01-02T03:04:05.000006Z", "event": "call", "session": "stdio-1", "client": "agent", "origin": "https://a.example",
		"tool": "add-todo", "name": "webmcp_a_example_page0_add_todo", "args": jsonrpc.HashArguments(json.RawMessage(`{"secret":"hush"}`)), "outcome": "ok", "ms": 1.5}
	if fmt.Sprint(lines[2]) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", lines[2], want)
	}
	if l := lines[1]; l["tool"] != "add-todo" || l["tabId"] != 1.0 || l["origin"] != "https://a.example" || l["name"] != tool.Name {
		t.Errorf("registration: %v", l)
	}
	text, _ := os.ReadFile(path)
	if strings.Contains(string(text), "hush") {
		t.Error("the arguments are in the file")
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// What becomes of a pinned tool is a line of its own, in the order in which it came.
func TestPinned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := Open(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	l.Pinned("https://a.test", "x\u202ey", "drift", strings.Repeat("w", 1000))
	l.Pinned("https://a.test", "x", "accepted", "answer")
	l.Close()
	l.Pinned("https://a.test", "x", "drift", "too late")
	lines := read(t, path)
	if got := events(lines); got != "start pin pin stop" {
		t.Fatalf("events: %s", got)
	}
	if m := lines[1]; m["origin"] != "https://a.test" || m["tool"] != "xy" || m["outcome"] != "drift" || len(m["why"].(string)) > maxText {
		t.Errorf("drift: %v", m)
	}
	if m := lines[2]; m["outcome"] != "accepted" || m["why"] != "answer" {
		t.Errorf("accepted: %v", m)
	}
}

func TestDecided(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := Open(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	l.Decided(Decision{Session: "stdio-1", Client: "x\u202ey", Origin: "https://a.test", Tab: 3, Tool: "pay", Name: "webmcp_pay", Args: json.RawMessage(`{"pin":4711}`), By: "flow", Outcome: "refuse", Why: strings.Repeat("w", 1000)})
	l.Close()
	lines := read(t, path)
	if got := events(lines); got != "start decision stop" {
		t.Fatalf("events: %s", got)
	}
	m := lines[1]
	if m["client"] != "xy" || m["origin"] != "https://a.test" || m["tabId"] != 3.0 || m["tool"] != "pay" || m["by"] != "flow" || m["outcome"] != "refuse" || len(m["why"].(string)) > maxText {
		t.Errorf("got %v", m)
	}
	if args := m["args"].(string); strings.Contains(args, "4711") || !strings.HasPrefix(args, "sha256:") {
		t.Errorf("the arguments are written as %s", args)
	}
}

func TestEqualArgumentsHaveEqualHashes(t *testing.T) {
	h := func(s string) string { return jsonrpc.HashArguments(json.RawMessage(s)) }
	for _, pair := range [][2]string{{`{"a":1,"b":[true,null]}`, "{ \"b\" : [true, null],\n \"a\": 1.0 }"}, {`{}`, ""}, {`{"x":"<é>"}`, `{"x":"\u003c\u00e9>"}`}, {`{"n":1e2}`, `{"n":100}`}} {
		if h(pair[0]) != h(pair[1]) {
			t.Errorf("%s and %s differ", pair[0], pair[1])
		}
	}
	if h(`{"a":1}`) == h(`{"a":"1"}`) || h(`[1`) == h(`[2`) {
		t.Error("different arguments have one hash")
	}
	if got := h(`{"b":2,"a":1}`); got != "sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777" { // of {"a":1,"b":2}
		t.Error(got)
	}
}

func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	total := 0
	for range 20 { // each Open and Close writes
		l, err := Open(Options{Path: path, MaxSize: 2000, Backups: 3})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			l.Called(calls.Record{Session: "stdio-1", Name: "list_tabs", Outcome: "ok"})
		}
		l.Close()
	}
	for _, name := range []string{path, path + ".1", path + ".2", path + ".3"} {
		total += len(read(t, name))
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() > 2000 || info.Size() < 100 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if _, err := os.Stat(path + ".4"); err == nil {
		t.Error("more backups than allowed")
	}
	if total < 20 {
		t.Errorf("%d lines are left", total)
	}
}

func TestTwoProcessesWriteWholeLinesToOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var logs [2]*Log
	for i := range logs {
		var err error
		if logs[i], err = Open(Options{Path: path, MaxSize: 4000, Backups: 200}); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for _, l := range logs {
		all.Go(func() {
			for range 200 {
				l.Called(calls.Record{Name: "x", Outcome: "ok"})
			}
			l.Close()
		})
	}
	all.Wait()
	names, _ := filepath.Glob(path + "*")
	for _, name := range names {
		read(t, name)
	}
}

func TestAFileThatCanNotBeWrittenAtTheStart(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "such", "folder"), "/dev/full"} {
		if path == "/dev/full" {
			if _, err := os.Stat(path); err != nil {
				continue
			}
		}
		if l, err := Open(Options{Path: path}); err == nil || !strings.Contains(err.Error(), "--audit-log") {
			t.Errorf("%s: %v", path, err)
			if l != nil {
				l.Close()
			}
		}
	}
}

// told passes log messages on.
type told chan string

func (c told) Enabled(context.Context, slog.Level) bool { return true }
func (c told) Handle(_ context.Context, r slog.Record) error {
	c <- r.Message
	return nil
}
func (c told) WithAttrs([]slog.Attr) slog.Handler { return c }
func (c told) WithGroup(string) slog.Handler      { return c }

func TestAFileThatCanNotBeWrittenForAWhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	path := filepath.Join(dir, "audit.jsonl")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	said := make(told, 10)
	l, err := Open(Options{Path: path, Logger: slog.New(said)})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	l.Called(calls.Record{Name: "lost"})
	if m := <-said; !strings.Contains(m, "can't be written") {
		t.Fatal(m)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l.Called(calls.Record{Name: "kept"})
	if m := <-said; !strings.Contains(m, "written again") {
		t.Fatal(m)
	}
	l.Close()
	lines := read(t, path)
	if got := events(lines); got != "dropped call stop" || lines[0]["count"] != 1.0 || lines[1]["name"] != "kept" {
		t.Errorf("got %v", lines)
	}
}

func TestFloodsAreBoundedAndCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := newLog()
	state := registry.NewState(registry.Options{})
	for i := range maxWaiting + 7 {
		l.Called(calls.Record{Name: "x"})
		l.Apply(serving(state, registry.BrowserChanged{Status: fmt.Sprint(i)}))
	}
	l.Apply(serving(state, registry.PageOpened{Page: "A"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"}, registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Name: "last"}}}))
	if len(l.waiting) > maxWaiting+1 {
		t.Errorf("%d wait", len(l.waiting))
	}
	big := newLog()
	for range 3 {
		big.Called(calls.Record{Args: make([]byte, maxWaitingBytes/2)})
	}
	if len(big.waiting) != 2 || big.dropped != 1 {
		t.Errorf("%d wait, %d were dropped", len(big.waiting), big.dropped)
	}
	dropped := l.dropped
	go l.run(newWriter(slog.New(slog.DiscardHandler), file{path: path, max: 100 << 20}))
	l.Close()
	calls, last := 0, false
	for _, line := range read(t, path) {
		switch line["event"] {
		case "call":
			calls++
		case "dropped":
			if line["count"] != float64(dropped) {
				t.Errorf("dropped: %v, want %d", line, dropped)
			}
		case "added":
			last = line["tool"] == "last"
		}
	}
	if dropped == 0 || calls+dropped != maxWaiting+7 {
		t.Errorf("%d calls are written and %d dropped", calls, dropped)
	}
	if !last {
		t.Error("the newest catalog was dropped")
	}
}
