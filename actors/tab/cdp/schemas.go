package cdp

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/registry"
)

// Chrome announces a tool without its schema if it can't transport the schema. (Chromium 156: a schema with
// characters from U+0080 to U+00FF and none beyond.) So the hub asks the page's API for the schemas of tools that
// seem to have none.

const (
	// schemasPause is how long the link leaves a document alone after an answer without a schema, and
	// schemasLongestPause after many of those in a row. Most tools without a schema just take no arguments, and some
	// come and go all the time.
	schemasPause        = 20 * time.Millisecond
	schemasLongestPause = time.Second
)

// lostSchemas has the tools whose schemas the link is to ask a document for.
type lostSchemas struct {
	tools     map[string]bool // tools that were announced without a schema
	coalescer tab.Coalescer   // under way from a question to the end of the pause after it
	pause     time.Duration   // the length of the last pause
}

// schemasReply tags the reply to such a question. schemasDue ends the pause after one.
type (
	schemasReply struct {
		frame *frame
		doc   registry.Gen
	}
	schemasDue struct{ schemasReply }
)

// schemaless records a tool that was announced without a schema.
func (p *Link) schemaless(f *frame, name string) {
	if f.lost.tools == nil {
		f.lost.tools = map[string]bool{}
	}
	f.lost.tools[name] = true
	p.askSchemas(f)
}

// askSchemas asks for the schemas of all such tools that still exist. Only one question per frame is under way at a
// time.
func (p *Link) askSchemas(f *frame) {
	if len(f.lost.tools) == 0 || f.world == nil || !f.lost.coalescer.Want() {
		return
	}
	names := slices.Sorted(maps.Keys(f.lost.tools))
	f.lost.tools = nil
	names = slices.DeleteFunc(names, func(name string) bool { return !f.hasSchemaless(name) })
	if len(names) == 0 {
		f.lost.coalescer.Reset()
		return
	}
	p.askDocument(f, bridge.ReadSchemas, schemasReply{f, f.doc}, names)
}

func (f *frame) hasSchemaless(name string) bool {
	t := f.native.get(name)
	return t != nil && t.InputSchema == nil
}

func (p *Link) schemas(tag schemasReply, r cdpclient.Reply) {
	f := tag.frame
	if p.frames[f.id] != f || f.doc != tag.doc {
		return
	}
	var reply struct {
		Result struct {
			Value []struct {
				Name        string
				Title       string
				InputSchema json.RawMessage
			}
		}
	}
	if r.Err == nil {
		_ = json.Unmarshal(r.Result, &reply) // a reply that can't be decoded has no tools
	}
	mended := false
	for _, tool := range reply.Result.Value {
		// A tool that was announced again meanwhile is asked about again.
		if f.hasSchemaless(tool.Name) && !f.lost.tools[tool.Name] {
			whole := *f.native.get(tool.Name)
			whole.Title, whole.InputSchema = tool.Title, tool.InputSchema
			f.native.put(&whole)
			mended = true
		}
	}
	if mended {
		p.ReportTools()
		f.lost.pause = 0
		p.schemasDue(tag)
		return
	}
	f.lost.pause = min(max(4*f.lost.pause, schemasPause), schemasLongestPause)
	p.After(f.lost.pause, schemasDue{tag})
}

func (p *Link) schemasDue(of schemasReply) {
	if p.frames[of.frame.id] == of.frame && of.frame.doc == of.doc {
		of.frame.lost.coalescer.Reset()
		p.askSchemas(of.frame)
	}
}
