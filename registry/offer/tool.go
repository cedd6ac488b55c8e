package offer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"sync/atomic"
	"webmcphub/registry/sanitize"
)

// PageID names one browser tab. It is the CDP target id, for example
// "13F2C0D1A0B14E0A9F5B3C6D7E8F9A0B". It is never reused and never shown as
// the number in a tool's name.
type PageID string

// FrameID names one frame of a page, as CDP's Page.FrameId. The main frame's
// id usually equals the page's.
type FrameID string

// TabID is the small number that the hub gives a page once and never reuses,
// from 1. A page that comes back under its [PageID] has its own again.
type TabID int

// Gen counts documents within one page, from 1. Every message about a
// document's content carries the Gen it was learned in; one with an old Gen
// is dropped.
type Gen uint64

// Runtime says how a page's tool is reached.
type Runtime string

const (
	// Native is the browser's own WebMCP, reached by the CDP WebMCP domain.
	Native Runtime = "native"
	// MCPB is the page's own MCP server behind @mcp-b/global, reached by the bridge.
	MCPB Runtime = "mcpb"
	// Polyfill is an object of the page's own world (@mcp-b/webmcp-polyfill), reached by the hub's adapter.
	Polyfill Runtime = "polyfill"
	// Form is a declarative tool where the browser's own WebMCP is off: a form, which the hub's adapter, or the browser's extension, reads and fills.
	Form Runtime = "form"
	// Extension is what the browser's extension found in the page, natively, in a server or in a polyfill.
	Extension Runtime = "extension"
	// DOM is a tool that the hub's adapter, or the browser's extension, made from what is in a page that has no tools of its own.
	DOM Runtime = "dom"
)

// Annotations are the hints a page gives about a tool. Nil means "not said".
// The first four are MCP's (ToolAnnotations); Consequential and Untrusted are
// WebMCP's and are mapped onto them where clients are told of the tool.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
	Consequential, Untrusted                     *bool
	// Cache is MCP-B's: the tool may outlive its tab, see sites.CachedTool.
	Cache *bool
}

// PageTool is a tool as the page registered it: untrusted, not yet checked.
// It is immutable once reported; tabs report the same pointer for the
// same registration, which lets the core skip unchanged tools.
type PageTool struct {
	Frame FrameID
	Doc   Gen // the document of Frame that registered it
	// FrameURL is that document's address when the tool was registered.
	FrameURL string
	// Origin is what the browser says that document's origin is, such as
	// "https://shop.example" or [names.OpaqueOrigin]; "" if it isn't known: then it is
	// taken from FrameURL, and never from the document around it.
	Origin  string
	Runtime Runtime
	Name    string
	Title   string
	// Description may be empty.
	Description string
	// InputSchema is the schema's JSON text, or nil if the page gave none.
	InputSchema json.RawMessage
	// OutputSchema is the schema's JSON text, or nil.
	OutputSchema json.RawMessage
	Annotations  Annotations
	// Meta is the tool's own _meta, JSON text, or nil.
	Meta json.RawMessage
	// Script is the address of the script that registered the tool, as the browser says;
	// "" if it isn't known.
	Script string
}

// Same says whether t repeats o: the same tool of the same document, with the
// same content.
func (t *PageTool) Same(o *PageTool) bool {
	return t == o || t.Name == o.Name && t.Frame == o.Frame && t.Doc == o.Doc && t.Runtime == o.Runtime &&
		t.FrameURL == o.FrameURL && t.Origin == o.Origin && t.Title == o.Title && t.Description == o.Description &&
		t.Script == o.Script &&
		bytes.Equal(t.InputSchema, o.InputSchema) && bytes.Equal(t.OutputSchema, o.OutputSchema) &&
		bytes.Equal(t.Meta, o.Meta) && t.Annotations.same(o.Annotations)
}

// Repeats says whether t says the same as o, perhaps in a later document of the same
// origin.
func (t *PageTool) Repeats(o *PageTool) bool {
	n := *t
	n.Frame, n.Doc, n.FrameURL = o.Frame, o.Doc, o.FrameURL
	return n.Same(o)
}

