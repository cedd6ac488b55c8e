package view

import (
	"context"
	"testing"
	"testing/synctest"

	"webmcphub/registry"
)

// TestAwaitIsNotAheadOfClients: who awaited a catalog looks at what a client is shown,
// which must not be an older one.
func TestAwaitIsNotAheadOfClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCurrent(NewServedCatalog(registry.EmptyCatalog(), &Own{}))
		next := registry.StartingCatalog()
		var got *registry.Catalog
		go func() {
			got = c.Await(t.Context(), func(now *registry.Catalog) bool { return now == next })
		}()
		synctest.Wait()
		c.Set(next)
		synctest.Wait()
		if got != nil {
			t.Error("it was there before the clients knew of it")
		}
		if c.Catalog() != next {
			t.Error("it is not the current one")
		}
		c.Delivered()
		c.Delivered() // nothing new
		synctest.Wait()
		if got != next {
			t.Error("it didn't come")
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if c.Await(ended, func(*registry.Catalog) bool { return false }) != nil {
			t.Error("a catalog came that nobody waits for")
		}
	})
}
