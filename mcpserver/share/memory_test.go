package share

import (
	"slices"
	"testing"
)

// note has the memory hear messages: from the client, or with "<" from the owner.
func (m *memory) note(t *testing.T, messages ...string) {
	t.Helper()
	for _, line := range messages {
		pass := false
		if line[0] == '<' {
			pass = m.fromOwner([]byte(line[1:]))
		} else {
			pass = m.fromClient([]byte(line))
		}
		if !pass {
			t.Errorf("%s is not passed on", line)
		}
	}
}

func wantLines(t *testing.T, what string, got [][]byte, want ...string) {
	t.Helper()
	var lines []string
	for _, line := range got {
		lines = append(lines, string(line))
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%s: got\n%q, want\n%q", what, lines, want)
	}
}

func TestWhatIsRepeated(t *testing.T) {
	m := newMemory()
	wantLines(t, "at first", m.replay())
	m.note(t,
		initialize,
		`<{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}}}}`,
		initialized,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`,
		`<{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"b"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"c"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"c"}}`,
		`<{"jsonrpc":"2.0","id":2,"result":{}}`, `<{"jsonrpc":"2.0","id":3,"result":{}}`,
		`<{"jsonrpc":"2.0","id":4,"result":{}}`, `<{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":5}`,
		`{"jsonrpc":"2.0","id":6,"method":"ping"}`,
	)
	wantLines(t, "lost", m.lost(lostText))
	wantLines(t, "replay", m.replay(),
		`{"jsonrpc":"2.0","id":"webmcp-hub-again-0","method":"initialize","params":{"clientInfo":{"name":"me"}}}`,
		initialized,
		`{"jsonrpc":"2.0","id":"webmcp-hub-again-2","method":"logging/setLevel","params":{"level":"info"}}`,
		`{"jsonrpc":"2.0","id":"webmcp-hub-again-3","method":"resources/subscribe","params":{"uri":"a"}}`,
		`{"jsonrpc":"2.0","id":"webmcp-hub-again-4","method":"resources/subscribe","params":{"uri":"b"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"ping"}`,
	)
	for _, id := range []string{"0", "2", "3", "4"} {
		if m.fromOwner([]byte(`{"jsonrpc":"2.0","id":"webmcp-hub-again-` + id + `","result":{}}`)) {
			t.Errorf("the client gets the answer to a request of ours, %s", id)
		}
	}
	m.note(t, `<{"jsonrpc":"2.0","id":6,"result":{}}`)
	wantLines(t, "changed", m.changed(), `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	if len(m.inFlight) != 0 {
		t.Errorf("still in flight: %v", m.inFlight)
	}
}

func TestWhatAClientWithoutInitializeIsTold(t *testing.T) {
	m := newMemory()
	m.note(t,
		`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen"}`,
		`<{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`,
		`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{}}`,
		`{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{}}`,
		`<{"jsonrpc":"2.0","id":"d","result":{}}`,
		`{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"e"}}`,
		`<{"jsonrpc":"2.0","id":"q","method":"roots/list"}`,
		`<{"jsonrpc":"2.0","id":"r","method":"roots/list"}`,
		`<{"jsonrpc":"2.0","id":"t","method":"roots/list"}`,
		`{"jsonrpc":"2.0","id":"r","result":{"roots":[]}}`,
		`<{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"t"}}`,
	)
	failure := `,"error":{"code":-32000,"message":"` + lostText + `"}}`
	wantLines(t, "lost", m.lost(lostText),
		`{"jsonrpc":"2.0","id":"s"`+failure, `{"jsonrpc":"2.0","id":"c"`+failure,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q","reason":"the webmcp-hub that asked has ended"}}`,
	)
	wantLines(t, "lost again", m.lost(lostText))
	wantLines(t, "replay", m.replay())
	wantLines(t, "changed", m.changed())
	late := []byte(`{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}`)
	if m.fromClient(late) {
		t.Error("an answer to an owner that is gone is passed on")
	}
	if !m.fromClient(late) {
		t.Error("the next one isn't")
	}
}

func FuzzMemory(f *testing.F) {
	f.Add([]byte(initialize))
	f.Add([]byte(`{"id":"x","result":[1,{"id":2}],"method":3}`))
	f.Add([]byte(`{"method":"notifications/cancelled","params":{"requestId":{}}}`))
	f.Fuzz(func(_ *testing.T, line []byte) {
		m := newMemory()
		m.fromClient(line)
		m.fromOwner(line)
		m.lost(lostText)
		m.replay()
		m.changed()
	})
}

// TestRepeatedLinesCanBeAppendedTo, also by two goroutines: one owner may go
// while the next is told the same.
func TestRepeatedLinesCanBeAppendedTo(t *testing.T) {
	m := newMemory()
	m.note(t, initialize, `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	for _, line := range m.replay() {
		if cap(line) != len(line) {
			t.Errorf("%s has room for %d bytes that others may write to", line, cap(line)-len(line))
		}
	}
}
