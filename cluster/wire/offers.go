package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"webmcphub/registry/offer"
)

// Tool is [offer.PageTool] as it is sent.
type Tool struct {
	Frame       offer.FrameID     `json:"frame,omitempty"`
	Doc         offer.Gen         `json:"doc,omitempty"`
	FrameURL    string            `json:"frameUrl,omitempty"`
	Origin      string            `json:"origin,omitempty"`
	Runtime     offer.Runtime     `json:"runtime,omitempty"`
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Input       json.RawMessage   `json:"input,omitempty"`
	Output      json.RawMessage   `json:"output,omitempty"`
	Hints       offer.Annotations `json:"hints"`
	Meta        json.RawMessage   `json:"meta,omitempty"`
	Script      string            `json:"script,omitempty"`
	// Number is the node's for this definition on this page, by which an [Edit] means it. No other one gets it
	// while the node runs. It is 0 from nodes of builds that don't edit.
	Number uint64 `json:"n,omitempty"`
}

// ToolOf is a page's tool as it is sent, but for its number. A part that isn't valid JSON is left out; browsers give
// none such.
func ToolOf(t *offer.PageTool) Tool {
	return Tool{t.Frame, t.Doc, text(t.FrameURL), t.Origin, t.Runtime, text(t.Name), text(t.Title), text(t.Description),
		valid(t.InputSchema), valid(t.OutputSchema), t.Annotations, valid(t.Meta), text(t.Script), 0}
}

// text makes a text valid UTF-8, as JSON would, so that it arrives as it is here.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func valid(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return nil
	}
	return raw
}

// PageTool is the tool as its page registered it.
func (t Tool) PageTool() *offer.PageTool {
	return &offer.PageTool{Frame: t.Frame, Doc: t.Doc, FrameURL: t.FrameURL, Origin: t.Origin, Runtime: t.Runtime,
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Input, OutputSchema: t.Output,
		Annotations: t.Hints, Meta: t.Meta, Script: t.Script}
}

// Digest tells definitions of tools apart: those of one digest are the same tool of the same
// document, with the same content.
func Digest(t *offer.PageTool) string {
	raw, err := json.Marshal(ToolOf(t))
	if err != nil { // ToolOf leaves nothing that can't be encoded
		panic(err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// Offers are what a page's own MCP servers offer besides tools.
type Offers struct {
	Resources []Resource                `json:"resources,omitempty"`
	Prompts   []*offer.PagePrompt       `json:"prompts,omitempty"`
	Browser   offer.BrowserCapabilities `json:"browser"`
}

// Resource is [offer.PageResource] as it is sent.
type Resource struct {
	Frame       offer.FrameID   `json:"frame,omitempty"`
	Doc         offer.Gen       `json:"doc,omitempty"`
	FrameURL    string          `json:"frameUrl,omitempty"`
	Origin      string          `json:"origin,omitempty"`
	URI         string          `json:"uri"`
	Template    bool            `json:"template,omitempty"`
	Name        string          `json:"name,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	MIMEType    string          `json:"mimeType,omitempty"`
	Size        json.RawMessage `json:"size,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// ResourceOf is a page's resource as it is sent.
func ResourceOf(r *offer.PageResource) Resource {
	return Resource{r.Frame, r.Doc, r.FrameURL, r.Origin, r.URI, r.Template, r.Name, r.Title, r.Description, r.MIMEType,
		valid(r.Size), valid(r.Annotations)}
}

// PageResource is the resource as its page lists it.
func (r Resource) PageResource() *offer.PageResource {
	return &offer.PageResource{Frame: r.Frame, Doc: r.Doc, FrameURL: r.FrameURL, Origin: r.Origin, URI: r.URI,
		Template: r.Template, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType,
		Size: r.Size, Annotations: r.Annotations}
}
