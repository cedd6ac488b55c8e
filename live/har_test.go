package live

import (
	"encoding/json"
	"testing"
	"time"
)

// TestAgainKeepsChoice: a call that is made again has the value of an enum with < > & selected.
func TestAgainKeepsChoice(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"op":{"type":"string","enum":["<",">=","R&D"]}}}`)
	shown, whole := Masked([]byte(`{"op":"<"}`))
	if !whole {
		t.Fatal("not whole")
	}
	args, _ := Unhidden(shown)
	f := Fields(schema, args)[0]
	found := false
	for _, c := range f.Choices {
		found = found || c == f.Value
	}
	if !found {
		t.Errorf("value %s, choices %s: none is selected", f.Value, f.Choices)
	}
}

// TestHAROrder: an archive has the calls in the order in which they began, and so its pages,
// though they ended in another.
func TestHAROrder(t *testing.T) {
	s, t0 := NewState(), time.Unix(1000, 0)
	slow := Call{ID: 1, Began: t0, Ended: t0.Add(10 * time.Second), Name: "slow", Tab: 3, Outcome: "ok"}
	fast := Call{ID: 2, Began: t0.Add(time.Second), Ended: t0.Add(2 * time.Second), Name: "fast", Tab: 3, Outcome: "ok"}
	s.Step(Began{slow})
	s.Step(Began{fast})
	s.Step(Ended{fast})
	s.Step(Ended{slow})
	h := s.HAR(Filter{}, "1")
	if !h.Log.Entries[0].Started.Before(h.Log.Entries[1].Started) {
		t.Errorf("entries: %v, then %v", h.Log.Entries[0].Started, h.Log.Entries[1].Started)
	}
	if h.Log.Pages[0].Started.After(h.Log.Entries[1].Started) {
		t.Errorf("the page started at %v, after its call at %v", h.Log.Pages[0].Started, h.Log.Entries[1].Started)
	}
}

// TestHARRunning: calls in flight take no places of those that are over.
func TestHARRunning(t *testing.T) {
	s, t0 := NewState(), time.Unix(1000, 0)
	over := Call{ID: 1, Began: t0, Ended: t0.Add(time.Second), Name: "a", Outcome: "ok"}
	s.Step(Ended{over})
	for i := range MaxCalls {
		s.Step(Began{Call{ID: uint64(2 + i), Began: t0.Add(time.Minute), Name: "b"}})
	}
	if h := s.HAR(Filter{}, "1"); len(h.Log.Entries) == 0 {
		t.Error("the archive has no call, although one is over and kept")
	}
}
