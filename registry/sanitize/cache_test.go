package sanitize

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Schemas are sanitized once, whichever page has them, and what isn't used for
// long is forgotten.
func TestCache(t *testing.T) {
	var l Cache
	schema := func(i int) Raw {
		return Raw{Input: fmt.Appendf(nil, `{"type":"object","properties":{"p%d":{}}}`, i), Output: []byte(`{"type":"object"}`)}
	}
	first := l.Tool("t", schema(0), MetaKeys{})
	if l.Tool("t", schema(0), MetaKeys{}) != first || l.Tool("t", schema(1), MetaKeys{}) == first {
		t.Error("schemas are not told apart by their text")
	}
	other := schema(0)
	other.Output = nil
	if got := l.Tool("t", other, MetaKeys{}); got == first || got.Output != nil {
		t.Error("output schemas are not told apart")
	}
	for i := range 3 * maxCache / 256 {
		l.Tool("t", schema(i), MetaKeys{})
		l.Tool("t", schema(0), MetaKeys{}) // is used all the time
	}
	if l.Tool("t", schema(0), MetaKeys{}) != first {
		t.Error("what is in use was forgotten")
	}
	if n := len(l.young) + len(l.old); n > 2*maxCache/256 || l.bytes > maxCache || l.old[texts{string(schema(1).Input), `{"type":"object"}`, "", ""}] != nil {
		t.Errorf("%d schemas with %d bytes are kept", n, l.bytes)
	}
}

func TestAToolThatBreaksTheSanitizerIsRefused(t *testing.T) {
	if l := newTool(Raw{Meta: json.RawMessage(`{"com.example/a":1}`)}, MetaKeys{}); !strings.Contains(l.Refused, "please report this") { // nothing that a page can send is known to
		t.Errorf("it is refused because %q", l.Refused)
	}
}
