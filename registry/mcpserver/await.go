package mcpserver

import (
	"context"

	"webmcphub/registry"
)

// await returns the first catalog that satisfies the condition, from the
// current one on, or nil when ctx ends.
func (s *Server) await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	for {
		now := s.current.Load()
		if satisfied(now.catalog) {
			return now.catalog
		}
		select {
		case <-now.replaced:
		case <-ctx.Done():
			return nil
		}
	}
}
