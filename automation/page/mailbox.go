package page

import (
	"strings"
	"sync"

	"webmcphub/cdpclient"
)

// Bounds on the events that isRecord reports and that wait for the owner of a page. The owner usually takes them
// faster than Chrome sends them, so the bounds matter only when the machine is overloaded.
const (
	maxRecords     = 8192
	maxRecordBytes = 32 << 20
)

// mailbox is the owner's queue. put never blocks, because the connection's reader calls it for the events of all
// tabs.
type mailbox struct {
	mu      sync.Mutex // held only to append and to swap slices
	items   []any
	records int // how many of items are records
	bytes   int // of the records' parameters
	dropped uint64
	wake    chan struct{} // of capacity 1
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// inbox receives the messages of each of the page's sessions.
func (m *mailbox) inbox(msg cdpclient.Message) { m.put(msg) }

func (m *mailbox) put(item any) {
	m.mu.Lock()
	if e, ok := item.(cdpclient.Event); ok && isRecord(e.Method) {
		if m.records >= maxRecords || m.bytes+len(e.Params) > maxRecordBytes {
			m.dropped++
			m.mu.Unlock()
			return
		}
		m.records++
		m.bytes += len(e.Params)
	}
	m.items = append(m.items, item)
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take returns all items of the queue. It reuses the memory of used, the batch that it returned last.
func (m *mailbox) take(used []any) []any {
	clear(used)
	m.mu.Lock()
	defer m.mu.Unlock()
	batch := m.items
	m.items, m.records, m.bytes = used[:0], 0, 0
	return batch
}

func (m *mailbox) droppedRecords() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dropped
}

// isRecord says whether an event only reports what happened. Losing such an event leaves a gap in the records and has
// no other effect.
func isRecord(method string) bool {
	domain, name, _ := strings.Cut(method, ".")
	switch domain {
	case "Network", "Log", "DOM", "CSS", "Audits", "Performance", "Media", "Accessibility":
		return true
	case "Runtime":
		return name == "consoleAPICalled" || name == "exceptionThrown"
	case "Page":
		return name == "downloadProgress"
	}
	return false
}