// Or is a with those hints of b that a lacks.
func (a Annotations) Or(b Annotations) Annotations {
	return Annotations{
		ReadOnly:      cmp.Or(a.ReadOnly, b.ReadOnly),
		Destructive:   cmp.Or(a.Destructive, b.Destructive),
		Idempotent:    cmp.Or(a.Idempotent, b.Idempotent),
		OpenWorld:     cmp.Or(a.OpenWorld, b.OpenWorld),
		Consequential: cmp.Or(a.Consequential, b.Consequential),
		Untrusted:     cmp.Or(a.Untrusted, b.Untrusted),
		Cache:         cmp.Or(a.Cache, b.Cache),
	}
}

func (a Annotations) same(b Annotations) bool {
	hint := func(x, y *bool) bool { return x == y || x != nil && y != nil && *x == *y }
	return hint(a.ReadOnly, b.ReadOnly) && hint(a.Destructive, b.Destructive) && hint(a.Idempotent, b.Idempotent) &&
		hint(a.OpenWorld, b.OpenWorld) && hint(a.Cache, b.Cache) && hint(a.Consequential, b.Consequential) &&
		hint(a.Untrusted, b.Untrusted)
}

// ServerRef is a page's own MCP server: that of one document in one frame.
type ServerRef struct {
	Page  PageID
	Frame FrameID
	Doc   Gen
}

// Route is where a call of a hub tool goes.
type Route struct {
	Page    PageID
	Frame   FrameID
	Doc     Gen
	Runtime Runtime
	Tool    string // the name under which the page registered it
}

// Document is the document that has the tool.
func (r Route) Document() ServerRef { return ServerRef{r.Page, r.Frame, r.Doc} }

// HubTool is a page tool as published. It is immutable.
type HubTool struct {
	// Name is the final MCP tool name: [A-Za-z0-9_-], unique in its catalog.
	Name string
	// Description is the final description, with its provenance prefix.
	Description string
	// InputSchema is the sanitized schema: an object with type "object".
	InputSchema json.RawMessage
	// ArgumentSchema is the page's own schema, by which arguments are
	// validated; it can be stricter than InputSchema. Nil accepts any object.
	ArgumentSchema json.RawMessage
	// Encoded is the whole MCP Tool object as it stands in a tools/list result.
	Encoded json.RawMessage
	// Meta is what _meta says of the tool and of its results: where they come
	// from. The tool's has what the page said of it, besides.
	Meta json.RawMessage
	// Structured says that an output schema is published.
	Structured bool
	Route      Route

	// Routed is what the hub tool stands for if it is no one page's; nil otherwise.
	Routed *Routed

	whose
	called
	registered

	bare *atomic.Pointer[HubTool] // see Bare; nil of what that gives, and of routed tools
	cost *atomic.Int64            // see Cost; nil of what is not encoded
}

// called is what a tool's name and label were made of.
type called struct {
	domain string
	plain  string // its name, had nobody taken that
	active bool   // of its page, with MCP-B's names
	label  string // of a routed tool, in its description
}

// registered is what a tool's page registered, and what became of that.
type registered struct {
	source *PageTool
	clean  *sanitize.Tool
	hints  hints
	keys   sanitize.MetaKeys
	mark   string // see Verdict
}

// Refusal is one page tool that could not be published.
type Refusal struct {
	Tool string // the page's name for it, cut to 128 bytes, or one of the below
	Why  string
}

// What a [Refusal] names in place of one tool: all of a page, or of a frame.
const (
	AllTools      = "(all)"
	AllFrameTools = "(all of a frame)"
)

// Naming says what tools are called.
type Naming string

const (
	// WebMCPNames are webmcp_{domain}_page{idx}_{tool}.
	WebMCPNames Naming = ""
	// MCPBNames are website_tool_{domain}_tab{id}_{tool}, with the tab's [TabID],
	// and website_tool_{domain}_{tool} for whichever tab has the tool, see [Routed].
	MCPBNames Naming = "mcpb"
)
