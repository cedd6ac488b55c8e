package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

// heldRequest is one that is being answered on a stream that its client can come
// back to, and the channel by which the first response to it reads.
func heldRequest(t *testing.T) (o *outbox, r *request, ready chan struct{}) {
	t.Helper()
	o, r = newOutbox(), &request{id: json.RawMessage("1"), direct: newDirect(), ctx: t.Context(), cancel: func(error) {}}
	r.direct.streams, r.direct.resumable = true, true
	if err := o.begin(r); err != nil {
		t.Fatal(err)
	}
	return o, r, r.direct.ready
}

// A response that another one has taken the place of may still have been woken
// for what there is: it leaves that to the other.
func TestHTTPAReplacedResponseTakesNothing(t *testing.T) {
	o, r, old := heldRequest(t)
	o.progress(r, jsonrpc.Notification("notifications/progress", json.RawMessage(`{"progress":1}`)))
	first := o.collect(r, old, true)
	if len(first.events) != 1 {
		t.Fatalf("%d events", len(first.events))
	}
	o.finish(r, reply{result: json.RawMessage("{}")}) // wakes the old one, which is still writing
	_, now := o.resume(first.events[0].id)
	if w := o.collect(r, old, true); len(w.events) > 0 || w.answer != nil || w.over {
		t.Errorf("the replaced response takes %d events", len(w.events))
	}
	if w := o.collect(r, now, true); len(w.events) != 1 || !w.over {
		t.Errorf("the new response gets %d events", len(w.events))
	}
}

// A page can ask for as long as its call runs, also where nobody reads: its
// client may be gone.
func TestHTTPWhatPagesAskUnreadIsBounded(t *testing.T) {
	o, r, ready := heldRequest(t)
	o.left(r, ready)
	given, end := context.WithCancel(t.Context())
	end()
	params := json.RawMessage(`{"message":"` + strings.Repeat("x", 1<<20) + `"}`)
	kept := func() (bytes int) {
		for _, list := range [][]*entry{r.direct.more, r.direct.sent} {
			for _, e := range list {
				bytes += e.Size()
			}
		}
		return bytes
	}
	for range 10 * maxUnread {
		_, _ = o.ask(given, sanitize.MethodElicitation, params, r)
	}
	if n := len(r.direct.more); n == 0 || n > maxUnread {
		t.Errorf("%d wait to be read", n)
	}
	if _, err := o.ask(given, sanitize.MethodElicitation, params, r); err == nil || !strings.Contains(err.Error(), "can't be reached now") {
		t.Errorf("the page is told: %v", err)
	}
	for range 4 { // a client that reads it all and answers nothing
		o.collect(r, ready, true)
		for range maxUnread {
			_, _ = o.ask(given, sanitize.MethodElicitation, params, r)
		}
	}
	o.collect(r, ready, true)
	if n := kept(); n == 0 || n > keptBytes {
		t.Errorf("%d bytes are kept of one stream", n)
	}
}
