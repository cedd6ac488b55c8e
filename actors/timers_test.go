package actors

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// Timers that fire when their tab is closed, or the hub has stopped, do nothing: their
// messages have no one to go to.
func TestTimersAfterTheEnd(t *testing.T) {
	for what, end := range map[string]func(*testHub){
		"the tab was closed":  func(h *testHub) { h.chrome.Pages()[0].Close() },
		"the hub was stopped": func(h *testHub) { h.stop() },
		"Chrome was lost":     func(h *testHub) { h.chrome.Disconnect() },
		"one after the other": func(h *testHub) { h.chrome.Pages()[0].Close(); h.stop() },
	} {
		t.Run(what, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p := h.offer(tool("add"))
				h.serve(p.Main(), tool("ask"))
				h.quiet()
				h.inActor(p, func(a *cdpLink) { // asks for the schema at once, and pauses then
					a.event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: "plain", FrameID: p.ID()}}}))
				})
				for _, d := range []time.Duration{0, time.Millisecond, time.Second, 10 * time.Second, time.Minute, rereadEvery} {
					h.inActor(p, func(a *cdpLink) { a.After(d, schemasDue{schemasReply{frame: a.frames[registry.FrameID(p.ID())]}}) })
				}
				end(h)
				synctest.Wait()
				fakeclock.Elapse(2 * rereadEvery)
				synctest.Wait()
				if n := h.log.count(slog.LevelError, "panicked"); n != 0 {
					t.Errorf("%d panics", n)
				}
			})
		})
	}
}

// Also the one that fires last of all, just before a test ends, leaves nothing behind.
func TestTimerThatFiresLast(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		p := h.offer(tool("add"))
		h.quiet()
		h.inActor(p, func(a *cdpLink) { a.After(time.Minute-500*time.Millisecond, schemasDue{}) })
	})
}
