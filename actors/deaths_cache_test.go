package actors

import (
	"log/slog"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// TestDeathsKeepTheCache: which tools outlive their tabs is said once, so a registry
// actor that panics at it, or at something that comes just before or after it, carries it
// out all the same.
func TestDeathsKeepTheCache(t *testing.T) {
	cache := func(tools ...string) (all []registry.CachedTool) {
		for _, name := range tools {
			all = append(all, registry.CachedTool{Site: "http://kept.test", URL: "http://kept.test/", Tool: registry.PageTool{Name: name}})
		}
		return all
	}
	for message, provoke := range map[string]func(*testHub){
		"registry.CacheChanged": func(h *testHub) { h.CacheTools(cache("new")) },
		"tab.Report": func(h *testHub) {
			h.CacheTools(cache("new"))
			h.chrome.Pages()[0].Register(tool("more"))
		},
		"registry.PageSaid": func(h *testHub) {
			h.root.Send(h.registry, registry.PageSaid{})
			h.CacheTools(cache("new")) // while the actor takes nothing else
		},
	} {
		for _, after := range []bool{false, true} {
			t.Run(map[bool]string{false: "before ", true: "after "}[after]+message, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					deadly := &traps{}
					h := newHub(t, func(o *Options) {
						o.Registry.Naming = offer.MCPBNames
						o.inside = []actor.ReceiverMiddleware{deadly.middleware}
					})
					h.offer(tool("add"))
					h.CacheTools(cache("old"))
					h.quiet()
					wantCached := func(want string) {
						t.Helper()
						h.quiet()
						var got []string
						for _, r := range h.pub.current().Routed() {
							if r.Routed.Cached {
								got = append(got, r.Name)
							}
						}
						if len(got) != 1 || got[0] != "website_tool_kept_test_"+want {
							t.Errorf("the cached tools are %q, want only %s", got, want)
						}
					}
					wantCached("old")
					deadly.arm(&trap{actor: "registry", message: message, after: after})
					provoke(h)
					wantCached("new")
					if n := h.log.count(slog.LevelError, "panicked"); n != 1 {
						t.Errorf("the actor panicked %d times", n)
					}
				})
			})
		}
	}
}
