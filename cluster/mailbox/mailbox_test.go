package mailbox

import (
	"slices"
	"testing"
)

// What waits is bounded, but for what the owner began; order is kept, and the owner is woken.
func TestBox(t *testing.T) {
	b := New[int](2)
	if !b.Put(1) || !b.Put(2) || b.Put(3) {
		t.Fatal("the bound is not kept")
	}
	b.Must(4)
	<-b.Ready()
	if got := b.Take(); !slices.Equal(got, []int{1, 2, 4}) {
		t.Errorf("took %v", got)
	}
	select {
	case <-b.Ready():
		t.Error("ready without anything to take")
	default:
	}
	b.Wake()
	<-b.Ready()
	if got := b.Take(); len(got) > 0 {
		t.Errorf("took %v", got)
	}
	if !b.Put(5) {
		t.Error("an empty queue is full")
	}
	<-b.Ready()
	if got := b.Take(); !slices.Equal(got, []int{5}) {
		t.Errorf("took %v", got)
	}
}
