package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// What one page's own MCP servers may offer; the rest is left out.
const (
	// MaxOffers is how many resources, resource templates and prompts of one
	// page are published, each.
	MaxOffers = 1000
	// MaxResourceURI is the longest URI or URI template in bytes.
	MaxResourceURI = 2048
	// MaxPromptArguments is how many arguments a prompt may have.
	MaxPromptArguments = 100
)

// ServerRef is a page's own MCP server: that of one document in one frame.
type ServerRef struct {
	Page  PageID
	Frame FrameID
	Doc   Gen
}

// PageResource is a resource, or a resource template, as a page's MCP server
// lists it: untrusted, not yet checked. It is immutable once reported.
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

// PagePrompt is a prompt as a page's MCP server lists it, likewise.
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

// HubResource is a page's resource or resource template as published. It is
// immutable.
type HubResource struct {
	// URI is unique: webmcp://{host}/page{idx}/{the page's URI, percent-encoded};
	// of a template the expressions in braces stay as they are.
	URI string
	// Original is the page's own URI or template.
	Original string
	Template bool
	Server   ServerRef
	// Encoded is the whole MCP Resource or ResourceTemplate object.
	Encoded json.RawMessage
	// Meta is the _meta of what is read from it: where it comes from.
	Meta json.RawMessage

	origin  string // of its page
	from    string // its own: that of its document
	foreign string // from, where that is not the page's own, see Foreign
	host    string // of its page, see PageHost
	index   int
	source  *PageResource
	parts   names.Template // of a template
}

// HubPrompt is a page's prompt as published. It is immutable.
type HubPrompt struct {
	// Name is unique, and made as a tool's.
	Name     string
	Original string
	Server   ServerRef
	// Encoded is the whole MCP Prompt object.
	Encoded json.RawMessage
	// Meta is the _meta of what it gives: where that comes from.
	Meta json.RawMessage
	keys sanitize.MetaKeys

	origin  string // of its page
	from    string // its own: that of its document
	foreign string // from, where that is not the page's own, see Foreign
	host    string // of its page, see PageHost
	index   int
	source  *PagePrompt
}

// Offers is what pages' own MCP servers offer besides tools. It stands beside
// [State], whose catalogs tell it the pages' numbers and documents, and
// belongs to the same goroutine.
type Offers struct {
	options Options
	pages   map[PageID]*offered // the open ones
	tabs    *Catalog            // served last
	catalog *OfferCatalog
	reports uint64 // counts the reports that said something new
	stale   bool
	cooling bool
}

// offered is what a page has reported, as far as it may be published.
type offered struct {
	gen       Gen
	version   uint64 // of the report, from Offers.reports
	resources []*PageResource
	prompts   []*PagePrompt
	browser   BrowserCapabilities
	said      map[Refusal]bool
}

// NewOffers knows no pages. The options must be the State's.
func NewOffers(o Options) *Offers {
	o.MaxName = max(cmp.Or(o.MaxName, names.DefaultMaxName), names.MinMaxName)
	o.MaxPages = cmp.Or(o.MaxPages, DefaultMaxPages)
	return &Offers{options: o, pages: map[PageID]*offered{}, tabs: EmptyCatalog(), catalog: EmptyOfferCatalog()}
}

// Anew makes Offers to go on with after a panic, as [State.Anew] does, from the
// catalogs that clients were told of last: it waits for an [OffersFlushDue].
func (o *Offers) Anew(served *OfferCatalog, tabs *Catalog) *Offers {
	n := NewOffers(o.options)
	n.tabs, n.catalog, n.reports = tabs, served, o.reports
	if served.version != o.catalog.version {
		n.catalog = newOfferCatalog(o.catalog.version, served.tabs, served.pages)
		n.catalog.browser = served.browser
	}
	n.stale, n.cooling = true, true
	return n
}

// Catalog is the one served last.
func (o *Offers) Catalog() *OfferCatalog { return o.catalog }

// OffersReported gives the whole set of what a page's MCP servers offer
// besides tools, so it is idempotent. It is dropped if Gen is older than that
// of an earlier report, and shows once Gen is the page's current one.
type OffersReported struct {
	Page      PageID
	Gen       Gen
	Resources []*PageResource
	Prompts   []*PagePrompt
	// Browser is what any of them has of MCP-B's capabilities.
	Browser BrowserCapabilities
}

// Empty says that nothing is offered.
func (e OffersReported) Empty() bool {
	return len(e.Resources)+len(e.Prompts) == 0 && e.Browser == BrowserCapabilities{}
}

// CatalogServed tells [Offers] of a [Serve] of the State beside it.
type CatalogServed struct{ Catalog *Catalog }

