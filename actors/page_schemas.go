package actors

import (
	"encoding/json"
	"maps"
	"slices"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Chrome announces a tool without its schema where it can't carry that
// (Chromium 156: one with characters of U+0080 to U+00FF and none beyond).
// So the page's API is asked for the schemas of tools that seem to have none.

// schemasReply tags the answer to such a question.
type schemasReply struct {
	frame *frame
	doc   registry.Gen
}

// schemasFunction gives the schemas that the named tools of a frame have. In
// an isolated world no script of the page can stand between.
const schemasFunction = `async (names) => {
	const mc = document.modelContext;
	if (!mc || !mc.getTools) return [];
	return (await mc.getTools()).filter(t => t.window === window && t.inputSchema && names.includes(t.name))
		.map(({name, inputSchema}) => ({name, inputSchema}));
}`

// bare notes a tool that was announced without a schema.
func (p *pageActor) bare(f *frame, name string) {
	if f.bare == nil {
		f.bare = map[string]bool{}
	}
	f.bare[name] = true
	p.askSchemas(f)
}

// askSchemas asks for all that are wanted, one question of a frame at a time.
func (p *pageActor) askSchemas(f *frame) {
	if f.asking || len(f.bare) == 0 || f.world == nil {
		return
	}
	names := slices.Collect(maps.Keys(f.bare))
	f.bare, f.asking = nil, true
	p.conn.Post(f.session, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": schemasFunction,
		"arguments":           []cdpclient.CallArgument{{Value: names}},
		"uniqueContextId":     f.world.unique,
		"awaitPromise":        true,
		"returnByValue":       true,
		"silent":              true,
	}, schemasReply{f, f.doc})
}

func (p *pageActor) schemas(tag schemasReply, r cdpclient.Reply) {
	f := tag.frame
	if p.frames[f.id] != f || f.doc != tag.doc {
		return
	}
	f.asking = false
	var reply struct {
		Result struct {
			Value []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
	}
	if r.Err == nil {
		_ = json.Unmarshal(r.Result, &reply) // whatever it is instead has no tools
	}
	for _, said := range reply.Result.Value {
		// One that was announced anew meanwhile is asked for again.
		if t := f.native.get(said.Name); t != nil && t.InputSchema == nil && !f.bare[said.Name] {
			whole := *t
			whole.InputSchema = said.InputSchema
			f.native.put(&whole)
			p.changed()
		}
	}
	p.askSchemas(f)
}
