package lint

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Schema is a compiled schema.
type Schema struct {
	compiled *jsonschema.Schema
	// Unread says that a pattern of the schema can't be parsed here. Validate accepts every text for that pattern.
	Unread bool
}

// CompileSchema compiles a schema. If formats is true, the schema rejects values that don't match their format. The
// error is [ErrSchemaTooLarge], or says what is wrong with the schema; it is the same each time.
func CompileSchema(raw json.RawMessage, formats bool) (*Schema, error) {
	if err := measure(raw); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(s.pattern)
	if formats {
		c.AssertFormat()
	}
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	s.compiled, err = c.Compile("schema.json")
	if wrong, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if at, ok := errors.AsType[*jsonschema.ValidationError](wrong.Err); ok {
			where, what := leaf(at)
			return nil, fmt.Errorf("it is no JSON Schema at %q: %s", where, what)
		}
	}
	return s, err
}

// Validate returns an error that says what is wrong with a value, the same each time. If ctx ends, Validate returns
// its cause at once.
func (s *Schema) Validate(ctx context.Context, value json.RawMessage) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- s.compiled.Validate(v) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if at, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		where, what := leaf(at)
		return fmt.Errorf("at %q: %s", where, what)
	}
	return err
}

// leaf returns the first of an error's innermost causes, sorted by place, because the library's order is random.
func leaf(at *jsonschema.ValidationError) (where, what string) {
	place := func(e *jsonschema.ValidationError) string { return "/" + strings.Join(e.InstanceLocation, "/") }
	for len(at.Causes) > 0 {
		at = slices.MinFunc(at.Causes, func(a, b *jsonschema.ValidationError) int {
			return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.SchemaURL, b.SchemaURL),
				cmp.Compare(lastLine(a), lastLine(b)))
		})
	}
	return place(at), lastLine(at)
}

func lastLine(e *jsonschema.ValidationError) string {
	lines := strings.Split(strings.TrimSpace(e.Error()), "\n")
	slices.Sort(lines[1:])
	last := lines[len(lines)-1]
	if _, message, ok := strings.Cut(last, "': "); ok {
		return message
	}
	return last
}

// noLoader refuses to fetch other documents that a schema refers to.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to another document (%s), which agents don't fetch", url)
}