// OffersFlushDue says that the time asked for by [ArmOffersFlush] is over.
type OffersFlushDue struct{}

// ResourcesUpdated says that resources of a page's MCP server have changed.
// URIs are the page's own.
type ResourcesUpdated struct {
	Server ServerRef
	URIs   []string
}

// PageLogged is a log message of a page's MCP server. Params are those of its
// notifications/message; Origin is the document's.
type PageLogged struct {
	Server ServerRef
	Origin string
	Params json.RawMessage
}

// ServeOffers makes a catalog of offers the current one.
type ServeOffers struct{ Catalog *OfferCatalog }

// ArmOffersFlush asks for [OffersFlushDue] one flush interval from now.
type ArmOffersFlush struct{}

func (OffersReported) event()    {}
func (CatalogServed) event()     {}
func (OffersFlushDue) event()    {}
func (ResourcesUpdated) event()  {}
func (PageLogged) event()        {}
func (ResourcesUpdated) effect() {} // as it came
func (PageLogged) effect()       {} // likewise
func (ServeOffers) effect()      {}
func (ArmOffersFlush) effect()   {}

// Step takes one event, those of the State among them that matter here, and
// returns what is to be done, in order. Changes are flushed as by [State.Step].
func (o *Offers) Step(e Event) (effects []Effect) {
	switch e := e.(type) {
	case PageOpened:
		if o.pages[e.Page] == nil {
			o.pages[e.Page] = &offered{}
		}
	case PageClosed:
		delete(o.pages, e.Page)
	case CatalogServed:
		o.tabs = e.Catalog
		o.stale = o.stale || o.catalog.shows() || o.any()
	case OffersReported:
		effects = o.report(e)
	case ResourcesUpdated:
		return []Effect{e}
	case PageLogged:
		return []Effect{e}
	case OffersFlushDue:
		o.cooling = false
	}
	if o.cooling || !o.stale {
		return effects
	}
	changes := o.flush()
	if changes == nil {
		return effects
	}
	o.cooling = true
	return append(append(effects, changes...), ArmOffersFlush{})
}

func (o *Offers) any() bool {
	for _, p := range o.pages {
		if len(p.resources)+len(p.prompts) > 0 || p.browser != (BrowserCapabilities{}) {
			return true
		}
	}
	return false
}

// report takes a page's offers, and refuses those that can't be published.
func (o *Offers) report(e OffersReported) (refusals []Effect) {
	p := o.pages[e.Page]
	if p == nil || e.Gen < p.gen {
		return nil
	}
	said := map[Refusal]bool{}
	refuse := func(what, why string) {
		r := Refusal{sanitize.Text(what, 128), why}
		if !said[r] && !p.said[r] {
			refusals = append(refusals, Refuse{e.Page, r.Tool, r.Why})
		}
		said[r] = true
	}
	resources := make([]*PageResource, 0, len(e.Resources))
	counts := map[bool]int{}
	for _, r := range e.Resources {
		if why := refuseResource(r); why != "" {
			refuse(r.URI, why)
		} else if counts[r.Template]++; counts[r.Template] > MaxOffers {
			refuse("(resources)", fmt.Sprintf("the page has more than %d", MaxOffers))
		} else {
			resources = append(resources, r)
		}
	}
	prompts := make([]*PagePrompt, 0, len(e.Prompts))
	for _, t := range e.Prompts {
		if why := refusePrompt(t); why != "" {
			refuse(t.Name, why)
		} else if len(prompts) == MaxOffers {
			refuse("(prompts)", fmt.Sprintf("the page has more than %d", MaxOffers))
		} else {
			prompts = append(prompts, t)
		}
	}
	version := p.version
	if p.gen != e.Gen || p.browser != e.Browser || !slices.Equal(p.resources, resources) || !slices.Equal(p.prompts, prompts) {
		o.reports++
		o.stale, version = true, o.reports
	}
	*p = offered{e.Gen, version, resources, prompts, e.Browser, said}
	return refusals
}

func refuseResource(r *PageResource) string {
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

func refusePrompt(t *PagePrompt) string {
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

// flush makes the next catalog. It is nil if that would be no other.
func (o *Offers) flush() []Effect {
	o.stale = false
	pages, browser := o.publish(), o.aggregated()
	if slices.Equal(pages, o.catalog.pages) && browser == o.catalog.browser {
		return nil
	}
	o.catalog = newOfferCatalog(o.catalog.version+1, o.tabs, pages)
	o.catalog.browser = browser
	return []Effect{ServeOffers{o.catalog}}
}
