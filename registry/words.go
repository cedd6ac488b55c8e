package registry

import "webmcphub/registry/offer"

// The words of which events and catalogs are made; they are told in registry/offer.
type (
	PageID    = offer.PageID
	FrameID   = offer.FrameID
	TabID     = offer.TabID
	Gen       = offer.Gen
	ServerRef = offer.ServerRef
	PageTool  = offer.PageTool
	HubTool   = offer.HubTool
)
