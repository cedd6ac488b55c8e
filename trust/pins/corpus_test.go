package pins

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// sample is a change of a definition. accepted are those that were accepted before.
type sample struct {
	kind, what string
	accepted   []*Definition
	is         *Definition
}

// corpus are the files in testdata.
type corpus struct {
	Tools              []json.RawMessage
	Values             map[string][]string
	CopyEdits          [][2]string
	GrownEnums         [][]json.RawMessage
	OptionalParameters [][]json.RawMessage
	Demos              [][2]json.RawMessage
}

func readCorpus(t testing.TB) (c corpus) {
	t.Helper()
	readJSON(t, "benign.json", &c)
	return c
}

func readJSON(t testing.TB, file string, v any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(file, err)
	}
}

// filled returns a definition with values in the places that a page fills in. The values with the numbers of
// replaced take the place of the first ones.
func (c *corpus) filled(t testing.TB, raw json.RawMessage, replaced map[string]int) *Definition {
	t.Helper()
	text := string(raw)
	for kind, values := range c.Values {
		text = strings.ReplaceAll(text, "{"+kind+"}", inJSON(values[replaced[kind]%len(values)]))
		text = strings.ReplaceAll(text, "{"+kind+"2}", inJSON(values[1]))
		text = strings.ReplaceAll(text, "{"+kind+"3}", inJSON(values[2]))
	}
	return definitionOf(t, text)
}

func inJSON(s string) string { return strings.Trim(string(must(json.Marshal(s))), `"`) }

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func definitionOf(t testing.TB, text string) *Definition {
	t.Helper()
	var d Definition
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(text, err)
	}
	return &d
}

