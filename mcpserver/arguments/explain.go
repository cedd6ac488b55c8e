package arguments

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

// maxComplaints is how many faults one text names.
const maxComplaints = 8

// complaint is one fault of the arguments.
type complaint struct {
	path string // JSON pointer
	text string
	want []string // for a wrong type, the types that would be right
	got  string
	// doubtful reports that the schema may be wrong about this fault: pages often get "pattern" and "format" wrong
	// (^[1-12]$, meant for 1 to 12), because no browser enforces them.
	doubtful bool
}

func allDoubtful(found []complaint) bool {
	return !slices.ContainsFunc(found, func(c complaint) bool { return !c.doubtful })
}

// explain says what is wrong with arguments, each fault with its JSON pointer.
func explain(found []complaint) string {
	return "The arguments don't match the tool's schema:" + list(found)
}

// noSuchArgument is the text for a property that the schema doesn't permit.
const noSuchArgument = "the tool knows no such argument"

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
		path := cmp.Or(c.path, "the arguments object")
		b.WriteString(" " + sanitize.Text(path, 200) + ": " + sanitize.Text(c.text, 400))
	}
	if len(found) <= maxComplaints {
		b.WriteByte('.')
	}
	return b.String()
}

func complaints(e *jsonschema.ValidationError) []complaint {
	path := pointer(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		c := complaint{path: path, want: k.Want, got: k.Got}
		c.text = c.wrongType()
		return []complaint{c}
	case *kind.Required:
		return ofEach(path, k.Missing, "is required but missing")
	case *kind.AdditionalProperties:
		return ofEach(path, k.Properties, noSuchArgument)
	case *kind.RefCycle:
		return nil // the schema's fault
	case *kind.AnyOf:
		return nearest(path, e.Causes)
	case *kind.OneOf:
		if len(e.Causes) > 0 {
			return nearest(path, e.Causes)
		}
	case *kind.Pattern:
		return []complaint{{path: path, text: fmt.Sprintf("%s does not match the pattern %s", value(k.Got),
			value(k.Want)), doubtful: true}}
	case *kind.Format:
		return []complaint{{path: path, text: fmt.Sprintf("%s is no valid %s", value(k.Got), k.Want), doubtful: true}}
	}
	text := cmp.Or(ofValue(e.ErrorKind), ofMeasure(e.ErrorKind))
	if text == "" && len(e.Causes) == 0 {
		text = "does not satisfy " + strings.Join(e.ErrorKind.KeywordPath(), "/")
	}
	if text != "" {
		return []complaint{{path: path, text: text}}
	}
	var all []complaint
	for _, cause := range e.Causes {
		all = append(all, complaints(cause)...)
	}
	return all
}

// ofEach returns a complaint about each of several members of an object.
func ofEach(path string, members []string, text string) (all []complaint) {
	for _, m := range members {
		all = append(all, complaint{path: path + pointer([]string{m}), text: text})
	}
	return all
}

// ofValue says which values would be right. It returns "" for all other faults.
func ofValue(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Enum:
		return fmt.Sprintf("expected one of %s, got %s", sanitize.List(k.Want, 20, value), value(k.Got))
	case *kind.Const:
		return fmt.Sprintf("expected %s, got %s", value(k.Want), value(k.Got))
	case *kind.FalseSchema:
		return "is not allowed here"
	case *kind.Not:
		return "has a value that is not allowed"
	case *kind.OneOf:
		return "matches more than one alternative of which exactly one must match"
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal, but no two may be", k.Duplicates[0], k.Duplicates[1])
	case *kind.DependentRequired:
		return fmt.Sprintf("with %s, %s must be given too", value(k.Prop),
			sanitize.List(k.Missing, 20, func(m string) string { return value(m) }))
	case *kind.Dependency:
		return fmt.Sprintf("with %s, %s must be given too", value(k.Prop),
			sanitize.List(k.Missing, 20, func(m string) string { return value(m) }))
	case *kind.PropertyNames:
		return value(k.Property) + " is not allowed as a member's name"
	}
	return ""
}

// ofMeasure says how large, long or many something must be, or returns "".
func ofMeasure(k jsonschema.ErrorKind) string {
	number := func(must string, want, got *big.Rat) string {
		return fmt.Sprintf("expected %s %s, got %s", must, rational(want), rational(got))
	}
	count := func(must, what string, want, got int) string {
		return fmt.Sprintf("expected %s %d %s, got %d", must, want, what, got)
	}
	switch k := k.(type) {
	case *kind.Minimum:
		return number("at least", k.Want, k.Got)
	case *kind.Maximum:
		return number("at most", k.Want, k.Got)
	case *kind.ExclusiveMinimum:
		return number("more than", k.Want, k.Got)
	case *kind.ExclusiveMaximum:
		return number("less than", k.Want, k.Got)
	case *kind.MultipleOf:
		return number("a multiple of", k.Want, k.Got)
	case *kind.MinLength:
		return count("at least", "characters", k.Want, k.Got)
	case *kind.MaxLength:
		return count("at most", "characters", k.Want, k.Got)
	case *kind.MinItems:
		return count("at least", "items", k.Want, k.Got)
	case *kind.MaxItems:
		return count("at most", "items", k.Want, k.Got)
	case *kind.MinProperties:
		return count("at least", "members", k.Want, k.Got)
	case *kind.MaxProperties:
		return count("at most", "members", k.Want, k.Got)
	}
	return ""
}

// nearest returns the faults of one of several alternatives that all failed. It prefers one whose faults are all
// doubtful, then the one with the fewest faults. If the alternatives differ only in type, it combines their types.
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
	return sanitize.Text(string(raw), 100)
}

// rational writes a number as JSON does.
func rational(r *big.Rat) string {
	f, _ := r.Float64()
	return value(f)
}
