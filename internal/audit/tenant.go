package audit

import (
	"encoding/json"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver"
	"webmcphub/registry"
)

// Tenant is what a log takes of one tenant, whose name stands in each of its lines; "" is none.
type Tenant struct {
	log  *Log
	name string
}

// Begin is for a tenant that there is from now on, until End: a line says so.
func (l *Log) Begin(tenant string) *Tenant {
	t := &Tenant{log: l, name: tenant}
	l.put(entry{tenant: tenant, line: &line{Time: stamp(time.Now()), Event: "start"}}, true)
	return t
}

// Own is the tenant without a name, nil of no log.
func (l *Log) Own() *Tenant {
	if l == nil {
		return nil
	}
	return &l.Tenant
}

// End writes a line that the tenant is no more, and forgets which tools it had. What else is told
// afterwards, such as the end of a call, is still written.
func (t *Tenant) End() {
	t.log.put(entry{tenant: t.name, line: &line{Time: stamp(time.Now()), Event: "stop"}, forgets: true}, true)
}

// Called takes a call that is over; it is an [mcpserver.Options].Called. It never
// blocks.
func (t *Tenant) Called(r mcpserver.CallRecord) {
	t.log.put(entry{tenant: t.name, call: r}, false)
}

// Pinned takes what became of a tool's definition: "drift", or "accepted", and by what it
// differs, or who accepted it. It never blocks.
func (t *Tenant) Pinned(origin, tool, what, why string) {
	t.add(line{Event: "pin", where: where{Origin: clean(origin)}, Tool: clean(tool), Outcome: what, Why: clean(why)})
}

// Decision is what was decided about a call before it was carried out.
type Decision struct {
	Session, Client string
	Origin          string // of the document that it is about
	Tab             registry.TabID
	Browser         string // of the tab, where there are several
	Tool, Name      string // the page's own name for what is used, and the hub's
	Args            json.RawMessage
	By              string // "rule", "flow", "rate", "question", "answer" or, of a person asked about pins, "pin"
	Outcome         string // "allow", "log", "ask" or "refuse"
	Why             string
}

// Decided takes a decision. It never blocks.
func (t *Tenant) Decided(d Decision) {
	t.add(line{
		Event: "decision", Session: d.Session, Client: clean(d.Client), where: where{clean(d.Origin), d.Tab, d.Browser},
		Tool: clean(d.Tool), Name: clean(d.Name),
		Args: jsonrpc.HashArguments(d.Args), By: d.By, Outcome: d.Outcome, Why: clean(d.Why),
	})
}

// add takes a line, whose time is now.
func (t *Tenant) add(is line) {
	is.Time = stamp(time.Now())
	t.log.put(entry{tenant: t.name, line: &is}, false)
}

// Apply takes what the registry serves, as a publisher beside the MCP server.
// It never blocks.
func (t *Tenant) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if s, ok := e.(registry.Serve); ok {
			t.log.put(entry{tenant: t.name, at: time.Now(), catalog: s.Catalog}, true)
		}
	}
}
