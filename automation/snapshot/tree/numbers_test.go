package tree

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestNumbers: columns and rows are decoded as encoding/json does it.
func TestNumbers(t *testing.T) {
	for _, raw := range []string{
		`[]`, `[0]`, `[-1,12,2147483647]`, `[[]]`, `[[1],[]]`, `[[1,2.5],[-3.25e2]]`, `[ 1, 2 ]`, `null`, `[null,1]`, `[null,[1]]`,
		`["a"]`, `["[1,2]"]`, `[[[1]]]`, `[1,[2]]`, `[[1],2]`, `{}`, `[12345678901234567890]`, `[1.5]`, `[true]`, `[-0]`,
	} {
		var c indices
		var ints []int
		var r rows[float64]
		var floats [][]float64
		same(t, raw, &c, &ints)
		same(t, raw, &r, &floats)
	}
}

func same(t *testing.T, raw string, got, want any) {
	t.Helper()
	is, would := json.Unmarshal([]byte(raw), got), json.Unmarshal([]byte(raw), want)
	if (is == nil) != (would == nil) {
		t.Fatalf("%s: %v, want %v", raw, is, would)
	}
	if is != nil {
		return
	}
	a, b := reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()
	if a.Len() != b.Len() || a.Len() > 0 && !reflect.DeepEqual(a.Convert(b.Type()).Interface(), b.Interface()) {
		t.Errorf("%s: %v, want %v", raw, a, b)
	}
}
