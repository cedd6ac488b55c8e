package main

import (
	"os"
	"testing"
	"time"

	"webmcphub/bench/peers/server"
)

// This process's work is on its meter.
func TestMeter(t *testing.T) {
	before, err := server.ReadMeter(0, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	after := before
	for deadline := time.Now().Add(time.Minute); after.Chrome-before.Chrome < 30*time.Millisecond && time.Now().Before(deadline); {
		if after, err = server.ReadMeter(os.Getpid(), os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	v := values{}
	spent(v, 8, 10, before, after)
	if v[chromesShare(8)] < 3 || v[busyIn(8)] <= 0 || v[busyIn(8)] > 1 || v[serversShare(8)] < v[chromesShare(8)] {
		t.Errorf("%v", v)
	}
	v = values{}
	spent(v, 1, 1, before, before)
	if _, has := v[serversShare(1)]; has {
		t.Error("there is no server, and it has a share")
	}
}
