package records

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRingsKeepTheirBounds: whatever comes in whatever order, no ring holds more
// than it may, its count of bytes is true, ids are never given twice, and whatever a
// list shows can be asked for.
func TestRingsKeepTheirBounds(t *testing.T) {
	events := recorded(t)
	rapid.Check(t, func(t *rapid.T) {
		b := Bounds{Messages: Limit{20, 8 << 10}, Requests: Limit{10, 16 << 10}, Downloads: Limit{3, 4 << 10}, Frames: 3}
		tab := New(b, Start{Session: "tab", Loader: "zero", URL: "http://127.0.0.1:1/"})
		highest := 0
		for range rapid.IntRange(1, 150).Draw(t, "events") {
			e := events[rapid.IntRange(0, len(events)-1).Draw(t, "event")]
			tab.Event(e.method, e.params, e.session)
			if len(tab.documents) > 3 {
				t.Fatalf("%d documents", len(tab.documents))
			}
			if tab.messages.last < highest {
				t.Fatal("an id went back")
			}
			highest = tab.messages.last
		}
		keeps(t, &tab.messages, func(m *message) int { return -1 })
		keeps(t, &tab.requests, (*request).size)
		keeps(t, &tab.downloads, func(*Download) int { return -1 })
		if len(tab.open.steps) > 2*b.Requests.Entries+1 {
			t.Fatalf("%d requests are remembered", len(tab.open.steps))
		}
		_, _ = tab.Messages(MessageQuery{Preserved: true}) // decodes, which may push some out
		messages, err := tab.Messages(MessageQuery{Preserved: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages.Messages {
			if _, err := tab.Message(m.ID); err != nil {
				t.Fatal(err)
			}
		}
		requests, _ := tab.Requests(RequestQuery{Preserved: true})
		for _, r := range requests.Requests {
			if _, err := tab.Request(r.ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func keeps[T any](t *rapid.T, r *ring[T], size func(T) int) {
	bytes := 0
	for _, s := range r.entries {
		bytes += s.size
		if n := size(s.value); n >= 0 && n != s.size {
			// What only counts (bytes received, a status) may change without being told.
			if n-s.size > 1024 {
				t.Fatalf("an entry of %d bytes is counted as %d", n, s.size)
			}
		}
	}
	if bytes != r.bytes {
		t.Fatalf("%d bytes, counted as %d", bytes, r.bytes)
	}
	if len(r.entries) > r.limit.Entries || r.bytes > r.limit.Bytes && len(r.entries) > 1 {
		t.Fatalf("%d entries, %d bytes: %+v", len(r.entries), r.bytes, r.limit)
	}
	if cap(r.entries) > 4*r.limit.Entries+256 {
		t.Fatalf("room for %d entries", cap(r.entries))
	}
}

type event struct {
	method, session string
	params          json.RawMessage
}

func recorded(tb testing.TB) (events []event) {
	data, err := os.ReadFile("testdata/page.events.ndjson")
	if err != nil {
		tb.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		var e struct {
			Method, Session string
			Params          json.RawMessage
		}
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			tb.Fatal(err)
		}
		events = append(events, event{e.Method, e.Session, e.Params})
	}
	return events
}

// FuzzEvent: no event makes a Tab panic or its lists break out of their lines.
func FuzzEvent(f *testing.F) {
	for _, e := range recorded(f) {
		f.Add(e.method, []byte(e.params))
	}
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		if !json.Valid(params) {
			return
		}
		tab := New(Bounds{}, Start{Session: "tab", Loader: "zero"})
		tab.Event("Network.requestWillBeSent", json.RawMessage(`{"requestId":"1","request":{"url":"https://a.test/"}}`), "tab")
		tab.Event(method, params, "tab")
		l, err := tab.Messages(MessageQuery{Stacks: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range l.Messages {
			if m, err := tab.Message(m.ID); err != nil || m.Detail(nil) == "" {
				t.Fatal(m, err)
			}
		}
		if lines := strings.Count(l.Text(), "\nmsgid="); lines > len(l.Messages) {
			t.Fatalf("%d lines of %d messages: %s", lines, len(l.Messages), l.Text())
		}
	})
}

// TestHugeTexts: a message of a megabyte is cut when it comes.
func TestHugeTexts(t *testing.T) {
	tab := New(Bounds{}, Start{Session: "tab"})
	value, _ := json.Marshal(strings.Repeat("é", 1<<18))
	for range 5 {
		tab.Event("Runtime.consoleAPICalled", json.RawMessage(fmt.Sprintf(`{"type":"log","args":[{"type":"string","value":%s},{"type":"string","value":%s}],"timestamp":1}`, value, value)), "tab")
	}
	if tab.messages.bytes > 1<<20 {
		t.Fatalf("%d bytes are kept", tab.messages.bytes)
	}
	m, err := tab.Message(5)
	if err != nil || len(m.Text) > maxText || len(m.Args[1]) > maxArg {
		t.Fatal(len(m.Text), len(m.Args[1]), err)
	}
	tab.Event("Network.requestWillBeSent", json.RawMessage(fmt.Sprintf(`{"requestId":"1","request":{"url":%s,"postData":%[1]s,"headers":{"a":%[1]s,"b":"c"}}}`, value)), "tab")
	if tab.requests.bytes > maxURL+maxPost+maxHeaders+1024 {
		t.Fatalf("%d bytes are kept", tab.requests.bytes)
	}
}

// TestPart: a body in pieces is the body, with whole characters.
func TestPart(t *testing.T) {
	body := strings.Repeat("aé漢😀", 5000)
	var whole strings.Builder
	for offset := 0; ; {
		p, err := Part([]byte(body), "text/plain", offset)
		if err != nil {
			t.Fatal(err)
		}
		whole.WriteString(p.Text)
		if p.Next == 0 {
			break
		}
		if p.Next <= offset {
			t.Fatalf("from %d to %d", offset, p.Next)
		}
		offset = p.Next
	}
	if whole.String() != body {
		t.Error("the pieces make another body")
	}
	for _, offset := range []int{-1, len(body) + 1} {
		if _, err := Part([]byte(body), "", offset); err == nil {
			t.Errorf("%d is fine", offset)
		}
	}
	for _, binary := range []struct{ body, mime string }{{"a\x00b", "text/plain"}, {"\xff\xfe", ""}, {"GIF89a", "image/gif"}} {
		if p, err := Part([]byte(binary.body), binary.mime, 0); err != nil || !p.Binary || p.Text != "" {
			t.Errorf("%+v: %+v, %v", binary, p, err)
		}
	}
}

// A line of the console, as Chromium sends it.
func consoleLine(i int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"log","args":[{"type":"string","value":"request %d took"},{"type":"number","value":%d,"description":"%d"},{"type":"object","className":"Object","description":"Object","objectId":"7.1.%d","preview":{"type":"object","description":"Object","overflow":false,"properties":[{"name":"a","type":"number","value":"1"},{"name":"b","type":"string","value":"two"}]}}],"executionContextId":1,"timestamp":1795334372.%d,"stackTrace":{"callFrames":[{"functionName":"log","scriptId":"3","url":"https://example.test/app.js","lineNumber":4,"columnNumber":8},{"functionName":"","scriptId":"3","url":"https://example.test/app.js","lineNumber":40,"columnNumber":1}]}}`, i, i, i, i, i))
}

// BenchmarkConsoleLine is what one line of a flood costs.
func BenchmarkConsoleLine(b *testing.B) {
	lines := make([]json.RawMessage, 4096)
	for i := range lines {
		lines[i] = consoleLine(i)
	}
	tab := New(Bounds{}, Start{Session: "tab"})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tab.Event("Runtime.consoleAPICalled", lines[i%len(lines)], "tab")
	}
	b.ReportMetric(float64(tab.messages.bytes), "bytes-kept")
}

// BenchmarkMessages is a list over a full ring, with a new line in it.
func BenchmarkMessages(b *testing.B) {
	tab := New(Bounds{}, Start{Session: "tab"})
	for i := range 2000 {
		tab.Event("Runtime.consoleAPICalled", consoleLine(i), "tab")
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tab.Event("Runtime.consoleAPICalled", consoleLine(i), "tab")
		l, err := tab.Messages(MessageQuery{})
		if err != nil || len(l.Text()) == 0 {
			b.Fatal(err)
		}
	}
}

// BenchmarkRequest is what one request costs, from its beginning to its end.
func BenchmarkRequest(b *testing.B) {
	var events []event
	for _, e := range recorded(b) {
		if strings.Contains(string(e.params), `.8"`) && strings.HasPrefix(e.method, "Network.") {
			events = append(events, e)
		}
	}
	tab := New(Bounds{}, Start{Session: "tab"})
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		for _, e := range events {
			tab.Event(e.method, json.RawMessage(strings.ReplaceAll(string(e.params), `.8"`, fmt.Sprintf(`.8%d"`, n))), e.session)
		}
	}
}
