package cdp_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"

	"webmcphub/cdpclient"
	"webmcphub/internal/fakeclock"
)

// Timers that fire when their tab is closed, or the hub has stopped, do nothing: their
// messages have no one to go to.
func TestTimersAfterTheEnd(t *testing.T) {
	for what, end := range map[string]func(*TestHub){
		"the tab was closed":  func(h *TestHub) { h.Chrome.Pages()[0].Close() },
		"the hub was stopped": func(h *TestHub) { h.StopNow() },
		"Chrome was lost":     func(h *TestHub) { h.Chrome.Disconnect() },
		"one after the other": func(h *TestHub) { h.Chrome.Pages()[0].Close(); h.StopNow() },
	} {
		t.Run(what, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p := h.Offer(Tool("add"))
				h.Serve(p.Main(), Tool("ask"))
				h.Quiet()
				inLink(h, p, func(a *Link) { // asks for the schema at once, and pauses then
					a.Event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "plain", FrameID: p.ID()}}}))
				})
				for _, d := range []time.Duration{0, time.Millisecond, time.Second, 10 * time.Second, time.Minute, RereadEvery} {
					inLink(h, p, func(a *Link) { a.SchemasLater(d, p.ID()) })
				}
				end(h)
				synctest.Wait()
				fakeclock.Elapse(2 * RereadEvery)
				synctest.Wait()
				if n := h.Log.Count(slog.LevelError, "panicked"); n != 0 {
					t.Errorf("%d panics", n)
				}
			})
		})
	}
}

// Also the one that fires last of all, just before a test ends, leaves nothing behind.
func TestTimerThatFiresLast(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		p := h.Offer(Tool("add"))
		h.Quiet()
		inLink(h, p, func(a *Link) { a.SchemasLater(time.Minute-500*time.Millisecond, "") })
	})
}
