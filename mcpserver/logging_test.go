package mcpserver

import (
	"strings"
	"testing"

	"webmcphub/internal/fakeclock"
)

// The level that a request names is told to the pages before they are asked, also where another
// client has set a higher one; it lasts for a while, and no request's higher one ends it.
func TestLevelsOfRequestsAreToldToPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		h.page("A", "https://a.test/")
		c := &overStdio{rawClient: h.connect(true)}
		old := h.connect(true)
		old.handshake()
		told := func(want string) {
			t.Helper()
			if got := strings.Join(h.levels, " "); got != want {
				t.Errorf("pages were told %q, want %q", got, want)
			}
		}
		call := func(level string) {
			c.call(round{id: "1", can: `{}`, logs: level})()
		}
		call("")
		call("nonsense")
		told("")
		call("warning")
		told("warning")
		old.send(`{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"error"}}`)
		old.take()
		told("warning")
		call("debug")
		call("info")
		call("debug")
		told("warning debug")
		fakeclock.Elapse(levelFor)
		call("info")
		told("warning debug info")
		fakeclock.Elapse(levelFor)
		old.send(`{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"error"}}`)
		old.take()
		told("warning debug info error")
		c.hangUp()
		old.hangUp()
	})
}
