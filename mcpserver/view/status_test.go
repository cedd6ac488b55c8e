package view

import (
	"slices"
	"testing"
	"testing/synctest"

	"webmcphub/registry"
)

// TestTellStatus: who waits for the browser is told what that waits for as it changes, and not
// any more when it is there, or nobody waits.
func TestTellStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := registry.NewState(registry.Options{})
		c := NewCurrent(NewServedCatalog(registry.StartingCatalog(), &Own{}))
		is := func(status string) {
			for _, e := range append(state.Step(registry.BrowserChanged{Status: status}), state.Step(registry.FlushDue{})...) {
				if e, ok := e.(registry.SetCatalog); ok {
					c.Set(e.Catalog)
					c.Delivered()
				}
			}
			synctest.Wait()
		}
		is("not asked for")
		var told []string
		end := c.TellStatus("waiting", func(status string) { told = append(told, status) })
		synctest.Wait()
		for _, status := range []string{"in a queue", "in a queue", "next", ""} {
			is(status)
		}
		end()
		is("gone")
		if want := []string{"waiting", "in a queue", "next"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}
