package registry

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
)

// MaxToolName is the longest name in bytes under which a page may register a
// tool; WebMCP itself allows 128.
const MaxToolName = 256

// laundered is what every publication of a tool with these schemas and this
// _meta shares. It is immutable.
type laundered struct {
	input     json.RawMessage
	output    json.RawMessage
	meta      json.RawMessage // the page's own, see launderMeta
	words     pageWords
	arguments json.RawMessage // the schema by which arguments are checked
	why       string          // not empty: the tool is refused
}

var (
	unnamed   = &laundered{why: "it has no name"}
	overnamed = &laundered{why: fmt.Sprintf("its name is longer than %d bytes", MaxToolName)}
)

// launder gives what comes of a tool's schemas and _meta, or why it is refused.
func (l *laundry) launder(t *PageTool, k metaKeys) *laundered {
	switch {
	case t.Name == "":
		return unnamed
	case len(t.Name) > MaxToolName:
		return overnamed
	}
	return l.do(t, k)
}

func launderSchemas(t *PageTool, k metaKeys) (l *laundered) {
	defer func() { // a tool that finds a fault of ours is refused by itself
		if r := recover(); r != nil {
			l = &laundered{why: "the hub failed at checking it (please report this): " + CleanText(fmt.Sprint(r), 200)}
		}
	}()
	input, words, err := launderInput(t.InputSchema)
	if err != nil {
		return &laundered{why: err.Error()}
	}
	arguments := t.InputSchema
	if WildNumber(arguments) { // which takes long to compare with: the page checks for itself
		arguments = nil
	}
	return &laundered{arguments: arguments, input: input, output: launderOutput(t.OutputSchema), meta: launderMeta(t.Meta, MaxMeta, k.pass), words: words}
}

// launderOutput passes on an output schema that clients accept and drops any
// other: a result without its schema is better than no tool.
func launderOutput(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || len(raw) > MaxSchema || nestedDeeper(raw, MaxSchemaDepth) || !isObject(raw) {
		return nil
	}
	var root map[string]json.RawMessage
	if json.Unmarshal(raw, &root) != nil || string(root["type"]) != `"object"` {
		return nil
	}
	v, err := decodeAny(raw)
	if err != nil {
		return nil
	}
	scrubs := mayNeedScrub(raw)
	if scrubs {
		v = new(scrubber).of(v, aSubschema)
	}
	switch m, err := mendSchema(v.(map[string]any)); {
	case err != nil:
		return nil
	case m.changed || scrubs:
		return mustEncode(v)
	}
	return compact(raw)
}

// newHubTool publishes t under name.
func newHubTool(t *PageTool, l *laundered, p *page, name, plain string) *HubTool {
	h := &HubTool{
		Name:           name,
		Description:    p.labels.prefix(t, p) + describe(t.Description),
		InputSchema:    l.input,
		ArgumentSchema: l.arguments,
		Meta:           p.labels.provenance(t, p),
		Structured:     l.output != nil,
		Route:          Route{p.id, t.Frame, t.Doc, t.Runtime, t.Name},
		domain:         p.domain,
		host:           p.host,
		origin:         p.origin,
		from:           p.originOf(t),
		foreign:        p.foreign(t),
		index:          p.index,
		active:         p.active,
		plain:          plain,
		source:         t,
		bare:           new(atomic.Pointer[HubTool]),
		laundered:      l,
		hints:          p.hintsOf(t),
		keys:           p.keysOf(t),
	}
	h.encode()
	return h
}

// encode makes MCP's Tool object.
func (t *HubTool) encode() {
	t.Encoded = encodeTool(t.Name, CleanText(t.source.Title, 256), t.Description, t.InputSchema, t.laundered.output, t.Annotations(), t.shownMeta())
}
