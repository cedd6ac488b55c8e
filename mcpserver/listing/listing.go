package listing

import (
	"encoding/json"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Page is one page in a structured result.
type Page struct {
	Page    int       `json:"page"`
	TabID   int       `json:"tabId"`
	Browser string    `json:"browser,omitempty"` // the browser's name, if there are several
	URL     string    `json:"url"`
	Origin  string    `json:"origin,omitempty"`
	Title   string    `json:"title"`
	State   string    `json:"state,omitempty"`
	Tools   []Tool    `json:"tools"`
	Refused []Refusal `json:"refused"`
}

// Tool is one tool of a page. With less than full detail some members are missing.
type Tool struct {
	Name        string          `json:"name"`
	Tool        string          `json:"tool,omitempty"`
	Origin      string          `json:"origin,omitempty"` // of a frame
	Signature   string          `json:"signature,omitempty"`
	Description *string         `json:"description,omitempty"` // with full detail it is present even if it is empty
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
	Claimed     json.RawMessage `json:"claimed,omitempty"`
	// Introspected reports that the hub made the tool from what the page shows.
	Introspected bool `json:"introspected,omitempty"`
}

// Refusal is a tool of a page that is not published.
type Refusal struct {
	Tool string `json:"tool"`
	Why  string `json:"why"`
}

// site is a tool of a site rather than of a page.
type site struct {
	Site   string `json:"site"`
	Tabs   int    `json:"tabs"`
	Cached bool   `json:"cached,omitempty"`
	Tool
}

// result is the structured result.
type result struct {
	Browser string `json:"browser,omitempty"`
	// Browsers are the browsers of a hub that has several.
	Browsers []registry.ListedBrowser `json:"browsers,omitempty"`
	Sites    []site                   `json:"sites,omitempty"`
	Pages    []Page                   `json:"pages,omitzero"`

	Tabs       []string `json:"tabs,omitempty"`
	Detail     Detail   `json:"detail,omitempty"`
	Tokens     int      `json:"tokens,omitempty"`
	NextCursor string   `json:"nextCursor,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// browsersOf returns the beginning of a result: the states of the browsers.
func browsersOf(r *Request) result {
	return result{Browser: r.To.Status(r.Catalog.BrowserStatus()),
		Browsers: registry.ListBrowsers(r.Catalog.Browsers())}
}

// Pages describes pages in full.
func Pages(tabs []*registry.Tab, to registry.VisibleTools) []Page {
	pages := make([]Page, len(tabs))
	for i, t := range tabs {
		pages[i] = head(t, to)
		for j, tool := range t.Tools {
			pages[i].Tools[j] = full(tool)
		}
		for j, r := range t.Refused {
			pages[i].Refused[j] = Refusal(r)
		}
	}
	return pages
}

// head describes a page without its tools and offers, but allocates the lists for them.
func head(t *registry.Tab, to registry.VisibleTools) Page {
	p := Page{
		Page:    t.Index,
		TabID:   int(t.ID),
		Browser: t.Browser,
		URL:     t.Address.Shown(2048),
		Title:   t.ShownTitle(256),
		State:   to.State(t.Condition()),
		Tools:   make([]Tool, len(t.Tools)),
		Refused: make([]Refusal, len(t.Refused)),
	}
	if t.Origin != names.DocumentOrigin("", t.URL) {
		p.Origin = t.Origin
	}
	return p
}

func full(t *registry.HubTool) Tool {
	return Tool{
		Name: t.Name, Tool: t.Route.Tool, Origin: t.FrameOrigin(),
		Description: &t.Description, InputSchema: t.InputSchema,
		Annotations: t.Annotations(), Claimed: t.ClaimedAnnotations(),
		Introspected: t.Route.Runtime == offer.DOM,
	}
}

// siteOf describes a tool of a site.
func siteOf(t *registry.HubTool, detail Detail) site {
	return site{t.SiteTool.Site, t.SiteTool.Tabs, t.SiteTool.Cached, detail.tool(t)}
}
