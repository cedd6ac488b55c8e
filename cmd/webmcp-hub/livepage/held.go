package livepage

import (
	"encoding/json"
	"time"

	"webmcphub/live"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// TakesOver is the name, in the list of calls and in the audit log, of a person's operating a tab.
const TakesOver = "take_over"

// Held returns a function that makes the live page and the audit log show that a person operates a tab. Call it at
// the beginning with a function that ends the operating, and call the function that it returns at the end. called
// writes the record to the audit log; it may be nil.
func Held(page *live.Server, called func(calls.Record), tab *registry.Tab) func(end func()) (over func()) {
	return func(end func()) func() {
		r := calls.Record{Began: time.Now(), Session: live.PersonSession, Client: PersonsName, Name: TakesOver,
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
