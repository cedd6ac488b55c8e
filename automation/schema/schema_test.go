package schema

import "testing"

type inner struct {
	C []string `json:"c" among:"x,y" least:"1" as:"required"`
}

func TestOf(t *testing.T) {
	type all struct {
		A *string `json:"a" is:"<A> \"\"" as:"required"`
		B []struct {
			Text TextOrTexts `json:"text" as:"required"`
		} `json:"b" least:"1"`
		inner
		D Milliseconds `json:"d" is:"ms"`
		E float64      `json:"e" least:"0" most:"20"`
		F bool         `json:"f" as:"unlisted"`
		G string       `json:"g" among:"one,two words"`
	}
	const properties = `{"type":"object","properties":{"a":{"type":"string","description":"<A> \"\""},` +
		`"b":{"type":"array","items":{"type":"object","properties":{` +
		`"text":{"type":["string","array"],"items":{"type":"string"}}},"required":["text"],"additionalProperties":false},` +
		`"minItems":1},` +
		`"c":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1},` +
		`"d":{"type":"integer","description":"ms"},"e":{"type":"number","minimum":0,"maximum":20},` +
		`"g":{"type":"string","enum":["one","two words"]}},"required":["a","c"]`
	const whole = properties + `,"patternProperties":{"^f$":{"type":"boolean"}},"additionalProperties":false}`
	if got := string(Of[all]().Schema()); got != whole {
		t.Errorf("the schema is\n%s, want\n%s", got, whole)
	}
	// Agents read the schema without the unlisted properties, whatever the others are like.
	if got := string(Of[all]().Listed()); got != properties+"}" {
		t.Errorf("it is listed as\n%s, want\n%s}", got, properties)
	}
	if got := string(Object{}.Listed()); got != `{"type":"object","properties":{}}` {
		t.Errorf("an empty one is listed as %s", got)
	}
}

func TestWithout(t *testing.T) {
	type full struct {
		A    string `json:"a" is:"A" as:"required"`
		File string `json:"filePath"`
		C    string `json:"c" as:"required"`
	}
	type want struct {
		A string `json:"a" is:"A" as:"required"`
		C string `json:"c" as:"required"`
	}
	if got, want := string(Of[full]().Without("filePath").Schema()), string(Of[want]().Schema()); got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
	if got, want := string(Of[full]().Without("nothing").Schema()), string(Of[full]().Schema()); got != want {
		t.Errorf("without what it hasn't it is %s", got)
	}
	if got := string(Object{}.Without("a").Schema()); got != string(Object{}.Schema()) {
		t.Errorf("of nothing it is %s", got)
	}
	if !Of[full]().Has("c") || Of[full]().Has("d") {
		t.Error("it has c and not d")
	}
}
