package share

import (
	"bytes"
	"strings"
	"testing"
)

// What was noted before a message's Write began is written before the message: who is
// killed in between has sent where its client stands.
func TestWhatIsNotedIsWrittenFirst(t *testing.T) {
	var out bytes.Buffer
	w := newGuestWriter(&out)
	write := func(p string) {
		t.Helper()
		if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
			t.Errorf("%q: %d, %v", p, n, err)
		}
	}
	w.note(placePrefix, ownLine{rest: []byte(`{"n":1}`)})
	write("{1}\n")
	write("{2")
	w.note(placePrefix, ownLine{rest: []byte(`{"n":2}`)})
	w.note(placePrefix, ownLine{rest: []byte(`{"n":3}`)}) // in place of it
	write(",")
	write("}\n{3}\n{4")
	write("}\n")
	want := []string{`#place {"n":1}`, `{1}`, `{2,}`, `#place {"n":3}`, `{3}`, `{4}`, ``}
	if got := strings.Split(out.String(), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("written was\n%s", out.String())
	}
}
