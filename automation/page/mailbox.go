package page

import (
	"strings"
	"sync"

	"webmcphub/cdpclient"
)

// Bounds on the records that wait for the owner of a page. It takes them faster than
// Chrome sends them, so these matter when the machine is overloaded.
const (
	maxRecords     = 8192
	maxRecordBytes = 32 << 20
)

// mailbox is the owner's queue. Putting never blocks, since the connection's reader
// does so for the events of all tabs.
type mailbox struct {
	mu      sync.Mutex // held for moves of slices only
	items   []any
	records int // among items
	bytes   int // of the records
	dropped uint64
	wake    chan struct{} // of capacity 1
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// inbox is the page's end of each of its sessions.
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

// take empties the queue into the space of a batch that was taken before.
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

// isRecord says whether an event only tells what happened, so that losing it leaves
// nothing wrong but a gap.
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
