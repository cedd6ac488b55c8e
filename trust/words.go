package trust

import (
	"crypto/rand"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// Spotlight marks what a page says in an action's result: see package spotlight. A browser
// tool's result has the hub's words and the page's; all of it is marked.
func Spotlight(d calls.Action, r registry.Result) registry.Result {
	if d.Document.Page == "" && d.Origin == "" {
		return r
	}
	origin := d.Origin
	if origin == "" {
		origin = names.OpaqueOrigin
	}
	r.JSON = DelimitResult(r.JSON, origin, rand.Text())
	return r
}
