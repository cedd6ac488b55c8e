package report

import (
	"encoding/json"
	"testing"
)

func TestCoverageCoverage(t *testing.T) {
	r := CoverageOf("it", map[string]json.RawMessage{
		"search": json.RawMessage(`{"properties":{"words":{"type":"string"},"sort":{"enum":["price","name",1]},"all":{"type":"boolean"},"odd":true}}`),
		"unused": json.RawMessage(`{"properties":{"a":{}}}`),
		"broken": json.RawMessage(`[`),
	}, []CoveredCall{
		{"search", json.RawMessage(`{"words":"tea","sort":"price"}`)},
		{"search", json.RawMessage(`{"words":"tea","sort":1.0,"all":true,"extra":null}`)},
		{"gone", nil}, {"broken", json.RawMessage(`{"x":1}`)},
	})
	got, _ := json.Marshal(r)
	const want = `{"of":"it","tools":[{"tool":"broken","calls":1,"parameters":[{"name":"x","calls":1,"unlisted":true}]},{"tool":"gone","calls":1},` +
		`{"tool":"search","calls":2,"parameters":[{"name":"all","calls":1,"values":[{"value":true,"calls":1},{"value":false,"calls":0}]},{"name":"odd","calls":0},` +
		`{"name":"sort","calls":2,"values":[{"value":"price","calls":1},{"value":"name","calls":0},{"value":1,"calls":1}]},{"name":"words","calls":2},{"name":"extra","calls":1,"unlisted":true}]},` +
		`{"tool":"unused","calls":0,"parameters":[{"name":"a","calls":0}]}]}`
	if string(got) != want || r.Called() != 3 {
		t.Errorf("%d called:\n%s\nwant\n%s", r.Called(), got, want)
	}
}
