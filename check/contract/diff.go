package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"webmcphub/check/finding"
	"webmcphub/check/seen"
)

// Kind says what a difference means for agents that know the old definition.
type Kind string

// The kinds, the worst first. They are the ids of rules, too.
const (
	Breaking Kind = "contract-breaking"
	Widening Kind = "contract-widening"
	Text     Kind = "contract-text"
)

// A Difference is one between two definitions.
type Difference struct {
	Kind    Kind
	Tool    string
	Where   string
	Message string
}

// Rules are those that differences break.
func Rules() []finding.Rule {
	return []finding.Rule{
		{ID: string(Breaking), Severity: finding.Error, Title: "A tool changed so that agents that know it fail", Why: "A tool is gone, requires more, or takes less than the lock file says. If that is meant, take it with `--accept`."},
		{ID: string(Widening), Severity: finding.Warning, Title: "A tool takes or offers more than the lock file says", Why: "Agents that know the old definition still work. Take it with `--accept`."},
		{ID: string(Text), Severity: finding.Info, Title: "A text of a tool differs from the lock file", Why: "Models choose by these texts, so a change of words can change what agents do. Take it with `--accept`."},
	}
}

// Diff compares the tools of a page with those of a lock file.
func Diff(locked, now []seen.Tool) (all []Difference) {
	old := map[string]seen.Tool{}
	for _, t := range sorted(locked) {
		old[t.Name] = t
	}
	for _, t := range sorted(now) {
		d := &differ{tool: t.Name}
		if was, ok := old[t.Name]; ok {
			d.tools(was, t)
		} else {
			d.add(Widening, "", "it is new")
		}
		delete(old, t.Name)
		all = append(all, d.all...)
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		all = append(all, Difference{Breaking, name, "", "it is gone"})
	}
	return all
}

// A differ gathers the differences of one tool.
type differ struct {
	tool string
	out  bool // in a schema of results: what takes more there promises less
	all  []Difference
}

func (d *differ) add(k Kind, where, format string, args ...any) {
	d.all = append(d.all, Difference{k, d.tool, where, fmt.Sprintf(format, args...)})
}

// less notes that a schema permits less than before, more that it permits more.
func (d *differ) less(where, format string, args ...any) { d.schema(!d.out, where, format, args...) }
func (d *differ) more(where, format string, args ...any) { d.schema(d.out, where, format, args...) }

func (d *differ) schema(breaks bool, where, format string, args ...any) {
	kind := Widening
	if breaks {
		kind = Breaking
	}
	d.add(kind, where, format, args...)
}

func (d *differ) tools(was, is seen.Tool) {
	if was.Title != is.Title {
		d.add(Text, "title", "%q became %q", was.Title, is.Title)
	}
	if was.Description != is.Description {
		d.add(Text, "description", "%q became %q", was.Description, is.Description)
	}
	d.hints(was.Hints, is.Hints)
	d.compare("inputSchema", was.InputSchema, is.InputSchema)
	d.out = true
	d.compare("outputSchema", was.OutputSchema, is.OutputSchema)
}

// hints: a tool that looks more dangerous than before is asked about where it wasn't.
func (d *differ) hints(was, is seen.Hints) {
	for _, h := range []struct {
		name     string
		was, is  *bool
		harmless bool // what true says
	}{
		{"readOnlyHint", was.ReadOnly, is.ReadOnly, true},
		{"consequentialHint", was.Consequential, is.Consequential, false},
		{"untrustedContentHint", was.Untrusted, is.Untrusted, false},
		{"destructiveHint", was.Destructive, is.Destructive, false},
		{"idempotentHint", was.Idempotent, is.Idempotent, true},
		{"openWorldHint", was.OpenWorld, is.OpenWorld, false},
	} {
		switch before, after := seen.Is(h.was), seen.Is(h.is); {
		case before == after && (h.was == nil) == (h.is == nil):
		case before == after:
			d.add(Text, "annotations."+h.name, "%s became %s", said(h.was), said(h.is))
		case after == h.harmless:
			d.add(Widening, "annotations."+h.name, "%s became %s", said(h.was), said(h.is))
		default:
			d.add(Breaking, "annotations."+h.name, "%s became %s, so that clients ask their users where they didn't", said(h.was), said(h.is))
		}
	}
}

func said(hint *bool) string {
	if hint == nil {
		return "nothing"
	}
	return fmt.Sprint(*hint)
}

// compare compares two schemas; nil is none.
func (d *differ) compare(where string, was, is json.RawMessage) {
	var a, b any
	_ = json.Unmarshal(was, &a) // they were made by canonical
	_ = json.Unmarshal(is, &b)
	switch {
	case a == nil && b == nil:
	case a == nil:
		d.less(where, "there is a schema where there was none")
	case b == nil:
		d.more(where, "there is no schema any more")
	default:
		d.schemas(where, a, b)
	}
}

func (d *differ) schemas(where string, was, is any) {
	a, ok1 := was.(map[string]any)
	b, ok2 := is.(map[string]any)
	if !ok1 || !ok2 {
		if !reflect.DeepEqual(was, is) {
			d.add(Breaking, where, "%s became %s", short(was), short(is))
		}
		return
	}
	d.properties(where, a, b)
	for _, key := range slices.Sorted(maps.Keys(union(a, b))) {
		old, had := a[key]
		value, has := b[key]
		if key != "properties" && key != "required" && (had != has || !reflect.DeepEqual(old, value)) {
			d.keyword(where, key, old, value, had, has)
		}
	}
}

func union(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// short is a value's JSON, cut.
func short(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if len(raw) > 80 {
		return string([]rune(string(raw[:80]))) + "…"
	}
	return string(raw)
}
