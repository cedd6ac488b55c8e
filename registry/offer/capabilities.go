package offer

// BrowserCapabilities are MCP-B's, which a server declares as "browser" among
// its capabilities: a page's own, those of all pages together, or the hub's.
// The zero value declares nothing.
type BrowserCapabilities struct {
	// MultiTabSupport: the server has the tools of several tabs.
	MultiTabSupport bool `json:"multiTabSupport"`
	// CacheSupported: its tools may be kept for when their tab is closed.
	CacheSupported bool `json:"cacheSupported"`
	// Elicitation: it may ask the user something through the agent.
	Elicitation bool `json:"elicitation"`
}

// Or has what either has.
func (c BrowserCapabilities) Or(d BrowserCapabilities) BrowserCapabilities {
	return BrowserCapabilities{
		MultiTabSupport: c.MultiTabSupport || d.MultiTabSupport,
		CacheSupported:  c.CacheSupported || d.CacheSupported,
		Elicitation:     c.Elicitation || d.Elicitation,
	}
}

// Declared are the capabilities of a hub that has these itself, with those that
// open pages have said they have. They are zero, so that nothing is declared,
// where neither has any; a hub that has pages' capabilities has several tabs.
// passes says that the hub passes on what pages ask: without that there is no
// elicitation, whatever a page says.
func (c BrowserCapabilities) Declared(pages BrowserCapabilities, passes bool) BrowserCapabilities {
	all := c.Or(pages)
	all.Elicitation = all.Elicitation && passes
	all.MultiTabSupport = all != BrowserCapabilities{}
	return all
}
