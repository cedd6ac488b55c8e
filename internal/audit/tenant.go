package audit

import (
	"encoding/json"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// Tenant writes lines about one tenant, whose name is in each of them; "" is no tenant.
type Tenant struct {
	log  *Log
	name string
}

// Begin returns a Tenant, and logs that the tenant exists from now until End.
func (l *Log) Begin(tenant string) *Tenant {
	t := &Tenant{log: l, name: tenant}
	l.put(entry{tenant: tenant, line: &line{Time: stamp(time.Now()), Event: "start"}}, true)
	return t
}

// Own returns the Tenant without a name; nil if l is nil.
func (l *Log) Own() *Tenant {
	if l == nil {
		return nil
	}
	return &l.Tenant
}

// End logs that the tenant no longer exists, and forgets which tools it had. Later lines, such as the end of a call,
// are still written.
func (t *Tenant) End() {
	t.log.put(entry{tenant: t.name, line: &line{Time: stamp(time.Now()), Event: "stop"}, forgets: true}, true)
}

// Called logs a finished call; it is an [mcpserver.Options].Called. It never blocks.
func (t *Tenant) Called(r calls.Record) {
	t.log.put(entry{tenant: t.name, call: r}, false)
}

// Pinned logs what became of a tool's definition: "drift" or "accepted". why says how it differs, or who accepted it.
// It never blocks.
func (t *Tenant) Pinned(origin, tool, what, why string) {
	t.add(line{Event: "pin", where: where{Origin: clean(origin)}, Tool: clean(tool), Outcome: what, Why: clean(why)})
}

// Decision is a decision about a call before it was carried out.
type Decision struct {
	Session, Client string
	Origin          string // of the document concerned
	To              string // the address to which the call leads; "" if it leads nowhere
	Tab             registry.TabID
	Browser         string // the tab's, if there are several
	Tool, Name      string // the page's name and the hub's
	Args            json.RawMessage
	By              string // as in trust.Decision: "pause", "rule", "flow", "rate", "question", "answer" or "pin"
	Outcome         string // "allow", "log", "ask" or "refuse"
	Why             string
}

// Decided logs a decision. It never blocks.
func (t *Tenant) Decided(d Decision) {
	t.add(line{
		Event: "decision", Session: d.Session, Client: clean(d.Client), where: where{clean(d.Origin), d.Tab, d.Browser, clean(names.DocumentOrigin("", d.To))},
		Tool: clean(d.Tool), Name: clean(d.Name),
		Args: jsonrpc.HashArguments(d.Args), By: d.By, Outcome: d.Outcome, Why: clean(d.Why),
	})
}

// add adds a line with the current time.
func (t *Tenant) add(is line) {
	is.Time = stamp(time.Now())
	t.log.put(entry{tenant: t.name, line: &is}, false)
}

// Apply logs changes in what the registry serves, as a publisher beside the MCP server. It never blocks.
func (t *Tenant) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if s, ok := e.(registry.SetCatalog); ok {
			t.log.put(entry{tenant: t.name, at: time.Now(), catalog: s.Catalog}, true)
		}
	}
}
