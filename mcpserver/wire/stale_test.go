package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// heldRequest is one that is being answered on a stream that its client can come
// back to, and by what the first response to it reads.
func heldRequest(t *testing.T) (c *Conn, r *Request, reader Wakeup) {
	t.Helper()
	c = NewConn(false)
	r, reader = NewDirectRequest(t.Context(), json.RawMessage("1"), true, true)
	if err := c.Begin(r); err != nil {
		t.Fatal(err)
	}
	return c, r, reader
}

// A response that another one has taken the place of may still have been woken
// for what there is: it leaves that to the other.
func TestHTTPAReplacedResponseTakesNothing(t *testing.T) {
	c, r, old := heldRequest(t)
	c.Progress(r, jsonrpc.Notification("notifications/progress", json.RawMessage(`{"progress":1}`)))
	first := c.Collect(r, old, true)
	if len(first.Events) != 1 {
		t.Fatalf("%d events", len(first.Events))
	}
	c.Finish(r, Reply{Result: json.RawMessage("{}")}) // wakes the old one, which is still writing
	_, now := c.Resume(first.Events[0].ID)
	if w := c.Collect(r, old, true); len(w.Events) > 0 || w.Answer != nil || w.Over {
		t.Errorf("the replaced response takes %d events", len(w.Events))
	}
	if w := c.Collect(r, now, true); len(w.Events) != 1 || !w.Over {
		t.Errorf("the new response gets %d events", len(w.Events))
	}
}

// A page can ask for as long as its call runs, also where nobody reads: its
// client may be gone.
func TestHTTPWhatPagesAskUnreadIsBounded(t *testing.T) {
	c, r, ready := heldRequest(t)
	c.ResponseGone(r, ready)
	given, end := context.WithCancel(t.Context())
	end()
	params := json.RawMessage(`{"message":"` + strings.Repeat("x", 1<<20) + `"}`)
	kept := func() (bytes int) {
		for _, e := range r.direct.events {
			bytes += e.Size()
		}
		return bytes
	}
	for range 10 * maxUnread {
		_, _ = c.Ask(given, sanitize.MethodElicitation, params, r)
	}
	if n := len(r.direct.events); n == 0 || n > maxUnread {
		t.Errorf("%d wait to be read", n)
	}
	if _, err := c.Ask(given, sanitize.MethodElicitation, params, r); err == nil || !strings.Contains(err.Error(), "can't be reached now") {
		t.Errorf("the page is told: %v", err)
	}
	for range 4 { // a client that reads it all and answers nothing
		c.Collect(r, ready, true)
		for range maxUnread {
			_, _ = c.Ask(given, sanitize.MethodElicitation, params, r)
		}
	}
	c.Collect(r, ready, true)
	if n := kept(); n == 0 || n > KeptBytes {
		t.Errorf("%d bytes are kept of one stream", n)
	}
}

func TestProgressOfAClientThatDoesNotReadIsDropped(t *testing.T) {
	c := NewConn(false)
	r := NewRequest(t.Context(), []byte("1"))
	defer r.Cancel(nil)
	if err := c.Begin(r); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		c.Progress(r, jsonrpc.Notification("notifications/progress", fmt.Append(nil, i)))
	}
	c.Finish(r, Reply{Result: []byte("{}")})
	c.Progress(r, jsonrpc.Notification("notifications/progress", []byte("late")))
	batch := c.take()
	if len(batch) != 2 || string(batch[0].Body) != "999" {
		t.Errorf("%d messages wait", len(batch))
	}
}
