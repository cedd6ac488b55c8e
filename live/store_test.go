package live

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/mcpserver/calls"
)

// A call wakes nobody, which would cost it more than all the rest: what it tells is done a little
// later, with that of other calls, and viewers hear of it then.
func TestCallsWakeNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{store: newStore()}
		defer s.store.close()
		changed := s.store.join()
		for round := range 2 {
			begun := time.Now()
			over := s.Watch(calls.Record{Name: "x"}, func() {})
			over(calls.Record{Name: "x", Outcome: "ok"}, json.RawMessage(`{}`))
			s.store.queueMu.Lock()
			n := len(s.store.waiting)
			s.store.queueMu.Unlock()
			if n != 2 {
				t.Errorf("round %d: %d actions wait, want both of the call's", round, n)
			}
			<-changed
			if late := time.Since(begun); late != lateness {
				t.Errorf("round %d: viewers heard of it %v later", round, late)
			}
		}
	})
}

// Whoever asks sees all that was told before, at once.
func TestWhoeverAsksSeesCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{store: newStore()}
		defer s.store.close()
		begun := time.Now()
		s.Watch(calls.Record{Name: "x"}, func() {})
		running := 0
		s.store.ask(func(b *store) { running = len(b.running) })
		if running != 1 || time.Since(begun) != 0 {
			t.Errorf("%d calls are known %v later", running, time.Since(begun))
		}
	})
}

// More calls at once than may wait are taken all the same, and none is forgotten.
func TestManyCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{store: newStore()}
		defer s.store.close()
		const many = 3 * maxUnread
		begun := time.Now()
		for range many {
			s.Watch(calls.Record{Name: "x"}, func() {})
		}
		running := 0
		s.store.ask(func(b *store) { running = len(b.running) })
		if running != many || time.Since(begun) != 0 {
			t.Errorf("%d of %d calls are known %v later", running, many, time.Since(begun))
		}
	})
}

// An action that panics takes none of those along that wait behind it.
func TestActionsBehindAPanicAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newStore()
		defer b.close()
		changed := b.join()
		var done []string
		note := func(what string) func(*store) { return func(*store) { done = append(done, what) } }
		broken := func(*store) { panic("broken") }
		for _, action := range []func(*store){note("first"), broken, note("second"), broken, note("third")} {
			b.tell(action)
		}
		for range 2 {
			func() {
				defer func() {
					if recover() != "broken" {
						t.Error("whoever asked doesn't see the panic")
					}
				}()
				b.ask(note("lost"))
			}()
			b.tell(note("told later"))
			<-changed
		}
		<-changed // nobody asks any more
		b.ask(func(*store) {})
		if got, want := fmt.Sprint(done), "[first second third told later told later]"; got != want {
			t.Errorf("done was %s, want %s", got, want)
		}
	})
}
