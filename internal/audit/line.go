package audit

import (
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/mask"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// line is one line of the file. Event is "start" and "stop" (of the log, or of a tenant), "call", "dropped",
// "decision" (about a call, before it was carried out), "pin" (about a tool's definition: Outcome is "drift" or
// "accepted"), or the kind of a registration: "added", "removed", "updated", "refused".
type line struct {
	Time    string `json:"time"`
	Event   string `json:"event"`
	Tenant  string `json:"tenant,omitempty"` // of a gateway with several
	Session string `json:"session,omitempty"`
	Client  string `json:"client,omitempty"`
	where
	Tool    string   `json:"tool,omitempty"` // the page's name for the tool
	Name    string   `json:"name,omitempty"` // the hub's name
	Args    string   `json:"args,omitempty"`
	By      string   `json:"by,omitempty"` // who decided
	Outcome string   `json:"outcome,omitempty"`
	Steps   []string `json:"steps,omitempty"` // how each of several calls at once ended
	Ms      *float64 `json:"ms,omitempty"`
	Why     string   `json:"why,omitempty"`
	Count   int      `json:"count,omitempty"`
}

// where says what a line is about.
type where struct {
	Origin  string         `json:"origin,omitempty"`
	Tab     registry.TabID `json:"tabId,omitempty"`
	Browser string         `json:"browser,omitempty"` // of the tab, where there are several
	To      string         `json:"to,omitempty"`      // the origin to which a navigation leads
}

func (l line) encode() []byte { return append(jsonrpc.MustEncode(l), '\n') }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// maxText limits texts that pages and clients choose, in bytes.
const maxText = 256

// clean returns a text without secrets.
func clean(s string) string {
	var m mask.Masker
	return sanitize.Text(m.Text(s), maxText)
}

func callLine(r calls.Record) line {
	ms := float64(r.Took.Microseconds()) / 1000
	l := line{Time: stamp(r.Began), Event: "call", Session: r.Session, Client: clean(r.Client), Name: clean(r.Name),
		Args: jsonrpc.HashArguments(r.Args), Outcome: r.Outcome, Steps: r.Steps, Ms: &ms}
	l.where = where{Origin: clean(r.Origin), Tab: r.Tab, Browser: r.Browser, To: clean(r.To)}
	if r.Tool != nil {
		l.Origin, l.Tool, l.Name = r.Tool.Origin(), clean(r.Tool.Route.Tool), r.Tool.Name
	}
	return l
}

func registrationLine(at time.Time, r registry.ToolChange) line {
	return line{Time: stamp(at), Event: r.Kind, where: where{r.Origin, r.Tab, r.Browser, ""}, Tool: clean(r.Tool),
		Name: r.Name, Why: clean(r.Why)}
}
