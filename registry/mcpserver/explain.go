package mcpserver

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"webmcphub/internal/jsonrpc"
)

// maxComplaints is how many faults are named at a time.
const maxComplaints = 8

// complaint is one fault of the arguments.
type complaint struct {
	path string // JSON pointer
	text string
	want []string // the types that would do, for a wrong type
	got  string
	// doubtful says that the schema may be wrong about it: pages commonly get
	// "pattern" and "format" wrong (^[1-12]$, meant for 1 to 12), because no
	// browser enforces them.
	doubtful bool
}

func allDoubtful(found []complaint) bool {
	return !slices.ContainsFunc(found, func(c complaint) bool { return !c.doubtful })
}

// explain says what is wrong with arguments, each fault with its JSON pointer.
func explain(found []complaint) string {
	return "The arguments don't match the tool's schema:" + list(found)
}

func list(found []complaint) string {
	var b strings.Builder
	for i, c := range found {
		if i == maxComplaints {
			fmt.Fprintf(&b, " … and %d more.", len(found)-i)
			break
		}
		if i > 0 {
			b.WriteByte(';')
		}
		path := c.path
		if path == "" {
			path = "the arguments object"
		}
		b.WriteString(" " + cut(path, 200) + ": " + cut(c.text, 400))
	}
	if len(found) <= maxComplaints {
		b.WriteByte('.')
	}
	return b.String()
}

func complaints(e *jsonschema.ValidationError) []complaint {
	path := pointer(e.InstanceLocation)
	one := func(format string, args ...any) []complaint {
		return []complaint{{path: path, text: fmt.Sprintf(format, args...)}}
	}
	doubtful := func(format string, args ...any) []complaint {
		return []complaint{{path: path, text: fmt.Sprintf(format, args...), doubtful: true}}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		c := complaint{path: path, want: k.Want, got: k.Got}
		c.text = c.wrongType()
		return []complaint{c}
	case *kind.Required:
		var all []complaint
		for _, p := range k.Missing {
			all = append(all, complaint{path: path + pointer([]string{p}), text: "is required but missing"})
		}
		return all
	case *kind.AdditionalProperties:
		var all []complaint
		for _, p := range k.Properties {
			all = append(all, complaint{path: path + pointer([]string{p}), text: "the tool knows no such argument"})
		}
		return all
	case *kind.Enum:
		return one("expected one of %s, got %s", values(k.Want), value(k.Got))
	case *kind.Const:
		return one("expected %s, got %s", value(k.Want), value(k.Got))
	case *kind.RefCycle:
		return nil // the schema's fault
	case *kind.FalseSchema:
		return one("is not allowed here")
	case *kind.Not:
		return one("has a value that is not allowed")
	case *kind.Pattern:
		return doubtful("%s does not match the pattern %s", value(k.Got), k.Want)
	case *kind.Minimum:
		return one("expected at least %s, got %s", rational(k.Want), rational(k.Got))
	case *kind.Maximum:
		return one("expected at most %s, got %s", rational(k.Want), rational(k.Got))
	case *kind.ExclusiveMinimum:
		return one("expected more than %s, got %s", rational(k.Want), rational(k.Got))
	case *kind.ExclusiveMaximum:
		return one("expected less than %s, got %s", rational(k.Want), rational(k.Got))
	case *kind.MultipleOf:
		return one("expected a multiple of %s, got %s", rational(k.Want), rational(k.Got))
	case *kind.MinLength:
		return one("expected at least %d characters, got %d", k.Want, k.Got)
	case *kind.MaxLength:
		return one("expected at most %d characters, got %d", k.Want, k.Got)
	case *kind.MinItems:
		return one("expected at least %d items, got %d", k.Want, k.Got)
	case *kind.MaxItems:
		return one("expected at most %d items, got %d", k.Want, k.Got)
	case *kind.MinProperties:
		return one("expected at least %d members, got %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return one("expected at most %d members, got %d", k.Want, k.Got)
	case *kind.UniqueItems:
		return one("items %d and %d are equal, but no two may be", k.Duplicates[0], k.Duplicates[1])
	case *kind.DependentRequired:
		return one("with %s, %s must be given too", k.Prop, strings.Join(k.Missing, ", "))
	case *kind.Dependency:
		return one("with %s, %s must be given too", k.Prop, strings.Join(k.Missing, ", "))
	case *kind.Format:
		return doubtful("%s is no valid %s", value(k.Got), k.Want)
	case *kind.PropertyNames:
		return one("%s is not allowed as a member's name", value(k.Property))
	case *kind.AnyOf:
		return nearest(path, e.Causes)
	case *kind.OneOf:
		if len(e.Causes) > 0 {
			return nearest(path, e.Causes)
		}
		return one("matches more than one alternative of which exactly one must match")
	}
	if len(e.Causes) == 0 {
		return one("does not satisfy %s", strings.Join(e.ErrorKind.KeywordPath(), "/"))
	}
	var all []complaint
	for _, cause := range e.Causes {
		all = append(all, complaints(cause)...)
	}
	return all
}

// nearest picks, of alternatives that all failed, the one with the fewest
// faults, first one whose faults are all doubtful. Where they only differ in
// type, their types are put together.
func nearest(path string, alternatives []*jsonschema.ValidationError) []complaint {
	var best []complaint
	together := complaint{path: path}
	onlyTypes := true
	for _, a := range alternatives {
		found := complaints(a)
		doubtful, was := allDoubtful(found), allDoubtful(best)
		if best == nil || doubtful && !was || doubtful == was && len(found) < len(best) {
			best = found
		}
		if len(found) == 1 && found[0].want != nil && found[0].path == path {
			together.want = append(together.want, found[0].want...)
			together.got = found[0].got
		} else {
			onlyTypes = false
		}
	}
	if onlyTypes && len(together.want) > 0 {
		slices.Sort(together.want)
		together.want = slices.Compact(together.want)
		together.text = together.wrongType()
		return []complaint{together}
	}
	return best
}

func (c complaint) wrongType() string {
	return "expected " + strings.Join(c.want, " or ") + ", got " + c.got
}

// pointer writes a JSON pointer.
func pointer(location []string) string {
	var b strings.Builder
	for _, token := range location {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

func value(v any) string {
	raw, err := jsonrpc.Encode(v)
	if err != nil {
		return "another value"
	}
	return cut(string(raw), 100)
}

// rational writes a number as JSON would.
func rational(r *big.Rat) string {
	f, _ := r.Float64()
	return value(f)
}

func values(all []any) string {
	var texts []string
	for i, v := range all {
		if i == 20 {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, value(v))
	}
	return strings.Join(texts, ", ")
}
