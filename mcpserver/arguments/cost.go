package arguments

import (
	"math"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxCost is how many subschemas may be tried on one path through the arguments. A real schema tries a few dozen.
	maxCost = 100_000
	// maxDepth is how deeply arguments may be nested if the schema's cost grows slowly.
	maxDepth = 64
)

// affordableDepth returns the deepest nesting of arguments that can be checked cheaply. It is unlimited for a schema
// whose cost doesn't grow with the depth. Without this limit, a few hundred bytes of schema in which each definition
// refers twice to the next could keep a processor busy for years.
func affordableDepth(s *jsonschema.Schema) int {
	c := costs{known: map[costKey]float64{}}
	before := c.of(s, 0)
	for depth := range maxDepth {
		cost := c.of(s, depth+1)
		switch {
		case cost > maxCost || len(c.known) > 10*maxCost:
			return depth
		case cost == before:
			return math.MaxInt // nothing in the schema goes deeper
		}
		before = cost
	}
	return maxDepth
}

type costKey struct {
	schema *jsonschema.Schema
	depth  int
}

// costs counts the subschemas that are tried for a value with a given nesting.
type costs struct{ known map[costKey]float64 }

func (c costs) of(s *jsonschema.Schema, depth int) float64 {
	if s == nil {
		return 0
	}
	key := costKey{s, depth}
	if cost, ok := c.known[key]; ok {
		return cost
	}
	c.known[key] = 1 // the validator detects cycles on the same value
	cost := 1.0
	for _, sub := range inPlace(s) {
		cost += c.of(sub, depth)
	}
	if depth > 0 {
		for _, sub := range inside(s) {
			cost += c.of(sub, depth-1)
		}
	}
	c.known[key] = cost
	return cost
}

// inPlace returns the subschemas that are tried on the same value.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	subs := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		subs = append(subs, s.DynamicRef.Ref)
	}
	subs = append(subs, s.AllOf...)
	subs = append(subs, s.AnyOf...)
	subs = append(subs, s.OneOf...)
	for _, d := range s.DependentSchemas {
		subs = append(subs, d)
	}
	return appendAny(subs, s.Dependencies)
}

// inside returns the subschemas that are tried on a value's members or items.
func inside(s *jsonschema.Schema) []*jsonschema.Schema {
	subs := []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems,
		s.ContentSchema}
	for _, p := range s.Properties {
		subs = append(subs, p)
	}
	for _, p := range s.PatternProperties {
		subs = append(subs, p)
	}
	subs = append(subs, s.PrefixItems...)
	for _, v := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch v := v.(type) {
		case *jsonschema.Schema:
			subs = append(subs, v)
		case []*jsonschema.Schema:
			subs = append(subs, v...)
		}
	}
	return subs
}

func appendAny(subs []*jsonschema.Schema, more map[string]any) []*jsonschema.Schema {
	for _, v := range more {
		if sub, ok := v.(*jsonschema.Schema); ok {
			subs = append(subs, sub)
		}
	}
	return subs
}
