package wire

import (
	"fmt"
	"slices"
	"testing"
)

// Changes that are shared are sent as they are without that, each in its own talk.
func TestSharedChangesAreTheSame(t *testing.T) {
	c := Changes{From: 1, At: Position{"n", 2}, Pages: []Page{shopPage(1, 2)}, Gone: []string{`"}`}}
	shared := c.Shared()
	for _, talk := range []string{"g.1", "", `h"}.2`} {
		c.Talk, shared.Talk = talk, talk
		want, err := Encode(c)
		got, err2 := Encode(shared)
		if err != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("talk %q: sent %s, %v; want %s, %v", talk, got, err2, want, err)
		}
	}
}

func TestNumbersComeBackAsTheyWent(t *testing.T) {
	for _, numbers := range [][]uint64{nil, {7}, {1, 2, 3}, {3, 2, 1}, {5, 6, 1, 2, 2, 3, 9}} {
		runs := Runs(slices.Values(numbers))
		got, ok := Numbers(runs, len(numbers))
		if !ok || !slices.Equal(got, numbers) {
			t.Errorf("%v came back from %v as %v, %v", numbers, runs, got, ok)
		}
		if _, ok := Numbers(runs, len(numbers)-1); ok && len(numbers) > 0 {
			t.Errorf("%v are taken though they are too many", numbers)
		}
	}
	if _, ok := Numbers([]Run{{1, 1 << 63}, {1, 1 << 63}}, 10); ok {
		t.Error("more numbers than can be counted were taken")
	}
}

// What has another envelope than ours, or more in it, is read all the same.
func TestOtherEnvelopesAreRead(t *testing.T) {
	for _, raw := range []string{`{"kind":"ping","body":{"Seq":3},"more":{}}`, `{"body":{"Seq":3},"kind":"ping"}`, ` {"kind" : "ping", "body": {"Seq":3}} `, `{"kind":"ping","body":{"Seq":1},"body":{"Seq":3}}`} {
		if m, err := Decode([]byte(raw)); err != nil || fmt.Sprint(m) != "{3}" {
			t.Errorf("%s: %v, %v", raw, m, err)
		}
	}
	for _, raw := range []string{`{"kind":"ping","body":{"Seq":3}`, `{"kind":"ping","body":}`, `{"kind":"ping","body":{"Seq":3}}}`, `{"kind":"`, `}`} {
		if m, err := Decode([]byte(raw)); err == nil {
			t.Errorf("%s was read as %v", raw, m)
		}
	}
}
