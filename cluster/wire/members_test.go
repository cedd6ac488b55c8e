package wire

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Members of objects become values of maps, as large as elements of arrays: they are bounded, too.
func TestMembersAreBounded(t *testing.T) {
	came := &strings.Builder{}
	came.WriteString(`{"Came":{"":0`)
	for i := 0; came.Len() < 48<<20; i++ {
		came.WriteString(`,"` + strconv.FormatInt(int64(i), 36) + `":0`)
	}
	came.WriteString(`}}`)
	raw := []byte(came.String())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var done Automated
	err := Read(raw, &done)
	runtime.ReadMemStats(&after)
	if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || allocated > 8 {
		t.Errorf("%d MiB became %d values, for which %d MiB were allocated, and %d MiB are held: %v", len(raw)>>20, len(done.Came), allocated, int64(after.HeapAlloc-before.HeapAlloc)>>20, err)
	}
}
