package trust

import (
	"crypto/rand"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// Spotlight marks a page's words in an action's result with [DelimitResult]. The result of a browser tool mixes the
// hub's words and the page's; Spotlight marks all of it.
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
