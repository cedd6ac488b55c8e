package offer

import (
	"encoding/json"
	"fmt"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// These limit what one page's own MCP servers may offer; the rest is left out.
const (
	// MaxOffers is how many offers of each kind one page may have.
	MaxOffers = 1000
	// MaxResourceURI is the longest URI or URI template in bytes.
	MaxResourceURI = 2048
	// MaxPromptArguments is how many arguments a prompt may have.
	MaxPromptArguments = 100
)

// OfferKind is a kind of thing that pages' own MCP servers offer besides tools.
type OfferKind int

// These are the kinds of offers.
const (
	Resource OfferKind = iota
	ResourceTemplate
	Prompt
	offerKinds
)

// Offer is a page's resource, resource template or prompt as published. It is immutable.
type Offer struct {
	Kind OfferKind
	// Name is unique in its kind. A prompt's name is made like a tool's. A resource's name is its URI,
	// webmcp://{host}/page{idx}/{the page's URI, percent-encoded}; in a template the expressions in braces stay as
	// they are.
	Name string
	// Original is the page's own name, URI or template.
	Original string
	Server   DocumentRef
	// Encoded is the whole MCP Resource, ResourceTemplate or Prompt object.
	Encoded json.RawMessage
	// Meta is the _meta of what is read from the offer: where it comes from.
	Meta json.RawMessage

	whose
	keys   sanitize.MetaKeys
	source Offering
	parts  names.Template // of a template
}

// describe puts the place that the offer comes from before the page's description.
func (o *Offer) describe(description string) string {
	return inBrowser(o.browser, names.PagePrefix(o.host,
		o.index)) + frameMark(o.foreign) + sanitize.Description(description)
}

// Offering is something that a page's MCP server lists: untrusted, not yet checked. Its methods are all that differs
// between the kinds of offers.
type Offering interface {
	kind() OfferKind
	original() string
	Document() DocumentInfo
	// refused says why it can't be published, or returns "".
	refused() string
	// plural is the word for many of its kind, in parentheses.
	plural() string
	// name returns a name for it, or "" if no name is free.
	name(o *Offer, n *offerNames) string
	// encode returns MCP's object.
	encode(o *Offer) json.RawMessage
}

// PageResource is a resource, or a resource template, as a page's MCP server lists it: untrusted, not yet checked. It
// is immutable once reported.
type PageResource struct {
	Frame    FrameID
	Doc      Gen
	FrameURL string
	Origin   string // as in [PageTool]
	// URI is the page's own; with Template it is a URI template (RFC 6570).
	URI                                string
	Template                           bool
	Name, Title, Description, MIMEType string
	Size, Annotations                  json.RawMessage // nil if the page gave none
}

func (r *PageResource) kind() OfferKind {
	if r.Template {
		return ResourceTemplate
	}
	return Resource
}

func (r *PageResource) original() string { return r.URI }
func (r *PageResource) Document() DocumentInfo {
	return DocumentInfo{r.Frame, r.Doc, r.FrameURL, r.Origin}
}
func (r *PageResource) plural() string { return "(resources)" }

func (r *PageResource) refused() string {
	switch {
	case r.URI == "":
		return "it has no URI"
	case len(r.URI) > MaxResourceURI:
		return fmt.Sprintf("its URI is longer than %d bytes", MaxResourceURI)
	case sanitize.Text(r.URI, MaxResourceURI) != r.URI:
		return "its URI has characters that can't be seen"
	case r.Template && names.ParseTemplate(r.URI) == nil:
		return "its URI template has braces that don't match"
	}
	return ""
}

func (r *PageResource) name(o *Offer, n *offerNames) string {
	// Templates and resources share no URI: only templates have braces.
	if r.Template {
		o.parts = names.ParseTemplate(r.URI)
	}
	n.uris[r.URI]++
	return names.URIPrefix(o.host, o.index, n.uris[r.URI]-1) + o.path()
}

// path returns a resource's URI or URI template without its prefix.
func (o *Offer) path() string {
	if o.parts == nil {
		return names.EncodeURI(o.Original)
	}
	return o.parts.Encoded()
}

func (r *PageResource) encode(o *Offer) json.RawMessage {
	e := struct {
		URI         string          `json:"uri,omitempty"`
		URITemplate string          `json:"uriTemplate,omitempty"`
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description"`
		MIMEType    string          `json:"mimeType,omitempty"`
		Size        *int64          `json:"size,omitempty"`
		Annotations json.RawMessage `json:"annotations,omitempty"`
		Meta        json.RawMessage `json:"_meta"`
	}{
		Name:        sanitize.Text(r.Name, 256),
		Title:       sanitize.Text(r.Title, 256),
		Description: o.describe(r.Description),
		MIMEType:    sanitize.Text(r.MIMEType, 128),
		Annotations: sanitize.Annotations(r.Annotations),
		Meta:        o.Meta,
	}
	if e.Name == "" {
		e.Name = sanitize.Text(r.URI, 256)
	}
	if r.Template {
		e.URITemplate = o.Name
	} else {
		e.URI = o.Name
		var size int64
		if len(r.Size) > 0 && json.Unmarshal(r.Size, &size) == nil && size >= 0 {
			e.Size = &size
		}
	}
	return sanitize.Encode(e)
}

// PagePrompt is a prompt as a page's MCP server lists it: untrusted, not yet checked. It is immutable once reported.
type PagePrompt struct {
	Frame                    FrameID
	Doc                      Gen
	FrameURL, Origin         string // as in [PageTool]
	Name, Title, Description string
	Arguments                []PromptArgument
}

// PromptArgument is an argument of a [PagePrompt].
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

func (t *PagePrompt) kind() OfferKind  { return Prompt }
func (t *PagePrompt) original() string { return t.Name }
func (t *PagePrompt) Document() DocumentInfo {
	return DocumentInfo{t.Frame, t.Doc, t.FrameURL, t.Origin}
}
func (t *PagePrompt) plural() string { return "(prompts)" }

func (t *PagePrompt) refused() string {
	switch {
	case t.Name == "":
		return "it has no name"
	case len(t.Name) > sanitize.MaxToolName:
		return fmt.Sprintf("its name is longer than %d bytes", sanitize.MaxToolName)
	case len(t.Arguments) > MaxPromptArguments:
		return fmt.Sprintf("it has more than %d arguments", MaxPromptArguments)
	}
	for _, a := range t.Arguments {
		if a.Name == "" || sanitize.Text(a.Name, 128) != a.Name {
			return "an argument has a name that is empty, too long or can't be seen"
		}
	}
	return ""
}

func (t *PagePrompt) name(o *Offer, n *offerNames) string {
	free := func(name string) bool { return !n.prompts[name] }
	name := names.First(names.ToolName(n.domain, o.index, t.Name, n.max), free, func(attempt int) string {
		return names.WebMCP.Distinct(n.domain, o.index, t.Name, n.frameKey(t.Frame, t.Name), attempt, n.max)
	})
	n.prompts[name] = true
	return name
}

func (t *PagePrompt) encode(o *Offer) json.RawMessage {
	arguments := make([]PromptArgument, len(t.Arguments))
	for i, a := range t.Arguments {
		arguments[i] = PromptArgument{a.Name, sanitize.Text(a.Title, 256), sanitize.Text(a.Description, 1024),
			a.Required}
	}
	return sanitize.Encode(struct {
		Name        string           `json:"name"`
		Title       string           `json:"title,omitempty"`
		Description string           `json:"description"`
		Arguments   []PromptArgument `json:"arguments,omitempty"`
		Meta        json.RawMessage  `json:"_meta"`
	}{o.Name, sanitize.Text(t.Title, 256), o.describe(t.Description), arguments, o.Meta})
}
