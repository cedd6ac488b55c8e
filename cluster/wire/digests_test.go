package wire

import (
	"encoding/json"
	"runtime"
	"strconv"
	"testing"

	"webmcphub/registry/offer"
)

func TestDigestsAreRemembered(t *testing.T) {
	var all Digests
	tool := &offer.PageTool{Name: "buy", InputSchema: json.RawMessage(`{"type":"object"}`)}
	for range 2 {
		if got := all.Of(tool); got != Digest(tool) {
			t.Errorf("the digest is %s, and not %s", got, Digest(tool))
		}
	}
	if n := testing.AllocsPerRun(100, func() { all.Of(tool) }); n > 0 {
		t.Errorf("a digest that is known takes %v allocations", n)
	}
	for i := range 2 * maxDigests {
		other := &offer.PageTool{Name: strconv.Itoa(i)}
		if all.Of(other) != Digest(other) {
			t.Fatalf("tool %d has the digest of another", i)
		}
	}
	if len(all.all) > maxDigests {
		t.Errorf("%d are remembered", len(all.all))
	}
	runtime.KeepAlive(tool)
}

// BenchmarkDigest is what each call takes for it, at the gateway and at the node.
func BenchmarkDigest(b *testing.B) {
	tool := shopPage(1, 1).Tools[0].PageTool()
	b.Run("made", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Digest(tool)
		}
	})
	b.Run("remembered", func(b *testing.B) {
		b.ReportAllocs()
		var all Digests
		for b.Loop() {
			all.Of(tool)
		}
	})
}
