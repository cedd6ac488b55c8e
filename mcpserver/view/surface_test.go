package view

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"webmcphub/registry/focus"
)

// A client is one that does things to an Auto, one letter each: c calls, n calls after a
// list_changed that it hasn't listed after, l lists, h lists after a list_changed. What it
// is shown is noted by A and S.
func shown(a *surface, does string, tokens int) (is string) {
	exceeds := func(limit int) bool { return tokens > limit }
	for _, d := range does {
		switch d {
		case 'c':
			a.called(false)
		case 'n':
			a.called(true)
		case 'l', 'h':
			a.lists(d == 'h', !a.unannounced, exceeds)
			is += map[Surface]string{All: "A", Static: "S"}[a.shown]
		}
	}
	return is
}

func byUse() *surface { return &surface{kind: ByUse, limit: 10_000, shown: All} }

func TestAutoGoesByWhatTheClientDoes(t *testing.T) {
	late := strings.Repeat("n", Patience+1)
	for _, test := range []struct{ name, does, shows string }{
		{"it lists", "l", "A"},
		{"it never lists again, and calls", "l" + strings.Repeat("c", 50), "A"},
		{"it lists at once after changes", "lhhh", "AAAA"},
		{"it lists after a few calls", "l" + strings.Repeat("n", Patience) + "h", "AA"},
		{"it lists too late", "l" + late + "h", "AS"},
		{"then in time", "l" + late + "hnh", "ASA"},
		{"then of its own accord", "l" + late + "hl", "ASS"},
		{"too late twice", "l" + late + "hh" + late + "hhhh", "ASASSSS"},
	} {
		if got := shown(byUse(), test.does, 100); got != test.shows {
			t.Errorf("%s: %s, want %s", test.name, got, test.shows)
		}
	}
}

func TestAutoGoesByTheListsLength(t *testing.T) {
	a := byUse()
	var got string
	for _, tokens := range []int{500, 10_000, 10_001, 9_999, 8_001, 8_000, 9_999, 100_000, 100} {
		got += shown(a, "h", tokens)
	}
	if want := "AASSSAASA"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for tokens, want := range map[int]bool{100_000: false, 9_000: false, 8_000: true} {
		a := byUse()
		shown(a, "l", 20_000)
		if got := a.announces(func(limit int) bool { return tokens > limit }); got != want {
			t.Errorf("a client whose list was too long and has %d tokens now is told: %v", tokens, got)
		}
	}
	lost := byUse()
	shown(lost, "l"+strings.Repeat("n", 20)+"hh"+strings.Repeat("n", 20)+"h", 10)
	if lost.announces(func(int) bool { return false }) {
		t.Error("a client that doesn't follow is told for ever")
	}
}

func TestAutoSaysWhy(t *testing.T) {
	a := byUse()
	for does, want := range map[string]string{
		"l":                          `{"webmcp-hub/surface":{"surface":"all","why":"the client lists again when it is told of changes, and the list is not longer than 10000 tokens (estimated)"}}`,
		strings.Repeat("n", 9) + "h": `{"webmcp-hub/surface":{"surface":"static","why":"the client called more than 8 tools after a list_changed without listing again"}}`,
	} {
		if shown(a, does, 100); string(a.meta()) != want {
			t.Errorf("%s", a.meta())
		}
		a = byUse()
	}
	shown(a, "l", 20_000)
	if want := `{"webmcp-hub/surface":{"surface":"static","why":"the list of all tools is longer than 10000 tokens (estimated)"}}`; string(a.meta()) != want {
		t.Errorf("%s", a.meta())
	}
}

// TestAutoOfAClientThatIsNotTold: its reasons don't speak of what the client can't do.
func TestAutoOfAClientThatIsNotTold(t *testing.T) {
	a := byUse()
	a.unannounced = true
	if is, want := shown(a, "l", 100), `{"webmcp-hub/surface":{"surface":"all","why":"the list is not longer than 10000 tokens (estimated)"}}`; is != "A" || string(a.meta()) != want {
		t.Errorf("%s: %s", is, a.meta())
	}
	a = byUse()
	a.unannounced = true
	if is := shown(a, "l", 20_000); is != "S" || !strings.Contains(string(a.meta()), "longer than") {
		t.Errorf("%s: %s", is, a.meta())
	}
}

// TestLean: few words, the same arguments.
func TestLean(t *testing.T) {
	for _, tool := range append(focus.CoreTools(), focus.NewTool("unknown", "Does what nobody knows.", `{"type":"object","properties":{"description":{"type":"string","description":"A text"},"n":{"type":"array","items":{"type":"integer","minimum":0}}},"required":["n"]}`, `{"type":"object"}`, `{"readOnlyHint":true,"openWorldHint":false}`)) {
		var is struct {
			Name, Description         string
			InputSchema, OutputSchema json.RawMessage
			Annotations               map[string]bool
		}
		if err := json.Unmarshal(LeanTool(tool), &is); err != nil || is.Name != tool.Name || is.Description == "" || is.OutputSchema != nil {
			t.Fatalf("%s (%v)", LeanTool(tool), err)
		}
		if len(LeanTool(tool)) >= len(tool.Encoded) {
			t.Errorf("%s has become longer", tool.Name)
		}
		if got, want := parameters(t, is.InputSchema), parameters(t, tool.InputSchema); !reflect.DeepEqual(got, want) {
			t.Errorf("%s takes %v, want %v", tool.Name, got, want)
		}
	}
	for annotations, want := range map[string]string{
		`{"readOnlyHint":true,"openWorldHint":false}`:                                                `{"openWorldHint":false,"readOnlyHint":true}`,
		`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`:  `{}`,
		`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`: `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`,
		`{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}`:   `{"readOnlyHint":true}`,
	} {
		if got, _ := json.Marshal(hints(json.RawMessage(annotations))); string(got) != want {
			t.Errorf("%s became %s, want %s", annotations, got, want)
		}
	}
	if got := string(stripped(json.RawMessage(`{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":50,"default":10}}}`), nil)); got != `{"properties":{"limit":{"maximum":50,"type":"integer"}},"type":"object"}` {
		t.Errorf("a limit that an agent can't know otherwise: %s", got)
	}
	if got := string(stripped(json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"A text"}}}`), nil)); got != `{"properties":{"description":{"type":"string"}},"type":"object"}` {
		t.Errorf("a parameter called description: %s", got)
	}
}

// parameters are the names and types of a schema's parameters, and which are required.
func parameters(t *testing.T, schema json.RawMessage) map[string]any {
	t.Helper()
	var s struct {
		Properties map[string]struct {
			Type any
			Enum []string
		}
		Required []string
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"required": s.Required}
	for name, p := range s.Properties {
		all[name] = p
	}
	return all
}
