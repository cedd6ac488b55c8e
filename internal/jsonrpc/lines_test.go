package jsonrpc

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, c := range []struct {
		name, in string
		max      int
		want     []string
	}{
		{"blank lines and blanks don't count", "a\n\n  b \r\n\t\n", 10, []string{"a", "b"}},
		{"the last line needs no break", "a\nb", 10, []string{"a", "b"}},
		{"longer than the buffer", long + "\nb\n", len(long), []string{long, "b"}},
		{"too long is skipped", "a\n" + long + "\nb\n", len(long) - 10, []string{"a", "too long", "b"}},
		{"too long at the end", long, 10, []string{"too long"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(c.in), iotest.HalfReader(strings.NewReader(c.in))} {
				var got []string
				r := NewLineReader(in, c.max)
				for {
					line, err := r.Next()
					if err == io.EOF {
						break
					}
					if err == ErrLineTooLong {
						line = []byte("too long")
					} else if err != nil {
						t.Fatal(err)
					}
					got = append(got, string(line))
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("got %.80q, want %.80q", got, c.want)
				}
			}
		})
	}
}
