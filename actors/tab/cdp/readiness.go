package cdp

import (
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// lookForWebMCP tells whether the document has loaded, and whether it has WebMCP: the browser's own, or one that a
// script of the page brought, which only the page's own world sees. A page that lies here lies about itself alone.
const lookForWebMCP = `({loaded: document.readyState === 'complete', webmcp: 'modelContext' in document || 'modelContext' in navigator})`

// webMCPReply tags the reply to lookForWebMCP.
type webMCPReply struct{ gen registry.Gen }

// askForWebMCP asks the main document for WebMCP, unless it is an error page or the user's rules keep the hub out of it.
func (p *Link) askForWebMCP() {
	if p.Doc.Failure == "" && !p.barred(p.main, p.Doc.Origin) {
		p.conn.Post(p.session, cdpclient.RuntimeEvaluate,
			cdpclient.EvaluateParams{Expression: lookForWebMCP, ReturnByValue: true, Silent: true},
			webMCPReply{p.Doc.Gen})
	}
}

func (p *Link) webMCPFound(tag webMCPReply, r cdpclient.Reply) {
	var reply struct {
		Result struct {
			Value *struct{ Loaded, WebMCP bool }
		}
	}
	if tag.gen != p.Doc.Gen || r.Err != nil || json.Unmarshal(r.Result, &reply) != nil || reply.Result.Value == nil {
		return
	}
	found := reply.Result.Value
	p.main.loading, p.main.withoutWebMCP = !found.Loaded, found.Loaded && !found.WebMCP
	p.ReportSoon()
}

// loaded notes that the main document has loaded, or that its loading was stopped.
func (p *Link) loaded() {
	if p.main.loading {
		p.main.loading = false
		p.ReportSoon()
	}
}

// Readiness is what there still is to wait for in the page. The MCP server of an embedded frame that doesn't answer isn't the
// page's: that the page has a server counts for the main frame only.
func (p *Link) Readiness() registry.Readiness {
	switch {
	case p.Doc.Failure != "":
		return ""
	case p.main.servers.Initializing():
		return registry.Initializing
	case p.main.loading:
		return registry.StillLoading
	case p.main.withoutWebMCP && !p.hasServers():
		return registry.NoWebMCP
	}
	return ""
}

// hasServers says whether a frame has an MCP server, or has one that has not answered.
func (p *Link) hasServers() bool {
	for _, f := range p.frames {
		if f.servers.All() != nil || f.servers.Initializing() {
			return true
		}
	}
	return false
}
