package mcpserver

import (
	"webmcphub/registry/mcpserver/lens"
	"webmcphub/registry/mcpserver/wire"
)

// What callers of this package need of its rooms.
type (
	View         = lens.View
	Mode         = lens.Mode
	TimeoutError = wire.TimeoutError
)

const (
	AllTabs    = lens.AllTabs
	FocusedTab = lens.FocusedTab
)

var (
	ErrCancelled   = wire.ErrCancelled
	ErrSessionOver = wire.ErrSessionOver
)
