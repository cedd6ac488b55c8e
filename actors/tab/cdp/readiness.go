package cdp

import (
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// lookForWebMCP says whether the document has loaded, and whether it has WebMCP: the browser's own, or one that a
// script of the page provides, which can be seen only in the page's own world. A page that gives a false answer only
// says something false about itself.
const lookForWebMCP = `({loaded: document.readyState === 'complete', webmcp: 'modelContext' in document || 'modelContext' in navigator})`

// webMCPReply tags the reply to lookForWebMCP.
type webMCPReply struct{ gen registry.Gen }

// askForWebMCP asks the main document whether it has WebMCP, unless the document is an error page or the user's rules
// keep the hub out of it.
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

// loaded records that the main document has loaded, or that its loading was stopped.
func (p *Link) loaded() {
	if p.main.loading {
		p.main.loading = false
		p.ReportSoon()
	}
}

// Readiness says what the page still has to do before its tools are known. It ignores an MCP server that doesn't
// answer in an embedded frame: only a server in the main frame means that the page has one.
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

// hasServers says whether any frame has an MCP server, including one that has not answered.
func (p *Link) hasServers() bool {
	for _, f := range p.frames {
		if f.servers.All() != nil || f.servers.Initializing() {
			return true
		}
	}
	return false
}
