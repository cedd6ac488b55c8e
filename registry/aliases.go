package registry

import "webmcphub/registry/offer"

// Package offer defines the types from which events and catalogs are made.
type (
	PageID      = offer.PageID
	FrameID     = offer.FrameID
	TabID       = offer.TabID
	Gen         = offer.Gen
	DocumentRef = offer.DocumentRef
	PageTool    = offer.PageTool
	HubTool     = offer.HubTool
)
