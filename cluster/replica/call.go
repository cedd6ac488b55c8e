package replica

import (
	"fmt"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Find gives the tool of the node's catalog that a gateway's call means: the one in that document
// with the content that the caller saw. The error, for the agent, says why there is none.
func Find(now *registry.Catalog, call *wire.Call, digests *wire.Digests) (*registry.HubTool, error) {
	tab := now.Tab(registry.PageID(call.Page))
	if tab == nil {
		return nil, fmt.Errorf("the page of the tool %q was closed; list the tools again",
			sanitize.Text(call.Tool, 128))
	}
	route := offer.Route{Page: tab.Page, Frame: registry.FrameID(call.Frame), Doc: registry.Gen(call.Doc),
		Runtime: call.Runtime, Tool: call.Tool}
	changed := false
	for _, t := range tab.Tools {
		if t.Route != route {
			continue
		}
		if digests.Of(t.Source()) == call.Digest {
			return t, nil
		}
		changed = true
	}
	if changed {
		return nil, fmt.Errorf("the tool %q has changed since it was listed; list the tools again",
			sanitize.Text(call.Tool, 128))
	}
	return nil, fmt.Errorf("the page no longer offers the tool %q in the document that was listed; list the tools again", sanitize.Text(call.Tool, 128))
}
