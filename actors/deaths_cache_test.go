package actors_test

import (
	"log/slog"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// TestDeathsKeepTheCache: which tools outlive their tabs is said once, so a registry
// actor that panics at it, or at something that comes just before or after it, carries it
// out all the same.
func TestDeathsKeepTheCache(t *testing.T) {
	cache := func(tools ...string) (all []offer.CachedTool) {
		for _, name := range tools {
			all = append(all, offer.CachedTool{Site: "http://kept.test", URL: "http://kept.test/", Tool: registry.PageTool{Name: name}})
		}
		return all
	}
	for message, provoke := range map[string]func(*TestHub){
		"registry.CacheChanged": func(h *TestHub) { h.CacheTools(cache("new")) },
		"tab.Report": func(h *TestHub) {
			h.CacheTools(cache("new"))
			h.Chrome.Pages()[0].Register(Tool("more"))
		},
		"registry.PageEvent": func(h *TestHub) {
			h.TellRegistry(registry.PageEvent{})
			h.CacheTools(cache("new")) // while the actor takes nothing else
		},
	} {
		for _, after := range []bool{false, true} {
			t.Run(map[bool]string{false: "before ", true: "after "}[after]+message, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					deadly := &Traps{}
					h := NewHub(t, func(o *Options) {
						o.Registry.Naming = offer.MCPBNames
						o.TestHooks.Inside = []actor.ReceiverMiddleware{deadly.Middleware}
					})
					h.Offer(Tool("add"))
					h.CacheTools(cache("old"))
					h.Quiet()
					wantCached := func(want string) {
						t.Helper()
						h.Quiet()
						var got []string
						for _, r := range h.Pub.Current().SiteTools() {
							if r.SiteTool.Cached {
								got = append(got, r.Name)
							}
						}
						if len(got) != 1 || got[0] != "website_tool_kept_test_"+want {
							t.Errorf("the cached tools are %q, want only %s", got, want)
						}
					}
					wantCached("old")
					deadly.Arm(&Trap{Actor: "registry", Message: message, After: after})
					provoke(h)
					wantCached("new")
					if n := h.Log.Count(slog.LevelError, "panicked"); n != 1 {
						t.Errorf("the actor panicked %d times", n)
					}
				})
			})
		}
	}
}
