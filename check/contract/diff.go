package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"webmcphub/check/lint"
)

// Kind says what a difference means for agents that know the old definition.
type Kind string

// The kinds, the worst first. They are also the ids of rules.
const (
	Breaking Kind = "contract-breaking"
	Widening Kind = "contract-widening"
	Text     Kind = "contract-text"
)

// A Difference is one difference between two definitions.
type Difference struct {
	Kind    Kind
	Tool    string
	Where   string
	Message string
}

// Rules are the rules that differences can break.
func Rules() []lint.Rule {
	return []lint.Rule{
		{ID: string(Breaking), Severity: lint.Error, Title: "A tool changed so that agents that know it fail",
			Why: "A tool is gone, requires more, or takes less than the lock file says. If that is meant, accept it " +
				"with `--accept`.",
			Bad:  `inputSchema: { type: "object", properties: { words: …, limit: … }, required: ["words", "limit"] } // limit was optional`,
			Good: `inputSchema: { type: "object", properties: { words: …, limit: … }, required: ["words"] }`},
		{ID: string(Widening), Severity: lint.Warning, Title: "A tool takes or offers more than the lock file says",
			Why:  "Agents that know the old definition still work. Take it with `--accept`.",
			Bad:  `inputSchema: { type: "object", properties: { words: …, sort: … } } // the lock file has no sort`,
			Good: `webmcp-hub check --accept http://localhost:3000/ # now it has`},
		{ID: string(Text), Severity: lint.Info, Title: "A text of a tool differs from the lock file",
			Why:  "Models choose by these texts, so a change of words can change what agents do. Take it with `--accept`.",
			Bad:  `description: "Finds things." // the lock file says "Finds products of this shop by words."`,
			Good: `description: "Finds products of this shop by words."`},
	}
}

// Diff compares the tools of a page with those of a lock file. Of tools with the same name in several frames, it
// leaves out those that didn't change and compares the others in their order.
func Diff(locked, now []lint.Tool) (all []Difference) {
	was, is := byName(locked), byName(now)
	for _, name := range slices.Sorted(maps.Keys(union(was, is))) {
		before, after := without(was[name], is[name]), without(is[name], was[name])
		for i := range max(len(before), len(after)) {
			d := &differ{tool: name}
			switch {
			case i >= len(before):
				d.add(Widening, "", "it is new")
			case i >= len(after):
				d.add(Breaking, "", "it is gone")
			default:
				d.tools(before[i], after[i])
			}
			all = append(all, d.all...)
		}
	}
	return all
}

func byName(tools []lint.Tool) map[string][]lint.Tool {
	all := map[string][]lint.Tool{}
	for _, t := range sorted(tools) {
		all[t.Name] = append(all[t.Name], t)
	}
	return all
}

// without returns the tools that are not in others. Each of others accounts for one tool.
func without(tools, others []lint.Tool) (rest []lint.Tool) {
	others = slices.Clone(others)
	for _, t := range tools {
		if i := slices.IndexFunc(others, func(o lint.Tool) bool { return reflect.DeepEqual(o, t) }); i >= 0 {
			others = slices.Delete(others, i, i+1)
		} else {
			rest = append(rest, t)
		}
	}
	return rest
}

// A differ collects the differences of one tool.
type differ struct {
	tool string
	out  bool // in an output schema, where permitting more means promising less
	all  []Difference
}

func (d *differ) add(k Kind, where, format string, args ...any) {
	d.all = append(d.all, Difference{k, d.tool, where, fmt.Sprintf(format, args...)})
}

// less notes that a schema permits less than before; more notes that it permits more.
func (d *differ) less(where, format string, args ...any) { d.schema(!d.out, where, format, args...) }
func (d *differ) more(where, format string, args ...any) { d.schema(d.out, where, format, args...) }

func (d *differ) schema(breaks bool, where, format string, args ...any) {
	kind := Widening
	if breaks {
		kind = Breaking
	}
	d.add(kind, where, format, args...)
}

func (d *differ) tools(was, is lint.Tool) {
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

// hints compares annotations. The value true of an annotation may promise more than before, or less.
func (d *differ) hints(was, is lint.Hints) {
	const asks = ", so that clients ask their users where they didn't"
	for _, h := range []struct {
		name     string
		was, is  *bool
		harmless bool   // the new value that breaks nobody
		then     string // the consequence of the other value
	}{
		{"readOnlyHint", was.ReadOnly, is.ReadOnly, true, asks},
		{"consequentialHint", was.Consequential, is.Consequential, false, asks},
		{"untrustedContentHint", was.Untrusted, is.Untrusted, true, ", so that agents take others' words in its " +
			"results for the page's"},
		{"destructiveHint", was.Destructive, is.Destructive, false, asks},
		{"idempotentHint", was.Idempotent, is.Idempotent, true, ", and agents may call it again after an error"},
		{"openWorldHint", was.OpenWorld, is.OpenWorld, false, ""},
	} {
		switch before, after := lint.IsSet(h.was), lint.IsSet(h.is); {
		case before == after && (h.was == nil) == (h.is == nil):
		case before == after:
			d.add(Text, "annotations."+h.name, "%s became %s", hintText(h.was), hintText(h.is))
		case after == h.harmless:
			d.add(Widening, "annotations."+h.name, "%s became %s", hintText(h.was), hintText(h.is))
		default:
			d.add(Breaking, "annotations."+h.name, "%s became %s%s", hintText(h.was), hintText(h.is), h.then)
		}
	}
}

func hintText(hint *bool) string {
	if hint == nil {
		return "nothing"
	}
	return fmt.Sprint(*hint)
}

// compare compares two schemas; nil means that there is none.
func (d *differ) compare(where string, was, is json.RawMessage) {
	var a, b any
	_ = json.Unmarshal(was, &a) // they were made by canonical
	_ = json.Unmarshal(is, &b)
	switch {
	case a == nil && b == nil:
	case a == nil && open(b):
		d.add(Text, where, "there is a schema, which permits all, where there was none")
	case b == nil && open(a):
		d.add(Text, where, "there is no schema any more; it permitted all")
	case a == nil:
		d.less(where, "there is a schema where there was none")
	case b == nil:
		d.more(where, "there is no schema any more")
	default:
		d.schemas(where, a, b)
	}
}

// open reports whether a schema permits any object.
func open(v any) bool {
	return reflect.DeepEqual(bare(v), map[string]any{}) || reflect.DeepEqual(bare(v), map[string]any{"type": "object"})
}

func (d *differ) schemas(where string, was, is any) {
	a, ok1 := normal(was).(map[string]any)
	b, ok2 := normal(is).(map[string]any)
	switch {
	case ok1 && ok2:
	case reflect.DeepEqual(was, is):
		return
	case was == false:
		d.more(where, "it permits %s now, and permitted nothing", lint.Short(is, 80))
		return
	default:
		d.less(where, "%s became %s", lint.Short(was, 80), lint.Short(is, 80))
		return
	}
	if d.nullable(where, a, b) {
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

func union[V any](a, b map[string]V) map[string]V {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
