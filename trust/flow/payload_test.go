package flow

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestReadings: a text is squeezed once, and backwards and in rot13 its letters are those of the text that is read so.
func TestReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("ab yzAZ019.-_/('é٤４ß字\u0301\u200b")), rapid.Rune())).Draw(t, "text")
		if rapid.Bool().Draw(t, "broken") {
			text += "\xff" + text
		}
		text = strings.Map(func(r rune) rune { // rot13 turns ASCII only, and letters such as ａ only once they are squeezed
			if b := squeeze(string(r)).bytes; r >= 0x80 && len(b) == 1 && b[0] < 0x80 {
				return -1
			}
			return r
		}, text)
		q := squeeze(text)
		same := func(how string, got, want squeezed) {
			if string(got.bytes) != string(want.bytes) || !slices.Equal(got.word, want.word) || !slices.Equal(got.chunk, want.chunk) || !slices.Equal(got.run, want.run) {
				t.Fatalf("%q %s is\n%q %v\nnot\n%q %v", text, how, got.bytes, got, want.bytes, want)
			}
		}
		same("backwards", q.reversed(), squeeze(reversed(text)))
		turned, is := q.rotated()
		same("in rot13", turned, squeeze(rotated(text)))
		if is != (string(turned.bytes) != string(q.bytes)) {
			t.Fatalf("%q turns: %v", text, is)
		}
	})
}

// TestQuoteOfManyItems: a text is squeezed once, however many of its parts are found.
func TestQuoteOfManyItems(t *testing.T) {
	text := strings.Repeat("4711x ", maxPayload/6)
	s := payload{texts: []reading{{text: text}}}
	var all []item
	for i := range int32(maxPayload / 12) {
		all = append(all, item{from: 10 * i, to: 10*i + 5})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := s.quote(all)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; got != "4711x" || n > 100*maxPayload {
		t.Errorf("%q takes %d bytes", got, n)
	}
}
