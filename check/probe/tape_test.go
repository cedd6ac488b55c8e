package probe

import (
	"encoding/json"
	"testing"

	"webmcphub/cdpclient"
)

// A page that throws without end, and long texts, doesn't fill memory, and what becomes of
// it is heard all the same.
func TestTapeIsBounded(t *testing.T) {
	tape := newTape()
	long, err := json.Marshal(map[string]any{"exceptionDetails": map[string]any{"text": string(make([]byte, 1<<15))}})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		tape.inbox(cdpclient.Event{Method: exceptionThrown, Params: long})
	}
	size := 0
	for _, e := range tape.since(0) {
		size += len(e.Params)
	}
	if size > 100*8*maxThrown || len(tape.since(0)) != 100 {
		t.Errorf("100 exceptions of 32 KB take %d bytes", size)
	}
	huge := make(json.RawMessage, maxBytes/4)
	for range 5 {
		tape.inbox(cdpclient.Event{Method: cdpclient.RuntimeBindingCalled, Params: huge})
	}
	for range maxTape {
		tape.inbox(cdpclient.Event{Method: cdpclient.WebMCPToolsAdded})
	}
	tape.inbox(cdpclient.Event{Method: cdpclient.PageLoadEventFired})
	tape.inbox(cdpclient.Event{Method: targetCrashed})
	all := tape.since(0)
	if n := len(all); n != maxTape+2 || all[n-2].Method != cdpclient.PageLoadEventFired || all[n-1].Method != targetCrashed {
		t.Errorf("of a full tape %d events are kept, and the crash isn't heard of", n)
	}
	if tape.bytes > maxBytes {
		t.Errorf("the tape has %d bytes", tape.bytes)
	}
}
