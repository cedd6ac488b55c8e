package offer

// BrowserCapabilities are MCP-B's capabilities, which a server declares as "browser": those of one page, of all pages
// together, or of the hub. The zero value declares nothing.
type BrowserCapabilities struct {
	// MultiTabSupport: the server has the tools of several tabs.
	MultiTabSupport bool `json:"multiTabSupport"`
	// CacheSupported: the server's tools may be kept after their tab is closed.
	CacheSupported bool `json:"cacheSupported"`
	// Elicitation: the server may ask the user something through the agent.
	Elicitation bool `json:"elicitation"`
}

// Or returns the capabilities that c or d has.
func (c BrowserCapabilities) Or(d BrowserCapabilities) BrowserCapabilities {
	return BrowserCapabilities{
		MultiTabSupport: c.MultiTabSupport || d.MultiTabSupport,
		CacheSupported:  c.CacheSupported || d.CacheSupported,
		Elicitation:     c.Elicitation || d.Elicitation,
	}
}

// Declared returns what a hub with capabilities c declares, with those that open pages declare. The result is zero,
// so that nothing is declared, if neither has any. A hub with pages' capabilities supports several tabs. passes says
// that the hub passes on what pages ask; otherwise Elicitation is false, whatever a page says.
func (c BrowserCapabilities) Declared(pages BrowserCapabilities, passes bool) BrowserCapabilities {
	all := c.Or(pages)
	all.Elicitation = all.Elicitation && passes
	all.MultiTabSupport = all != BrowserCapabilities{}
	return all
}
