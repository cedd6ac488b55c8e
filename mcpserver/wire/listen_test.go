package wire

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// A request that listens may end while mcp-go acknowledges it: what it watches is
// begun before anybody waits for it, or not at all.
func TestListeningThatEndsAsItBegins(t *testing.T) {
	filter := mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"note://1"}}
	for range 200 {
		c := NewConn(false)
		r := NewRequest(t.Context(), json.RawMessage("1"))
		if err := c.Begin(r); err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		var watching int
		both.Go(func() {
			if l := c.Listen(json.RawMessage("1"), filter, 1); l != nil {
				watching++
				l.Begun.Done()
			}
		})
		var ended bool
		both.Go(func() {
			if l, _ := c.Unlisten(r); l != nil {
				l.Begun.Wait()
				ended = true
			}
		})
		both.Wait()
		if watching == 1 && !ended {
			t.Fatal("it goes on watching after its end")
		}
		if l := c.Listen(json.RawMessage("1"), filter, 1); l != nil {
			t.Fatal("it listens again after its end")
		}
		r.Cancel(nil)
	}
}