func (c *corpus) tool(t testing.TB, name string) json.RawMessage {
	t.Helper()
	for _, raw := range c.Tools {
		if definitionOf(t, string(raw)).Name == name {
			return raw
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// benign makes 200 edits that pages make without telling anybody anything to do.
func (c *corpus) benign(t testing.TB) (edits []sample) {
	vary := func(label, place string, most int) {
		n := 0
		for round := 1; n < most; round++ {
			for _, raw := range c.Tools {
				if strings.Contains(string(raw), "{"+place+"}") && n < most {
					n++
					is := c.filled(t, raw, map[string]int{place: round})
					edits = append(edits, sample{label, is.Description, []*Definition{c.filled(t, raw, nil)}, is})
				}
			}
		}
	}
	vary("counts", "count", 25)
	vary("prices", "price", 20)
	vary("dates", "date", 20)
	vary("item names", "item", 10)
	vary("item names", "title", 10)
	vary("item names", "place", 10)
	vary("users' names", "user", 15)
	for i := range 15 { // names in small letters, in a place that is known to vary
		raw := json.RawMessage(strings.ReplaceAll(string(c.tool(t, []string{"rate_item", "add_to_cart", "show_recipe"}[i%3])), "{item}", "{lower}"))
		var accepted []*Definition
		for n := range minValues {
			accepted = append(accepted, c.filled(t, raw, map[string]int{"lower": n}))
		}
		is := c.filled(t, raw, map[string]int{"lower": minValues + i/2})
		edits = append(edits, sample{"item names, learnt", is.Description, accepted, is})
	}
	for _, pair := range c.CopyEdits {
		was, is := &Definition{Name: "tool", Description: pair[0]}, &Definition{Name: "tool", Description: pair[1]}
		edits = append(edits, sample{"copy edits", pair[1], []*Definition{was}, is})
	}
	for _, g := range c.GrownEnums {
		var name, parameter string
		var more []any
		readAll(t, g, &name, &parameter, &more)
		was := c.filled(t, c.tool(t, name), nil)
		is := c.changed(t, was, func(d map[string]any) {
			p := d["inputSchema"].(map[string]any)["properties"].(map[string]any)[parameter].(map[string]any)
			p["enum"] = append(p["enum"].([]any), more...)
		})
		edits = append(edits, sample{"grown enums", fmt.Sprint(parameter, more), []*Definition{was}, is})
	}
	for _, o := range c.OptionalParameters {
		var name, parameter string
		var schema map[string]any
		readAll(t, o, &name, &parameter, &schema)
		was := c.filled(t, c.tool(t, name), nil)
		is := c.changed(t, was, func(d map[string]any) {
			d["inputSchema"].(map[string]any)["properties"].(map[string]any)[parameter] = schema
		})
		edits = append(edits, sample{"optional parameters", parameter, []*Definition{was}, is})
	}
	for _, raw := range c.Tools { // as another serializer writes them
		if was := c.filled(t, raw, nil); len(edits) < 200 {
			is := c.filled(t, raw, nil)
			is.InputSchema = reversed(is.InputSchema)
			edits = append(edits, sample{"order of members", was.Name, []*Definition{was}, is})
		}
	}
	return edits
}

func readAll(t testing.TB, from []json.RawMessage, to ...any) {
	t.Helper()
	for i := range to {
		if err := json.Unmarshal(from[i], to[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// changed returns a changed copy of a definition.
func (c *corpus) changed(t testing.TB, was *Definition, change func(map[string]any)) *Definition {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(must(json.Marshal(was)), &d); err != nil {
		t.Fatal(err)
	}
	change(d)
	return definitionOf(t, string(must(json.Marshal(d))))
}

// reversed writes an object's members in the opposite order.
func reversed(raw json.RawMessage) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return raw
	}
	var members []string
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(o))) {
		members = append(members, string(must(json.Marshal(name)))+": "+string(reversed(o[name])))
	}
	return json.RawMessage("{ " + strings.Join(members, ", ") + " }")
}

// demos are the tools of the project's own demo pages in two states.
func (c *corpus) demos(t testing.TB) (edits []sample) {
	for _, pair := range c.Demos {
		was, is := definitionOf(t, string(pair[0])), definitionOf(t, string(pair[1]))
		edits = append(edits, sample{"own demos", is.Name, []*Definition{was}, is})
	}
	return edits
}

// pairs are descriptions of which the second took the place of the first. Those under "rewrites" are all that were
// written anew in the history of the demos in GoogleChromeLabs/webmcp-tools.
func pairs(t testing.TB, of, kind string) (edits []sample) {
	var all map[string][][2]string
	readJSON(t, "pairs.json", &all)
	for _, p := range all[of] {
		was, is := &Definition{Name: "tool", Description: p[0]}, &Definition{Name: "tool", Description: p[1]}
		edits = append(edits, sample{kind, p[1], []*Definition{was}, is})
	}
	return edits
}

// hostile are edits that steer, hide or exfiltrate.
func (c *corpus) hostile(t testing.TB) (edits []sample) {
	var all []struct {
		What, Tool string
		Accepted   []string
		Change     map[string]any
	}
	readJSON(t, "hostile.json", &all)
	for _, h := range all {
		raw := c.tool(t, h.Tool)
		was := c.filled(t, raw, nil)
		accepted := []*Definition{was}
		for _, description := range h.Accepted {
			accepted = append(accepted, c.filled(t, must(json.Marshal(c.changed(t, was, func(d map[string]any) { d["description"] = description }))), nil))
		}
		is := c.changed(t, was, func(d map[string]any) { merge(d, h.Change) })
		edits = append(edits, sample{"hostile", h.What, accepted, c.filled(t, must(json.Marshal(is)), nil)})
	}
	return edits
}

// merge does what a JSON merge patch does (RFC 7396).
func merge(to, patch map[string]any) {
	for name, v := range patch {
		switch inner, is := v.(map[string]any); {
		case v == nil:
			delete(to, name)
		case is:
			of, was := to[name].(map[string]any)
			if !was {
				of = map[string]any{}
				to[name] = of
			}
			merge(of, inner)
		default:
			to[name] = v
		}
	}
}

// toolNames are the names of all tools of the corpus.
func (c *corpus) toolNames(t testing.TB) func(string) bool {
	known := map[string]bool{}
	for _, raw := range c.Tools {
		known[skeleton(definitionOf(t, string(raw)).Name)] = true
	}
	return func(name string) bool { return known[skeleton(name)] }
}

// TestTable prints how many changes of each kind are held, and compares that with docs/pins.md. Of the hostile ones
// none may pass, and of the benign ones at most 2 % may be held.
func TestTable(t *testing.T) {
	c := readCorpus(t)
	isTool := c.toolNames(t)
	benign := slices.Concat(c.benign(t), c.demos(t), pairs(t, "benign", "other texts and names"))
	hostile := append(c.hostile(t), pairs(t, "hostile", "hostile texts")...)
	if len(c.benign(t)) != 200 || len(hostile) < 60 {
		t.Errorf("there are %d generated changes and %d hostile ones", len(c.benign(t)), len(hostile))
	}
	table := "| change | number | held |\n|---|--:|--:|\n"
	row := func(kind string, of []sample, wrong func(held bool) bool) (held int) {
		for _, e := range of {
			change := Compare(e.accepted, e.is, isTool)
			if len(change.Held) > 0 {
				held++
			}
			if wrong(len(change.Held) > 0) {
				t.Logf("%s: %s: held %q, noted %q", e.kind, e.what, change.Held, change.Noted)
			}
		}
		table += fmt.Sprintf("| %s | %d | %d |\n", kind, len(of), held)
		return held
	}
	passes, stops := func(held bool) bool { return !held }, func(held bool) bool { return held }
	for rest := benign; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(e sample) bool { return e.kind != rest[0].kind })
		if n < 0 {
			n = len(rest)
		}
		row(rest[0].kind, rest[:n], stops)
		rest = rest[n:]
	}
	if held := row("**benign, in all**", benign, func(bool) bool { return false }); held*50 > len(benign) {
		t.Errorf("%d of %d benign changes are held", held, len(benign))
	}
	if held := row("**hostile**", hostile, passes); held < len(hostile) {
		t.Errorf("%d of %d hostile changes pass", len(hostile)-held, len(hostile))
	}
	row("texts that public demos wrote anew", pairs(t, "rewrites", "rewritten"), func(bool) bool { return false })
	fmt.Fprintln(t.Output(), table)
	if doc, err := os.ReadFile("../../docs/pins.md"); err != nil || !strings.Contains(string(doc), table) {
		t.Errorf("docs/pins.md doesn't have this table (%v):\n%s", err, table)
	}
}
