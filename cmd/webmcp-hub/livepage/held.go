package livepage

import (
	"encoding/json"
	"time"

	"webmcphub/live"
	"webmcphub/mcpserver"
	"webmcphub/registry"
)

// TakesOver is what stands in the list of calls and in the audit log while a person operates a tab.
const TakesOver = "take_over"

// Held has a live page and the audit log show that a person operates a tab: it is told of the beginning, with what ends it, and gives
// what is told of the end. called writes it down; it may be nil.
func Held(page *live.Server, called func(mcpserver.CallRecord), tab *registry.Tab) func(end func()) (over func()) {
	return func(end func()) func() {
		r := mcpserver.CallRecord{Began: time.Now(), Session: live.PersonSession, Client: PersonsName, Name: TakesOver,
			Tab: tab.ID, Browser: tab.Browser, Args: json.RawMessage("{}")}
		over := page.Watch(r, end)
		return func() {
			r.Took, r.Outcome = time.Since(r.Began), "ok"
			if called != nil {
				called(r)
			}
			over(r, nil)
		}
	}
}
