package mcpserver

import (
	"strings"
	"testing"
)

// Clients show their users a name that is meant for people.
func TestServerHasATitle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newHub(t, echo).connect(true)
		c.send(helpful)
		if got := strings.Join(c.take(), ""); !strings.Contains(got, `"title":"WebMCP Hub"`) {
			t.Errorf("it introduces itself by %s", got)
		}
		c.hangUp()
	})
}
