package main

import (
	"os"
	"testing"
	"time"
)

// What waits for disks is no work, and what a host takes for itself is.
func TestMachine(t *testing.T) {
	busy, all, err := machine("cpu  100 20 30 1000 50 1 2 3 7 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n")
	if busy != 156 || all != 1206 || err != nil {
		t.Errorf("%d of %d, %v", busy, all, err)
	}
	for _, wrong := range []string{"", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9", "cpu 1 2 x 4 5 6 7 8"} {
		if _, _, err := machine(wrong); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

// This process's work is on its meter.
func TestMeter(t *testing.T) {
	before, err := read(0, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	after := before
	for deadline := time.Now().Add(time.Minute); after.chrome-before.chrome < 30*time.Millisecond && time.Now().Before(deadline); {
		if after, err = read(os.Getpid(), os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	v := values{}
	after.spent(v, 8, 10, before)
	if v[chromesShare(8)] < 3 || v[busyIn(8)] <= 0 || v[busyIn(8)] > 1 || v[serversShare(8)] < v[chromesShare(8)] {
		t.Errorf("%v", v)
	}
	v = values{}
	before.spent(v, 1, 1, before)
	if _, has := v[serversShare(1)]; has {
		t.Error("there is no server, and it has a share")
	}
}
