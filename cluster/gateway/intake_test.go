package gateway

import (
	"encoding/json"
	"testing"

	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// What a node says while too much of it waits is dropped, and its talk is told once; what is done makes
// room again.
func TestIntakeIsBounded(t *testing.T) {
	talk := &talk{box: mailbox.New[any](maxWaiting)}
	log := wire.Told{Log: json.RawMessage(make([]byte, 1<<20))}
	for range 200 {
		talk.takes(log)
	}
	var waits []came
	overruns := 0
	for _, m := range talk.box.Take() {
		switch m := m.(type) {
		case came:
			waits = append(waits, m)
		case overrun:
			overruns++
		}
	}
	if len(waits) != maxUndone>>20-1 || overruns != 1 || talk.load.undone.Load() > maxUndone {
		t.Fatalf("%d messages wait, it was told %d times, and %d bytes are undone", len(waits), overruns, talk.load.undone.Load())
	}
	for _, m := range waits {
		talk.load.owed = m.weight
		done := talk.hands()
		talk.hands()() // nothing is owed any more
		done()
	}
	talk.load.over.Store(false)
	if undone := talk.load.undone.Load(); undone != 0 {
		t.Errorf("%d bytes are undone, though all is done", undone)
	}
	if talk.takes(log); len(talk.box.Take()) != 1 {
		t.Error("nothing is taken any more")
	}
}

// A room that is over has done what it is told: nobody waits for it.
func TestRoomThatIsOverIsDone(t *testing.T) {
	r := &room{box: mailbox.New[registry.Event](maxWaiting), over: make(chan struct{})}
	done := 0
	r.tellAnd(registry.Together{registry.PageClosed{}}, func() { done++ })
	if done != 0 {
		t.Error("it is done before the room has it")
	}
	close(r.over)
	r.tellAnd(registry.Together{registry.PageClosed{}}, func() { done++ })
	r.tellAnd(nil, func() { done++ })
	if done != 3 {
		t.Errorf("%d of 3 are done", done)
	}
}
