package tokencount

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"webmcphub/internal/o200k"
)

// sample is a text of testdata.
func sample(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEstimateIsNearTheTokenizer holds the doc comment's promise.
func TestEstimateIsNearTheTokenizer(t *testing.T) {
	near := func(name string, within float64) {
		text := sample(t, name)
		real, is := o200k.Count(text), Estimate(text)
		off := float64(is)/float64(real) - 1
		t.Logf("%s: %d tokens are taken for %d, %+.0f %%", name, real, is, 100*off)
		if math.Abs(off) > within {
			t.Errorf("%s is not near", name)
		}
	}
	for _, name := range []string{"tools", "own", "data", "indented", "english", "code"} {
		near(name, 0.10)
	}
	others := []string{"german", "french", "polish", "russian", "chinese", "japanese", "korean", "arabic", "greek", "hindi", "thai", "hebrew", "emoji", "random",
		// From the Universal Declaration of Human Rights.
		"amharic", "armenian", "bengali", "burmese", "georgian", "khmer", "lao", "sinhala", "tamil", "telugu"}
	for _, name := range others {
		near(name, 0.30)
	}
	if files, _ := filepath.Glob("testdata/*.txt"); len(files) != 6+len(others) {
		t.Errorf("%d samples, and not each is looked at", len(files))
	}
}

func TestEstimate(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " ": 1, "a": 1, "hello": 1, " hello": 1, "hello world": 2, "1234567": 3, "\n\n": 1, "\xff": 1, "é": 1, "漢": 1,
		strings.Repeat("-", 80): 2,
	} {
		if got := Estimate(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if text := sample(t, "tools"); Estimate(json.RawMessage(text)) != Estimate(text) {
		t.Error("the same bytes cost something else")
	}
}

func TestExceeds(t *testing.T) {
	texts := []string{"hello world", "hello", "never looked at"}
	looked := 0
	count := func(yield func(string) bool) {
		for _, text := range texts {
			if looked++; !yield(text) {
				return
			}
		}
	}
	if !Exceeds(2, count) || looked != 2 {
		t.Errorf("it looked at %d texts", looked)
	}
	if total := 3 + Estimate(texts[2]); Exceeds(total, slices.Values(texts)) || !Exceeds(total-1, slices.Values(texts)) {
		t.Error("the limit itself is not more than the limit")
	}
}

func FuzzEstimate(f *testing.F) {
	f.Add("Ünïcödé “quotes” 🛒🛒\r\n\t x")
	f.Add("\xc3")
	f.Fuzz(func(t *testing.T, text string) {
		n := Estimate(text)
		if n < 0 || n == 0 != (text == "") || n > 2*len(text)+1 {
			t.Errorf("%q: %d", text, n)
		}
		if twice := Estimate(text + "\n" + text); twice < n {
			t.Errorf("%q costs %d, and twice that %d", text, n, twice)
		}
	})
}

func BenchmarkEstimate(b *testing.B) {
	text := sample(b, "tools")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Estimate(text)
	}
}
