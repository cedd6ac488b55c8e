package page

import (
	"testing"

	"webmcphub/cdpclient"
)

// TestMailboxDropsRecordsOnly: beyond the bound records go, and nothing else does.
func TestMailboxDropsRecordsOnly(t *testing.T) {
	m := newMailbox()
	for range maxRecords + 10 {
		m.put(cdpclient.Event{Method: "Runtime.consoleAPICalled"})
		m.put(cdpclient.Event{Method: cdpclient.PageFrameNavigated})
	}
	m.put(cdpclient.Event{Method: "Network.dataReceived", Params: make([]byte, 10)})
	if m.droppedRecords() != 11 {
		t.Errorf("%d dropped", m.droppedRecords())
	}
	batch := m.take(nil)
	if want := 2*maxRecords + 10; len(batch) != want {
		t.Errorf("%d items, want %d", len(batch), want)
	}
	m.put(cdpclient.Event{Method: "Log.entryAdded", Params: make([]byte, maxRecordBytes)})
	m.put(cdpclient.Event{Method: "Log.entryAdded", Params: make([]byte, 1)})
	if m.droppedRecords() != 12 || len(m.take(batch)) != 1 {
		t.Errorf("%d dropped", m.droppedRecords())
	}
}
