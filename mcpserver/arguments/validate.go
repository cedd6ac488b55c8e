package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"webmcphub/registry/sanitize"
)

// Bounds of the cache of compiled schemas. There are two generations of this size; the older one is dropped when the
// younger one is full.
const (
	cachedSchemas     = 1024
	cachedSchemaBytes = 4 << 20 // of schema text
)

// Checker checks arguments against schemas of pages, which may be wrong or hostile. It caches compiled schemas by
// their text. Any goroutine may use it.
type Checker struct {
	log *slog.Logger

	mu         sync.Mutex
	young, old map[string]*compiled
	bytes      int // of text in young
}

// compiled is a compiled schema. If its schema is nil, it accepts everything.
type compiled struct {
	schema *jsonschema.Schema
	// depth is the deepest nesting of arguments that is checked, because a schema may be made so that checking takes
	// forever.
	depth int
	// part reports that a part of the schema isn't checked: regular expressions that Go doesn't support.
	part bool
}

// New returns a Checker with an empty cache.
func New(log *slog.Logger) *Checker {
	return &Checker{log: log, young: map[string]*compiled{}}
}

// Check says in plain words what is wrong with args, which must be a JSON object, or returns "". A schema that can't
// be compiled, or that would take too long, accepts everything: the page checks its arguments itself.
func (c *Checker) Check(schema, args json.RawMessage) (wrong string) {
	found, wrong, _ := c.complaints(schema, args)
	if len(found) > 0 {
		return explain(found)
	}
	return wrong
}

// Satisfies reports whether a value certainly satisfies a schema. It returns false if the schema can't be checked
// completely.
func (c *Checker) Satisfies(schema, value json.RawMessage) bool {
	found, wrong, checked := c.complaints(schema, value)
	return checked && len(found) == 0 && wrong == ""
}

// Faults lists how a result's structuredContent fails its tool's outputSchema, each fault with its JSON pointer. The
// pointer is quoted because it contains names that the page chose. Faults returns "" if nothing is wrong, or if the
// schema can't be checked.
func (c *Checker) Faults(schema, structured json.RawMessage) string {
	found, _, _ := c.complaints(schema, structured)
	if len(found) == 0 {
		return ""
	}
	for i := range found {
		path := found[i].path
		if found[i].path = "structuredContent"; path != "" {
			found[i].path = value(path)
		}
		if found[i].text == noSuchArgument {
			found[i].text = "is not in the schema"
		}
	}
	return strings.TrimSpace(list(found))
}

// CheckForPage does what Check does, for arguments that a page will check itself. If all faults are as likely the
// schema's, see [complaint].doubtful, wrong is "", and doubts lists the faults, each with its JSON pointer.
func (c *Checker) CheckForPage(schema, args json.RawMessage) (wrong, doubts string) {
	found, wrong, _ := c.complaints(schema, args)
	switch {
	case len(found) == 0:
		return wrong, ""
	case allDoubtful(found):
		return "", list(found)
	}
	return explain(found), ""
}

// complaints returns the faults of args, or says in wrong that they can't be read. checked reports whether everything
// was checked.
func (c *Checker) complaints(schema, args json.RawMessage) (found []complaint, wrong string, checked bool) {
	if len(schema) == 0 {
		return nil, "", true
	}
	k := c.get(schema)
	if k.schema == nil {
		return nil, "", false
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return nil, "The arguments are not valid JSON.", true
	}
	if nesting(v) > k.depth {
		c.log.Debug("arguments not checked: the schema is too costly for their depth")
		return nil, "", false
	}
	if failed, ok := errors.AsType[*jsonschema.ValidationError](k.schema.Validate(v)); ok {
		found = complaints(failed)
	}
	return found, "", !k.part
}

func (c *Checker) get(text json.RawMessage) *compiled {
	c.mu.Lock()
	k := c.young[string(text)]
	if k == nil {
		if k = c.old[string(text)]; k != nil {
			c.keep(string(text), k)
		}
	}
	c.mu.Unlock()
	if k != nil {
		return k
	}
	k, err := compileSchema(text)
	if err != nil {
		c.log.Debug("schema validates nothing", "err", sanitize.Text(err.Error(), 500))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(string(text), k)
	return k
}

func (c *Checker) keep(text string, k *compiled) {
	if len(c.young) >= cachedSchemas || c.bytes+len(text) > cachedSchemaBytes {
		c.young, c.old, c.bytes = map[string]*compiled{}, c.young, 0
	}
	c.young[text] = k
	c.bytes += len(text)
}

// compileSchema compiles a page's schema. If the only problem is that Go doesn't support its regular expressions
// (JavaScript has look-ahead), it compiles the schema without those.
func compileSchema(text json.RawMessage) (k *compiled, err error) {
	k = &compiled{}
	defer func() {
		if p := recover(); p != nil {
			k, err = &compiled{}, errors.New("the schema compiler panicked")
		}
	}()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return k, err
	}
	schema, err := compileWith(doc, nil)
	if err != nil && !bytes.Contains(text, []byte(`"patternProperties"`)) {
		schema, err = compileWith(doc, lenientRegexp)
		k.part = true
	}
	if err != nil {
		return k, err
	}
	if k.depth = affordableDepth(schema); k.depth < 1 {
		return k, errors.New("the schema is too costly to check")
	}
	k.schema = schema
	return k, nil
}

func compileWith(doc any, engine jsonschema.RegexpEngine) (*jsonschema.Schema, error) {
	const here = "urn:webmcp:arguments"
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(engine)
	if err := c.AddResource(here, doc); err != nil {
		return nil, err
	}
	return c.Compile(here)
}

// noLoader refuses every $ref out of the schema: a page must not make the hub read files or use the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

func lenientRegexp(text string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(text); err == nil {
		return re, nil
	}
	return anything(text), nil
}

// anything stands for a regular expression that Go doesn't support. It matches everything.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

// nesting returns how deeply objects and arrays are nested in v.
func nesting(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			deepest = max(deepest, nesting(e))
		}
	case []any:
		for _, e := range v {
			deepest = max(deepest, nesting(e))
		}
	default:
		return 0
	}
	return deepest + 1
}

// Object returns the arguments, or {} if there are none. wrong says what is wrong with arguments that are no object.
func Object(args json.RawMessage) (object json.RawMessage, wrong string) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}"), ""
	}
	if args[0] != '{' {
		return nil, "The arguments must be a JSON object, not " + jsonType(args) + "."
	}
	if sanitize.WildNumber(args) {
		return nil, "The arguments have a number that is out of range."
	}
	return args, ""
}

func jsonType(raw json.RawMessage) string {
	switch raw[0] {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}
