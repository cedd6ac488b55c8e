package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// These limit the size of a schema that is inspected. Schemas of tools for agents have some tens of parts, and one or
// two kilobytes.
const (
	MaxBytes = 64 << 10
	MaxParts = 2_000   // objects within it
	maxPaths = 1 << 19 // total bytes of all parts' paths, because the compiler keeps each whole path
	maxWays  = 10_000  // how many parts one value may be checked against, including those that references lead to
)

// ErrSchemaTooLarge means that a schema is too large to inspect. Its text says in which respect.
var ErrSchemaTooLarge = errors.New("the schema is too large to be looked into")

// measure returns an error if a schema is too large.
func measure(raw json.RawMessage) error {
	if len(raw) > MaxBytes {
		return fmt.Errorf("%w: it has %d bytes; %d is the limit", ErrSchemaTooLarge, len(raw), MaxBytes)
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return err
	}
	m := &meter{root: doc, known: map[string]int{}}
	m.count(doc, 0)
	switch {
	case m.parts > MaxParts:
		return fmt.Errorf("%w: it has more than %d parts", ErrSchemaTooLarge, MaxParts)
	case m.paths > maxPaths:
		return fmt.Errorf("%w: the names around its parts are too long", ErrSchemaTooLarge)
	}
	if m.ways(doc); m.most >= maxWays {
		return fmt.Errorf("%w: its references lead to more than %d parts for one value", ErrSchemaTooLarge, maxWays)
	}
	return nil
}

// A meter measures one schema.
type meter struct {
	root         any
	parts, paths int
	known        map[string]int // by reference, the ways of the part that it leads to
	most         int
}

// count adds v and the parts within it to parts, and the lengths of their paths to paths. path is the length of v's
// own.
func (m *meter) count(v any, path int) {
	switch v := v.(type) {
	case map[string]any:
		m.parts++
		m.paths += path
		for name, one := range v {
			m.count(one, path+len(name)+1)
		}
	case []any:
		for _, one := range v {
			m.count(one, path+5)
		}
	}
}

// inPlace are the keywords whose schemas apply to the same value as the schema around them.
var inPlace = map[string]bool{"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true,
	"else": true, "dependentSchemas": true}

// ways returns how many parts one value of schema v is checked against, at most maxWays. It also records the highest
// such number within v.
func (m *meter) ways(v any) int {
	is, _ := v.(map[string]any)
	n := 1
	for key, value := range is {
		if !inPlace[key] {
			m.within(value)
			continue
		}
		switch value := value.(type) {
		case []any:
			for _, one := range value {
				n += m.ways(one)
			}
		case map[string]any:
			if key != "dependentSchemas" {
				n += m.ways(value)
				continue
			}
			for _, one := range value {
				n += m.ways(one)
			}
		}
	}
	if ref, ok := is["$ref"].(string); ok {
		n += m.follow(ref)
	}
	n = min(n, maxWays)
	m.most = max(m.most, n)
	return n
}

// within calls ways for the schemas in a keyword's value that apply to other values.
func (m *meter) within(v any) {
	switch v := v.(type) {
	case map[string]any:
		m.ways(v)
	case []any:
		for _, one := range v {
			m.within(one)
		}
	}
}

// follow returns the ways of the part that a reference leads to; 0 if there is no such part, or the reference is
// circular.
func (m *meter) follow(ref string) int {
	if n, ok := m.known[ref]; ok {
		return n
	}
	m.known[ref] = 0
	if to, ok := FindReference(m.root, ref); ok {
		m.known[ref] = m.ways(to)
	}
	return m.known[ref]
}

// FindReference returns the part of a document that a reference such as "#/$defs/a" leads to.
func FindReference(root any, ref string) (at any, ok bool) {
	path, local := strings.CutPrefix(ref, "#/")
	if !local {
		return root, ref == "#"
	}
	at = root
	for part := range strings.SplitSeq(path, "/") {
		object, _ := at.(map[string]any)
		if at, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return nil, false
		}
	}
	return at, true
}
