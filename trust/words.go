package trust

import (
	"crypto/rand"

	"webmcphub/registry"
	"webmcphub/registry/mcpserver/calls"
	"webmcphub/registry/names"
	"webmcphub/trust/spotlight"
)

// Spotlight marks what a page says in a deed's result: see package spotlight. A browser
// tool's result has the hub's words and the page's; all of it is marked.
func Spotlight(d calls.Deed, r registry.Result) registry.Result {
	if d.Document.Page == "" && d.Origin == "" {
		return r
	}
	origin := d.Origin
	if origin == "" {
		origin = names.OpaqueOrigin
	}
	r.JSON = spotlight.Result(r.JSON, origin, rand.Text())
	return r
}
