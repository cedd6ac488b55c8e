package registry

import "testing"

// A browser that nobody has asked for is one to call connect_browser for, if the
// client is shown that.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		to           VisibleTools
		status, want string
	}{
		{VisibleTools{Browser: true}, NotAsked, "not connected to Chrome; call connect_browser"},
		{VisibleTools{Browser: true}, "no extension; " + NotAsked, "no extension; not connected to Chrome; call connect_browser"},
		{VisibleTools{Connect: true, ByName: true}, NotAsked, NotAsked},
		{VisibleTools{Browser: true}, "the connection was lost", "the connection was lost"},
		{VisibleTools{Browser: true}, "", ""},
	} {
		if got := c.to.Status(c.status); got != c.want {
			t.Errorf("%+v is told %q, want %q", c.to, got, c.want)
		}
	}
}
