package socket

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func text(batch [][]byte) string { return string(bytes.Join(batch, []byte(" "))) }

func TestInOrder(t *testing.T) {
	o := NewOutbox(100)
	for i := range 3 {
		o.Push(fmt.Appendf(nil, "m%d", i))
	}
	batch, more := o.Take(nil)
	if text(batch) != "m0 m1 m2" || !more {
		t.Errorf("%s, %t", text(batch), more)
	}
	o.Push([]byte("m3"))
	if again, _ := o.Take(batch); text(again) != "m3" || text(batch) != "m0 m1 m2" {
		t.Errorf("%s after %s", text(again), text(batch))
	}
}

func TestTakeWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewOutbox(100)
		var got []string
		go func() {
			var batch [][]byte
			for more := true; more; {
				batch, more = o.Take(batch)
				got = append(got, text(batch))
			}
		}()
		for i := range 3 {
			synctest.Wait() // it sleeps, having taken all
			o.Push(fmt.Appendf(nil, "m%d", i))
		}
		synctest.Wait()
		o.Finish()
		synctest.Wait()
		if want := fmt.Sprint([]string{"m0", "m1", "m2", ""}); fmt.Sprint(got) != want {
			t.Errorf("taken: %v, want %s", got, want)
		}
	})
}

// TestLimit: what is being written counts until it has left, and one message
// that is longer than the limit passes alone.
func TestLimit(t *testing.T) {
	o := NewOutbox(10)
	if !o.Push(make([]byte, 20)) || o.Push([]byte("x")) {
		t.Error("a long message must pass, and nothing behind it")
	}
	_, _ = o.Take(nil)
	if o.Push([]byte("x")) {
		t.Error("what is being written does not count")
	}
	o.Wrote(20)
	if !o.Push(make([]byte, 10)) || o.Push([]byte("x")) {
		t.Error("ten bytes must fit, and not eleven")
	}
}

func TestEnds(t *testing.T) {
	o := NewOutbox(10)
	o.Push([]byte("last"))
	o.Finish()
	if !o.Push([]byte("late")) {
		t.Error("a late message counts as one that doesn't fit")
	}
	if batch, more := o.Take(nil); text(batch) != "last" || more {
		t.Errorf("finished: %q, %t", text(batch), more)
	}

	o = NewOutbox(10)
	o.Push([]byte("lost"))
	o.Discard()
	if batch, more := o.Take(nil); len(batch) != 0 || more {
		t.Errorf("discarded: %q, %t", text(batch), more)
	}
}
