package actors

import (
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Mailboxes have no bound of their own. What may stand in one is bounded by
// its senders:
//
//   - A page's events: maxBacklog, counted here. A page that sends more than
//     its actor can read is taken up anew, as one whose actor panicked; after
//     maxFailures of that it is left alone.
//   - Replies, and what goroutines and timers bring: one for each that the
//     actor itself asked for.
//   - Title changes of a tab: one waits at a time, the newest counts.
//   - The registry actor's: one report of each page, see page_report.go, and
//     what comes of a navigation, which takes Chrome longer.

const (
	// maxBacklog is how many bytes of events may wait for a page's actor.
	maxBacklog = 64 << 20
	// messageCost in bytes is what a message takes beside its content.
	messageCost = 256
)

func weight(e cdpclient.Event) int64 { return int64(len(e.Params)) + messageCost }

// A door leads to a page until that has ended. The connection remembers ended
// sessions with their inboxes for a while; through a door they keep no page, nor
// its actor.
type door struct{ ref atomic.Pointer[pageRef] }

// inbox passes a session's messages on to its page's actor, but for the many
// events that nobody there cares for.
func (h *Hub) inbox(id registry.PageID, ref *pageRef) cdpclient.Inbox {
	root, door := h.root, ref.door
	return func(m cdpclient.Message) {
		ref := door.ref.Load()
		if ref == nil {
			return
		}
		e, ok := m.(cdpclient.Event)
		if !ok {
			root.Send(ref.pid, m)
			return
		}
		if eventHandlers[e.Method] == nil || ref.flooded.Load() {
			return
		}
		if ref.backlog.Add(weight(e)) > maxBacklog {
			if !ref.flooded.Swap(true) {
				h.log.Error("a page floods the hub; it is looked at anew", "page", id)
				root.Send(h.browser, pageFailed{id, ref})
			}
			return
		}
		root.Send(ref.pid, m)
	}
}

// newInfo tells a page's actor of its target's new title.
func (r *pageRef) newInfo(root *actor.RootContext, info cdpclient.TargetInfo) {
	if r.info.Swap(&info) == nil {
		root.Send(r.pid, infoChanged{})
	}
}
