package schema

import "testing"

// TestListed: agents read the schema without the properties that Also adds, whatever the others are like.
func TestListed(t *testing.T) {
	one := Text("a", "<A>").Must()
	two := Field{Name: "b", Schema: `{"type":"object","patternProperties":{"^x$":{"type":"string"}}}`}
	const want = `{"type":"object","properties":{"a":{"type":"string","description":"<A>"},` +
		`"b":{"type":"object","patternProperties":{"^x$":{"type":"string"}}}},"required":["a"]}`
	for _, object := range []string{string(Object(one, two)), string(Also(Object(one, two), YesNo("c", "")))} {
		if got := string(Listed([]byte(object))); got != want {
			t.Errorf("%s is listed as %s", object, got)
		}
	}
	if got := string(Listed(Object())); got != `{"type":"object","properties":{}}` {
		t.Errorf("an empty one is listed as %s", got)
	}
}
