package main

import (
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/trust/flow"
	"webmcphub/trust/pins"
	"webmcphub/trust/rules"
)

// safeFlags switch on, together, what keeps agents from doing harm.
type safeFlags struct {
	Safe bool `group:"common" help:"Ask you before an agent first acts on a site, and before it passes what it read on one site to another; hold back tools that have changed. Reading and opening pages need no permission. Where the client can't ask, the live page does. Short for --policy-preset=safe --flow=ask --pins=hold --ui; each of these can have another value, except off. See docs/trust.md."`
}

// withSafe returns the options with what --safe sets and no other flag has set.
func (f serveOptions) withSafe() serveOptions {
	if !f.Safe {
		return f
	}
	if f.PolicyPreset == "" {
		f.PolicyPreset = rules.Safe
	}
	if f.Flow == string(flow.Off) {
		f.Flow = string(flow.Ask)
	}
	if f.Pins == "off" {
		f.Pins = string(pins.Hold)
	}
	if f.UI == "" {
		f.UI = livepage.AnyPort
	}
	return f
}
