package offer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"sync/atomic"
	"webmcphub/registry/sanitize"
)

// PageID identifies one browser tab. It is the CDP target id, for example "13F2C0D1A0B14E0A9F5B3C6D7E8F9A0B". It is
// never reused, and is not the number in a tool's name.
type PageID string

// FrameID identifies one frame of a page, as CDP's Page.FrameId. The main frame's id usually equals the page's.
type FrameID string

// TabID is the small number, from 1, that the hub gives a page once and never reuses. A page that comes back under
// its [PageID] gets its own number again.
type TabID int

// Gen counts the documents within one page, from 1. Every message about a document's content carries the Gen of that
// document; messages with an old Gen are dropped.
type Gen uint64

// Runtime says how a page's tool is reached.
type Runtime string

const (
	// Native is the browser's own WebMCP, reached by the CDP WebMCP domain.
	Native Runtime = "native"
	// MCPB is the page's own MCP server behind @mcp-b/global, reached by the bridge.
	MCPB Runtime = "mcpb"
	// Polyfill is an object in the page's own world (@mcp-b/webmcp-polyfill), reached by the hub's adapter.
	Polyfill Runtime = "polyfill"
	// Form is a declarative tool where the browser's own WebMCP is off: a form that the hub's adapter, or the
	// browser's extension, reads and fills.
	Form Runtime = "form"
	// Extension is a tool that the browser's extension found in the page: native, in a server or in a polyfill.
	Extension Runtime = "extension"
	// DOM is a tool that the hub's adapter, or the browser's extension, made from the content of a page that has no
	// tools of its own.
	DOM Runtime = "dom"
)

// Annotations are the hints that a page gives about a tool. nil means that the page didn't say. The first four are
// MCP's (ToolAnnotations). Consequential and Untrusted are WebMCP's, and are mapped to MCP's for clients.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
	Consequential, Untrusted                     *bool
	// Cache is MCP-B's: the tool may outlive its tab, see [CachedTool].
	Cache *bool
}

// PageTool is a tool as the page registered it: untrusted, not yet checked. It is immutable once reported. Tabs
// report the same pointer for the same registration, which lets State skip unchanged tools.
type PageTool struct {
	Frame FrameID
	Doc   Gen // the document of Frame that registered it
	// FrameURL is that document's address when the tool was registered.
	FrameURL string
	// Origin is that document's origin as the browser reports it, such as "https://shop.example" or
	// [names.OpaqueOrigin]. If it isn't known (""), the origin is taken from FrameURL, and never from the parent
	// document.
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
	// Script is the address of the script that registered the tool, as the browser reports it; "" if it isn't known.
	Script string
}

// Same reports whether t repeats o: the same tool of the same document, with the same content.
func (t *PageTool) Same(o *PageTool) bool {
	return t == o || t.Name == o.Name && t.Frame == o.Frame && t.Doc == o.Doc && t.Runtime == o.Runtime &&
		t.FrameURL == o.FrameURL && t.Origin == o.Origin && t.Title == o.Title && t.Description == o.Description &&
		t.Script == o.Script &&
		bytes.Equal(t.InputSchema, o.InputSchema) && bytes.Equal(t.OutputSchema, o.OutputSchema) &&
		bytes.Equal(t.Meta, o.Meta) && t.Annotations.same(o.Annotations)
}

// Repeats reports whether t says the same as o, perhaps in a later document of the same origin.
func (t *PageTool) Repeats(o *PageTool) bool {
	n := *t
	n.Frame, n.Doc, n.FrameURL = o.Frame, o.Doc, o.FrameURL
	return n.Same(o)
}

// Or returns a with those hints of b that a lacks.
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

// DocumentRef identifies a document: that of one frame of a page. A page's own MCP server is known by its document.
type DocumentRef struct {
	Page  PageID
	Frame FrameID
	Doc   Gen
}

// Route says where a call of a hub tool goes.
type Route struct {
	Page    PageID
	Frame   FrameID
	Doc     Gen
	Runtime Runtime
	Tool    string // the name under which the page registered the tool
}

// Document returns the document that has the tool.
func (r Route) Document() DocumentRef { return DocumentRef{r.Page, r.Frame, r.Doc} }

// HubTool is a page tool as published. It is immutable.
type HubTool struct {
	// Name is the final MCP tool name: [A-Za-z0-9_-], unique in its catalog.
	Name string
	// Description is the final description, with its provenance prefix.
	Description string
	// InputSchema is the sanitized schema: an object with type "object".
	InputSchema json.RawMessage
	// ArgumentSchema is the page's own schema, by which arguments are validated; it can be stricter than InputSchema.
	// Nil accepts any object.
	ArgumentSchema json.RawMessage
	// Encoded is the whole MCP Tool object, as a tools/list result has it.
	Encoded json.RawMessage
	// Meta is the _meta of the tool's results, which says where they come from. The tool's own _meta also has what
	// the page said.
	Meta json.RawMessage
	// Structured says that an output schema is published.
	Structured bool
	Route      Route

	// SiteTool is what the hub tool stands for if it belongs to a site instead of a page; else nil.
	SiteTool *SiteTool

	whose
	called
	registered

	bare *atomic.Pointer[HubTool] // see Bare; nil in the results of Bare, and in tools of sites
	cost *atomic.Int64            // see Cost; nil if the tool is not encoded
}

// called has what a tool's name and label were made of.
type called struct {
	domain string
	plain  string // the name if no other tool had taken that
	active bool   // of its page, with MCP-B's names
	label  string // of a site's tool, in its description
}

// registered has what a page registered for a tool, and what the Maker made of it.
type registered struct {
	source *PageTool
	clean  *sanitize.Tool
	hints  hints
	keys   sanitize.MetaKeys
	mark   string // see PinCheck.Mark
}

// Refusal is one page tool that could not be published.
type Refusal struct {
	Tool string // the page's name for the tool, cut to 128 bytes, or AllTools or AllFrameTools
	Why  string
}

// These stand in a [Refusal] in place of one tool.
const (
	AllTools      = "(all)"
	AllFrameTools = "(all of a frame)"
)

// Naming says how tools are named.
type Naming string

const (
	// WebMCPNames are webmcp_{domain}_page{idx}_{tool}.
	WebMCPNames Naming = ""
	// MCPBNames are website_tool_{domain}_tab{id}_{tool}, with the tab's [TabID], and website_tool_{domain}_{tool}
	// for whichever tab has the tool, see [SiteTool].
	MCPBNames Naming = "mcpb"
)
