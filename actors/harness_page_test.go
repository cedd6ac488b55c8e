package actors

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

type execute = func(context.Context, json.RawMessage) (any, error)

// says makes a tool that answers at once.
func says(v any) execute {
	return func(context.Context, json.RawMessage) (any, error) { return v, nil }
}

// slow is a tool that answers when the test says so.
type slow struct {
	mu      sync.Mutex
	started int
	aborted int
	answers chan any
}

func newSlow() *slow { return &slow{answers: make(chan any, 1)} }

func (s *slow) execute(ctx context.Context, _ json.RawMessage) (any, error) {
	s.add(&s.started)
	select {
	case v := <-s.answers:
		if err, ok := v.(error); ok {
			return nil, err
		}
		return v, nil
	case <-ctx.Done():
		s.add(&s.aborted)
		return cdptest.Never, nil
	}
}

func (s *slow) add(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
}

// counts are how many calls have begun, and how many were cancelled (or lost
// their document).
func (s *slow) counts() (started, aborted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started, s.aborted
}

func (s *slow) tool(name string) cdptest.Tool { return cdptest.Tool{Name: name, Execute: s.execute} }

// sent counts the commands of a method that a page received.
func sent(p *cdptest.Page, method string) (n int) {
	for _, c := range p.Commands() {
		if c.Method == method {
			n++
		}
	}
	return n
}

func wantEncoded(t *testing.T, tool *registry.HubTool, text string) {
	t.Helper()
	if !strings.Contains(string(tool.Encoded), text) {
		t.Errorf("%s does not contain %s", tool.Encoded, text)
	}
}

// The actors have no hooks for tests. Tests get into a turn of a tab's actor by an
// event that Chrome doesn't have.
func init() {
	eventHandlers["Test.do"] = func(p *cdpLink, _ cdpclient.SessionID, id json.RawMessage) error {
		do, _ := deeds.LoadAndDelete(string(id))
		do.(func(*cdpLink))(p)
		return nil
	}
}

var (
	deeds   sync.Map // id -> func(*cdpLink)
	deedIDs atomic.Int64
)

// inActor has f run in the turn of the page's actor. It doesn't wait for that.
func (h *testHub) inActor(p *cdptest.Page, f func(*cdpLink)) {
	h.t.Helper()
	ref, ok := h.pages.Load(registry.PageID(p.ID()))
	if !ok {
		h.t.Fatal("the page has no actor")
	}
	id := strconv.FormatInt(deedIDs.Add(1), 10)
	deeds.Store(id, f)
	h.root.Send(ref.(*tab.Address).PID, cdpclient.Event{Method: "Test.do", Params: json.RawMessage(id)})
}

// stopActor makes the page's actor wait in the middle of a message, so that
// what Chrome sends meanwhile stands in its mailbox when it goes on.
func (h *testHub) stopActor(p *cdptest.Page) (release func()) {
	h.t.Helper()
	gate := make(chan struct{})
	release = sync.OnceFunc(func() {
		synctest.Wait() // all that was sent is in the mailbox
		close(gate)
		synctest.Wait()
	})
	h.t.Cleanup(release) // after a failure
	h.inActor(p, func(*cdpLink) { <-gate })
	h.quiet()
	return release
}

// intake is what bounds the mailbox of the page's actor.
func (h *testHub) intake(p *cdptest.Page) (i *tab.Intake) {
	h.t.Helper()
	h.inActor(p, func(a *cdpLink) { i = a.Intake() })
	synctest.Wait()
	return i
}

// inside looks into the page's actor.
func (h *testHub) inside(p *cdptest.Page, look func(*cdpLink) int) (n int) {
	h.t.Helper()
	h.inActor(p, func(a *cdpLink) { n = look(a) })
	synctest.Wait()
	return n
}

// navigating is a tool that sends its own page elsewhere.
func navigating(name, url string, gives any) cdptest.Tool {
	return cdptest.Tool{Name: name, Execute: func(ctx context.Context, _ json.RawMessage) (any, error) {
		cdptest.NavigateFromTool(ctx, url)
		return gives, nil
	}}
}
