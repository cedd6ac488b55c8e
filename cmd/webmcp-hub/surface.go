package main

import (
	"fmt"

	"webmcphub/registry/mcpserver"
	"webmcphub/registry/mcpserver/surface"
)

// surfaceFlags say how much a client's list of tools shows.
type surfaceFlags struct {
	Surface       string `view:"" group:"common" enum:"all,static,auto" default:"all" help:"What tools/list has. all: the tools of all pages. static: the hub's own tools only, the same whatever pages do; agents find and call pages' tools by these. auto: all while the client lists again after list_changed and its list is not longer than --surface-tokens, else static."`
	SurfaceTokens int    `view:"" default:"${surfaceTokens}" placeholder:"N" help:"With --surface=auto: how many tokens a list may have, estimated, with the hub's own tools."`
}

func (f surfaceFlags) validate(mode string) error {
	switch {
	case f.Surface != string(surface.All) && mode == string(mcpserver.FocusedTab):
		return fmt.Errorf("--surface=%s goes with --mode=all only: in focus mode the list is that of the focused tab", f.Surface)
	case f.SurfaceTokens < surface.MinTokens || f.SurfaceTokens > surface.MaxTokens:
		return fmt.Errorf("--surface-tokens must be from %d to %d, not %d", surface.MinTokens, surface.MaxTokens, f.SurfaceTokens)
	}
	return nil
}
